"""How a command of a tool is started: by which shell, in which cage, and watched over by whom."""

from pathlib import Path, PurePath

import anyio
from msgspec import Struct

from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox import Confined
from ouroboros.safety.spawn import Process, shell_command, start
from ouroboros.safety.terminal import COLUMNS, ROWS, Terminal, start_terminal
from ouroboros.tools.exec.snapshot import KNOWN, Snapshots
from ouroboros.tools.tool import ToolContext

_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")


class Wish(Struct, frozen=True, kw_only=True):
    """A command as somebody wants it to be started; an empty ``shell`` means the usual one."""

    text: str
    cwd: Path
    shell: str = ""
    login: bool = False


class Starter:
    """Starts commands for tools; its guard ends them when we are killed."""

    def __init__(self, shell: str = "", snapshots: Snapshots | None = None) -> None:
        """``shell`` takes ``-c``, bash when there is one, else sh; ``snapshots`` are of such shells."""
        self._snapshots = snapshots
        self.shell = shell or next(filter(_exists, _SHELLS), "/bin/sh")
        self._guard = Guard()

    async def start(self, wish: Wish, context: ToolContext) -> tuple[Process, Confined]:
        """The running command, which the caller has to ``close``, and what the cage made of it.

        Raises:
            OSError: The shell or the folder cannot be used, or the cage could not be made.
        """
        await self._guard.on_duty()
        command, environment = await self._prepared(wish, context)
        confined = context.sandbox.confine(command, cwd=wish.cwd)
        process = await start(
            command,
            cwd=wish.cwd,
            environment=environment,
            guard=self._guard,
            confined=confined,
        )
        return process, confined

    async def start_terminal(
        self, wish: Wish, context: ToolContext, size: tuple[int, int] = (COLUMNS, ROWS)
    ) -> Terminal:
        """The same on a terminal of its own, of so many columns and rows.

        Raises:
            OSError: As ``start``.
        """
        await self._guard.on_duty()
        command, environment = await self._prepared(wish, context)
        return await start_terminal(
            command,
            cwd=wish.cwd,
            environment=environment,
            guard=self._guard,
            sandbox=context.sandbox,
            columns=size[0],
            rows=size[1],
        )

    async def _prepared(
        self, wish: Wish, context: ToolContext
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """Program and arguments, and the variables they see."""
        shell = wish.shell or self.shell
        plain = shell_command(wish.text, shell)
        if not wish.login:
            return plain, context.environment
        if self._snapshots is None or PurePath(shell).name not in KNOWN:
            return (shell, "-l", *plain[1:]), context.environment
        found = await self._snapshots.of(shell, context)
        if found is None:
            return plain, context.environment
        if not await anyio.Path(found.file).exists():
            return (shell, "-l", *plain[1:]), context.environment
        return found.command(shell, wish.text), found.over(context.environment)


def _exists(path: str) -> bool:
    return Path(path).exists()
