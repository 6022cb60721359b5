"""What the person's own shell is set up with: found once in a session, and given to their commands.

The shell reads its start-up files in the cage of a command, within a bound of time. Its variables are
kept in memory; aliases, functions and options in a file of mode 600 that commands read and that goes
with the session. Nothing that looks like a key is kept. Source: codex, section 23.
"""

import os
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.safety.environment import is_secret_name, steers
from ouroboros.safety.private_file import replacing
from ouroboros.safety.spawn import spawn
from ouroboros.tools.tool import ToolContext

TAKING_SECONDS = 10.0
"""The longest that start-up files may take."""

PATIENCE_SECONDS = 1.5
"""How long a command waits for them; then it runs without."""

STALE_SECONDS = 3 * 24 * 3600.0
"""Then a file of a session that was killed is taken away."""

KNOWN = frozenset({"bash"})
"""Shells that can be asked how they are set up."""

_LARGEST_BYTES = 4_194_304
_OWN = frozenset({"_", "OLDPWD", "PWD", "SHLVL"})
_OPTIONS = frozenset({
    "dotglob",
    "extglob",
    "failglob",
    "globstar",
    "lastpipe",
    "nocaseglob",
    "nocasematch",
    "nullglob",
})
_TELL = """[ -f ~/.bashrc ] && . ~/.bashrc
printf '\\0%s\\0' "$0"; command env -0; printf '\\0%s\\0' "$0"
alias -p; printf '\\0%s\\0' "$0"
for f in $(compgen -A function); do declare -f "$f"; printf '\\0'; done; printf '\\0%s\\0' "$0"
shopt -p; printf '\\0%s\\0' "$0"
"""
_WITH = 'test -r "$1" && . "$1" >/dev/null 2>&1\neval "shift 2\n$2"'


class Snapshot(Struct, frozen=True, kw_only=True):
    """How a shell was set up: its variables, and the file with the rest."""

    environment: dict[str, str]
    file: Path

    def command(self, shell: str, text: str) -> tuple[str, ...]:
        """Shell text behind what makes it run as in the person's shell."""
        return (shell, "-c", _WITH, shell, str(self.file), text)

    def over(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The variables of a command: what we were started with wins, and the path has both."""
        places = f"{environment.get('PATH', '')}:{self.environment.get('PATH', '')}".split(":")
        path = ":".join(dict.fromkeys(filter(None, places)))
        return {**self.environment, **environment, "PATH": path}


type Beside = Callable[[Callable[[], Coroutine[Any, Any, None]]], None]


class Snapshots:
    """Takes one for each shell, by the first command that wants it."""

    def __init__(self, folder: Path, name: str, *, beside: Beside) -> None:
        """``folder`` is private; ``name`` is the session's; ``beside`` runs something meanwhile."""
        self._folder, self._name, self._beside = folder, name, beside
        self._taken: dict[str, anyio.Event] = {}
        self._found: dict[str, Snapshot] = {}

    async def of(self, shell: str, context: ToolContext) -> Snapshot | None:
        """The snapshot of a shell; None where it cannot be taken, or takes too long."""
        if shell not in self._taken:
            self._taken[shell] = anyio.Event()
            self._beside(partial(self._take, shell, context))
        with anyio.move_on_after(PATIENCE_SECONDS):
            await self._taken[shell].wait()
        return self._found.get(shell)

    async def close(self) -> None:
        """Takes the files away."""
        files, self._found = [each.file for each in self._found.values()], {}
        await anyio.to_thread.run_sync(_remove, files)

    async def _take(self, shell: str, context: ToolContext) -> None:
        try:
            said = await _told(shell, context)
            if said is not None:
                await self._keep(shell, *said, context=context)
        except OSError:
            pass  # no snapshot, then: commands run without
        finally:
            self._taken[shell].set()

    async def _keep(
        self, shell: str, variables: dict[str, str], rest: str, *, context: ToolContext
    ) -> None:
        file = self._folder / f"{self._name}.{os.urandom(4).hex()}.sh"
        now = context.clock.now()
        await anyio.to_thread.run_sync(lambda: _write(file, rest, now))
        found = Snapshot(environment=variables, file=file)
        checked = await _output((shell, "-c", '. "$0"', str(file)), context)
        if checked is None:
            await anyio.to_thread.run_sync(_remove, [file])
        else:
            self._found[shell] = found


async def _told(shell: str, context: ToolContext) -> tuple[dict[str, str], str] | None:
    """Variables of a shell that has read its start-up files, and what else it has as shell text."""
    mark = os.urandom(8).hex()
    said = await _output((shell, "-l", "-i", "-c", _TELL, mark), context)
    sections = (said or b"").split(f"\0{mark}\0".encode())
    if len(sections) < 6:  # what it said before, four sections, and nothing
        return None
    variables, aliases, functions, options = sections[1:5]
    pairs = (entry.partition(b"=") for entry in variables.split(b"\0"))
    kept = {
        name.decode("utf-8", "replace"): value.decode("utf-8", "surrogateescape")
        for name, _, value in pairs
        if name and not name.startswith(b"BASH_FUNC_")
    }
    lines = ["shopt -s expand_aliases"]
    lines += [line for line in _text(options).splitlines() if line.split()[-1] in _OPTIONS]
    lines += filter(_is_open, _text(functions).split("\0"))
    lines += filter(_is_open, _text(aliases).splitlines())
    return _shown(kept), "\n".join(lines) + "\n"


def _shown(variables: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in variables.items()
        if not (name in _OWN or is_secret_name(name) or steers(name)) and _is_open(value)
    }


def _is_open(text: str) -> bool:
    """Whether nothing in it looks like a key."""
    from ouroboros.safety.secrets.key_shapes import contains_key

    return text.strip() != "" and not contains_key(text)


async def _output(command: tuple[str, ...], context: ToolContext) -> bytes | None:
    """What a command said until its end; None when it failed, said too much, or took too long."""
    said = bytearray()
    confined = context.sandbox.confine(command, cwd=context.cwd)
    with anyio.move_on_after(TAKING_SECONDS):
        async with spawn(
            command, cwd=context.cwd, environment=context.environment, confined=confined
        ) as process:
            while (piece := await process.read()) is not None:
                if piece.stream == "stdout":
                    said += piece.data
                if len(said) > _LARGEST_BYTES:
                    return None
            return bytes(said) if process.exit_code == 0 else None
    return None


def _write(file: Path, text: str, now: float) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for other in file.parent.glob("*.sh"):
        if now - other.stat().st_mtime > STALE_SECONDS:
            other.unlink(missing_ok=True)
    with replacing(file) as writing:
        writing.write(text.encode("utf-8", "surrogateescape"))


def _remove(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
