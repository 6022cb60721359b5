"""Running a command."""

import codecs
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

import anyio
from msgspec import Meta, Struct
from msgspec.structs import replace

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import SHELL_TIMEOUT_CAP_SECONDS, SHELL_TIMEOUT_SECONDS
from ouroboros.core.parts import Text
from ouroboros.safety.capture import Capture
from ouroboros.safety.sandbox import noted, stopped
from ouroboros.safety.spawn import Piece, Process
from ouroboros.tools.exec.starting import Starter, Wish
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

_TIMED_OUT = 124
_LARGEST_BYTES = 128_000
_COMMAND_SHOWN = 400
_SAID_SHOWN = 80


class ShellArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to run."""

    command: str
    timeout: Annotated[float, Meta(gt=0, description="seconds")] | None = None
    description: str = ""


def _described(timeout_seconds: float, cap_seconds: float) -> str:
    return (
        "Run a bash command in the working folder. No terminal, no input; output over 10 kB is cut "
        f"in the middle. Default timeout {timeout_seconds:g} s, at most {cap_seconds:g} s; redirect "
        "output of background processes."
    )


class ShellTool:
    """Runs shell text in its own process group, without a terminal or input."""

    name = "shell"
    description = _described(SHELL_TIMEOUT_SECONDS, SHELL_TIMEOUT_CAP_SECONDS)
    arguments = ShellArguments
    parallel_safe = False

    def __init__(
        self,
        *,
        starter: Starter | None = None,
        timeout_seconds: float = SHELL_TIMEOUT_SECONDS,
        timeout_cap_seconds: float = SHELL_TIMEOUT_CAP_SECONDS,
        exposure: Exposure = "direct",
    ) -> None:
        """Without ``starter``, bash runs the commands where there is one, else sh."""
        self._starter = starter or Starter()
        self.exposure: Exposure = exposure
        self._timeout = timeout_seconds
        self._cap = timeout_cap_seconds
        self.description = _described(timeout_seconds, timeout_cap_seconds)

    def effect(self, arguments: ShellArguments, cwd: Path) -> Effect:
        """A command that may do anything."""
        del cwd
        checked(arguments.command)
        return Effect(kind="execute", action=_action(arguments), command=arguments.command)

    async def run(
        self, arguments: ShellArguments, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """Streams what the command says, then its exit code and all of it."""
        seconds = min(arguments.timeout or self._timeout, self._cap)
        began = context.clock.monotonic()
        deadline = anyio.current_time() + seconds
        capture = Capture()
        decoders = {name: _decoder() for name in ("stdout", "stderr")}
        wish = Wish(text=context.command or arguments.command, cwd=context.cwd)
        process, confined = await self._starter.start(wish, context)
        try:
            while (piece := await _read(process, deadline)) is not None:
                capture.add(piece.data, piece.stream)
                text = decoders[piece.stream].decode(piece.data)
                if text:
                    yield Progress(text=text, stream=piece.stream)
            exit_code = process.exit_code
        finally:
            await process.close(survivors=process.exit_code is not None)
        elapsed = context.clock.monotonic() - began
        late = "" if exit_code is not None else self._late(elapsed, seconds)
        said = capture.text()
        result = _result(exit_code, elapsed, late + noted(confined, said), capture)
        yield replace(result, stopped=stopped(confined, exit_code or 0, said))

    def _late(self, elapsed: float, seconds: float) -> str:
        advice = (
            "raise timeout for longer work"
            if seconds < self._cap
            else "that is the most; run longer work in the background"
        )
        return (
            f"command timed out after {round(elapsed * 1000)} milliseconds "
            f"(timeout {seconds:g} s; {advice})\n"
        )


def checked(command: str) -> None:
    """Raises ``ToolFailed`` for a command that no shell takes."""
    if not command.strip() or "\0" in command:
        raise ToolFailed("the command is empty or holds a NUL character")
    size = len(command.encode("utf-8", "replace"))
    if size > _LARGEST_BYTES:
        raise ToolFailed(
            f"the command has {size} bytes, the limit is {_LARGEST_BYTES}; "
            "put it in a file with write and run that"
        )


def _action(arguments: ShellArguments) -> str:
    """The command itself; what the model says of it stands only after it, in quotes."""
    command = one_line(arguments.command, _COMMAND_SHOWN)
    said = one_line(arguments.description, _SAID_SHOWN)
    return f"Run {command} (described as {said!r})" if said else f"Run {command}"


def one_line(text: str, limit: int) -> str:
    """The text on one line, and how much of it is not shown."""
    line = " ⏎ ".join(" ".join(part.split()) for part in text.strip().splitlines())
    hidden = len(line) - limit
    return line if hidden <= 0 else f"{line[:limit]}… [{hidden} more characters]"


async def _read(process: Process, deadline: float) -> Piece | None:
    """The next piece; None when the command ended or its time is over."""
    if anyio.current_time() < deadline:
        with anyio.CancelScope(deadline=deadline):
            return await process.read()
    return None


def _result(exit_code: int | None, seconds: float, late: str, capture: Capture) -> Result:
    known = _TIMED_OUT if exit_code is None else exit_code
    head = f"Exit code: {known}\nWall time: {seconds:.1f} seconds\nOutput:\n{late}"
    said = capture.text() or "(no output)\n"
    return Result(parts=(Text(text=head), Text(text=said)), ok=known == 0)


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")
