"""Running commands that may outlive the call, and typing into them.

Source of parameters, clamps and the text of results: codex, sections 2.2 to 2.7.
"""

import math
import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path, PurePath
from typing import Annotated, Literal

import anyio
from msgspec import Meta, Struct
from msgspec.structs import replace

from ouroboros.core.errors import ToolFailed
from ouroboros.core.events import PermissionsGranted
from ouroboros.core.events.process import ProcessEnded, ProcessKept
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.core.parts import Text
from ouroboros.safety.policy.presets import Escalation, SandboxPermissions
from ouroboros.safety.sandbox import noted, stopped
from ouroboros.safety.terminal import Terminal
from ouroboros.safety.untrusted import source_of
from ouroboros.tools.arguments import BadArguments, decode
from ouroboros.tools.builtin.permissions import AdditionalPermissions, Beyond, wanted
from ouroboros.tools.builtin.shell import checked, one_line
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.running import Running, Said
from ouroboros.tools.exec.starting import Starter, Wish
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

LEAST_YIELD_MS, MOST_YIELD_MS = 250, 30_000
LEAST_POLL_MS, MOST_POLL_MS = 5_000, 300_000
TYPE_SECONDS = 10.0
"""How long a program may take no input before that is given up."""

AFTER_TYPING_SECONDS = 0.1
TOKENS = 10_000

_SHOWN = 400
_READER = "a running program"
_KEYS = frozenset("\x03\x04")
_SHELL_FOLDERS = frozenset({"", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
_SHELLS = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})


type _Prefix = Annotated[
    tuple[str, ...],
    Meta(
        description="with require_escalated: first words of cmd, such as [npm, test], that the "
        "person may allow from now on"
    ),
]
type _Why = Annotated[str, Meta(description="why more is needed: one sentence to the person")]


class _Started(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cmd: str
    workdir: Annotated[str, Meta(description="the workspace when empty")] = ""
    tty: bool = False
    yield_time_ms: Annotated[int, Meta(description="how long to wait, 250 to 30000")] = 10_000
    max_output_tokens: Annotated[int, Meta(description="cut what is longer in the middle")] = TOKENS
    shell: Annotated[str, Meta(description="such as zsh; bash when empty")] = ""
    login: Annotated[bool | None, Meta(description="false: without the person's aliases")] = None


class ExecCommandArguments(_Started, frozen=True, kw_only=True):
    """What to run, and how long to wait for it."""

    sandbox_permissions: Literal["use_default", "require_escalated"] = "use_default"
    justification: _Why = ""
    prefix_rule: _Prefix = ()


class ExecWithMoreArguments(_Started, frozen=True, kw_only=True):
    """The same where single commands may be given more than the sandbox lets through."""

    sandbox_permissions: SandboxPermissions = "use_default"
    additional_permissions: AdditionalPermissions | None = None
    justification: _Why = ""
    prefix_rule: _Prefix = ()


type _Arguments = ExecCommandArguments | ExecWithMoreArguments


class WriteStdinArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to type into which command; nothing only waits."""

    session_id: int
    chars: str = ""
    yield_time_ms: Annotated[
        int, Meta(description="how long to wait; without chars 5000 to 300000")
    ] = LEAST_YIELD_MS
    max_output_tokens: int = TOKENS


class ExecCommandTool:
    """Runs shell text; what still runs when the time is over goes on, and can be asked for."""

    name = "exec_command"
    description = (
        "Run a shell command. Gives its output, cut where it is long (no need of | tail, which hides "
        "the exit code); if it still runs after yield_time_ms, also a session ID for write_stdin. "
        "What it leaves in the background may end with it. tty=true for programs that need input."
    )
    arguments: type[_Arguments] = ExecCommandArguments
    parallel_safe = True

    def is_apart(self, arguments: str) -> bool:
        """Whether this one command says that it changes files, and so runs beside no other."""
        try:
            command = decode(self.arguments, arguments).cmd
        except BadArguments:
            return False
        from ouroboros.safety.commands.classify import (
            alters,  # takes longer than all of this module
        )

        return alters(command)

    def __init__(
        self,
        starter: Starter,
        processes: Processes,
        *,
        login: bool = True,
        beyond: Callable[[], Beyond] | None = None,
    ) -> None:
        """``login`` is what happens when the model does not say; without it, it may not ask.

        With ``beyond`` it may ask for more for one command.
        """
        self._starter, self._processes, self._login = starter, processes, login
        self._find_beyond = beyond
        if beyond is not None:
            self.arguments = ExecWithMoreArguments
        self._caged: set[str] = set()

    def effect(self, arguments: _Arguments, cwd: Path) -> Effect:
        """A command that may do anything."""
        self._processes.check()
        checked(arguments.cmd)
        if arguments.login and not self._login:
            raise ToolFailed("login shells are switched off (tools.login_shell); leave login out")
        shell = _shell(arguments.shell)
        wish, words = self._more(arguments)
        asked = "use_default" if wish is None and words else arguments.sandbox_permissions
        more = f" with {words}" if wish is not None else ""
        return Effect(
            kind="execute",
            action=f"Run{more} {_where(arguments.workdir)}{one_line(arguments.cmd, _SHOWN)}",
            command=arguments.cmd,
            folder=cwd / arguments.workdir if arguments.workdir else None,
            shell=shell or PurePath(self._starter.shell).name,
            escalation=Escalation(
                permissions=asked,
                justification=arguments.justification,
                prefix=arguments.prefix_rule,
            ),
            more=wish,
        )

    def _more(self, arguments: _Arguments) -> tuple[PermissionsGranted | None, str]:
        """What it needs besides, for its cage and in words; None of what was granted before.

        Raises:
            ToolFailed: It is not said what, or that cannot be granted.
        """
        is_offered = isinstance(arguments, ExecWithMoreArguments)
        more = arguments.additional_permissions if is_offered else None
        asks = arguments.sandbox_permissions == "with_additional_permissions"
        if more is not None and not asks:
            raise ToolFailed(
                "additional_permissions needs sandbox_permissions with_additional_permissions"
            )
        if not asks or self._find_beyond is None:
            return None, ""
        if more is None:
            raise ToolFailed(
                "additional_permissions is missing: say network or file_system, or both"
            )
        beyond = self._find_beyond()
        wish = more.wish(arguments.justification or "it needs them")
        words = wanted(wish, beyond.allowance)
        if beyond.holds(wish):
            return None, words
        granted = PermissionsGranted(
            call_id="", network=wish.network, read=tuple(wish.read), write=tuple(wish.write)
        )
        return granted, words

    async def run(
        self, arguments: _Arguments, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """Streams what the command says, then all of it with its exit code or its number."""
        began = context.clock.monotonic()
        running = await self._started(arguments, context)
        self._processes.adopt(running)
        number: int | None = None
        try:
            seconds = yield_seconds(arguments.yield_time_ms)
            async for piece in running.follow(seconds, is_paused=self._processes.is_paused):
                yield piece
            if running.exit_code is None:
                number = self._processes.keep(running)
                context.publish(
                    ProcessKept(number=number, command=one_line(running.command, _SHOWN))
                )
        finally:
            if number is None and running.exit_code is None:
                await running.end()  # nobody would know its number
        spent = context.clock.monotonic() - began
        yield _result(running, number, spent, arguments.max_output_tokens)

    async def _started(self, arguments: _Arguments, context: ToolContext) -> Running:
        wish = Wish(
            text=context.command or arguments.cmd,
            cwd=context.cwd / arguments.workdir,
            shell=arguments.shell,
            # What was judged harmless is not to mean something else by an alias.
            login=not context.command and arguments.login is not False and self._login,
        )
        try:
            terminal: Terminal | None = None
            if arguments.tty:
                terminal = await self._starter.start_terminal(wish, context, self._processes.size)
                process, confined = terminal.process, terminal.confined
            else:
                process, confined = await self._starter.start(wish, context)
        except OSError as failed:
            what = one_line(arguments.cmd, _SHOWN)
            where = f": {failed.filename}" if failed.filename else ""
            message = f"exec_command failed for `{what}`: {failed.strerror}{where}"
            raise ToolFailed(message) from failed
        return Running(
            process,
            confined,
            command=arguments.cmd,
            terminal=terminal,
            is_beyond=self._is_beyond(arguments, context),
        )

    def _is_beyond(self, arguments: _Arguments, context: ToolContext) -> bool:
        """Whether it runs outside of a cage that it would be in without somebody's yes."""
        if context.sandbox.name != "none":
            self._caged.add(context.call_id)
            return arguments.sandbox_permissions == "with_additional_permissions"
        return arguments.sandbox_permissions != "use_default" or context.call_id in self._caged


class WriteStdinTool:
    """Types into a command that still runs, or only waits for it."""

    name = "write_stdin"
    description = (
        "Type chars into a running exec_command session (tty only) and read on; empty chars wait for "
        "output; \\u0003 is Ctrl-C, which ends any session."
    )
    arguments = WriteStdinArguments
    parallel_safe = False

    def __init__(self, processes: Processes) -> None:
        """``processes`` holds those that can be typed into."""
        self._processes = processes

    def effect(self, arguments: WriteStdinArguments, cwd: Path) -> Effect:
        """Text that a program reads may be a command; nobody knows where it stands by now."""
        del cwd
        running = self._processes.used(arguments.session_id)
        what = one_line(running.command, _SHOWN)
        if not arguments.chars:
            return Effect(kind="none", action=f"Wait for {what}")
        if _stops(running, arguments.chars):
            return Effect(kind="none", action=f"Stop {what}")
        if running.terminal is None and running.exit_code is None:
            raise ToolFailed(
                "write_stdin failed: stdin is closed for this session; "
                "rerun exec_command with tty=true to keep it open"
            )
        typed = f"Type {one_line(arguments.chars, _SHOWN)!r} into {what}"
        if _KEYS.issuperset(arguments.chars):
            return Effect(kind="none", action=typed)
        beyond = "require_escalated" if running.is_beyond else "use_default"
        return Effect(
            kind="execute",
            action=typed,
            command=arguments.chars,
            shell=_READER,
            escalation=Escalation(permissions=beyond),
        )

    async def run(
        self, arguments: WriteStdinArguments, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """Streams what the command says from now on, then all that it said since it was last read."""
        running = self._processes.used(arguments.session_id)
        began = context.clock.monotonic()
        seconds = poll_seconds(arguments.yield_time_ms)
        if _stops(running, arguments.chars):
            await running.end()
        elif arguments.chars:
            seconds = yield_seconds(arguments.yield_time_ms)
            await _type(running, arguments.chars)
            await anyio.sleep(AFTER_TYPING_SECONDS)
        async for piece in running.follow(seconds, is_paused=self._processes.is_paused):
            yield piece
        number: int | None = arguments.session_id
        if running.exit_code is not None:
            self._processes.drop(arguments.session_id)
            context.publish(ProcessEnded(number=arguments.session_id, exit_code=running.exit_code))
            number = None
        seconds = context.clock.monotonic() - began
        # What was typed is not typed again outside of a cage.
        result = _result(running, number, seconds, arguments.max_output_tokens)
        yield replace(result, stopped="")


def _stops(running: Running, chars: str) -> bool:
    """Ctrl-C, where no terminal turns it into a signal: from inside a cage nobody could send one."""
    return chars == "\x03" and running.terminal is None and running.exit_code is None


async def _type(running: Running, chars: str) -> None:
    """Types; a program that has ended meanwhile is told of by its exit code."""
    if running.terminal is None:
        return
    with anyio.move_on_after(TYPE_SECONDS) as scope:
        try:
            await running.terminal.type(chars.encode("utf-8", "replace"))
        except BrokenPipeError:
            return
    if scope.cancelled_caught:
        raise ToolFailed(f"write_stdin failed: the program read nothing for {TYPE_SECONDS:g} s")


def _result(running: Running, number: int | None, seconds: float, tokens: int) -> Result:
    said, code = running.taken(), running.exit_code
    head = _head(said, code, number, seconds) + noted(running.confined, said.text)
    denied = "" if code is None else stopped(running.confined, code, said.text)
    return Result(
        parts=(Text(text=head), Text(text=said.text)),
        ok=code in {None, 0},
        stopped=denied,
        most=len(head) + max(0, tokens) * CHARS_PER_TOKEN,
        origin=source_of("execute", tool="exec_command", command=running.command),
    )


def _head(said: Said, code: int | None, number: int | None, seconds: float) -> str:
    lines = [f"Chunk ID: {os.urandom(3).hex()}", f"Wall time: {seconds:.4f} seconds"]
    if code is not None:
        lines.append(f"Process exited with code {code}")
    if number is not None:
        lines.append(f"Process running with session ID {number}")
    lines += [f"Original token count: {math.ceil(said.size / CHARS_PER_TOKEN)}", "Output:", ""]
    return "\n".join(lines)


def yield_seconds(milliseconds: int) -> float:
    """How long a call waits for a command that was started or typed into, whatever was asked."""
    return max(LEAST_YIELD_MS, min(milliseconds, MOST_YIELD_MS)) / 1000


def poll_seconds(milliseconds: int) -> float:
    """The same for a call that only waits."""
    return max(LEAST_POLL_MS, min(milliseconds, MOST_POLL_MS)) / 1000


def _where(folder: str) -> str:
    """Another folder stands before the command: however long that is, it is seen."""
    return f"in {one_line(folder, _SHOWN)}: " if folder else ""


def _shell(wanted: str) -> str:
    """The name of the shell that a model asks for; a file of that name elsewhere is none."""
    folder, _, name = wanted.rpartition("/")
    if wanted and (name not in _SHELLS or folder not in _SHELL_FOLDERS):
        raise ToolFailed(
            f"{wanted!r} is no shell that is known; there are {', '.join(sorted(_SHELLS))}"
        )
    return name
