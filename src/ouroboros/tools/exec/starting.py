"""How a command of a tool is started: by which shell, in which cage, and watched over by whom."""

from pathlib import Path

import anyio.to_thread
from msgspec import Struct

from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox import Confined
from ouroboros.safety.spawn import Process, shell_command, start
from ouroboros.safety.terminal import Terminal, start_terminal
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

    def __init__(self, shell: str = "") -> None:
        """``shell`` is a program that takes ``-c``; bash when there is one, else sh."""
        self.shell = shell or next(filter(_exists, _SHELLS), "/bin/sh")
        self._guard = Guard()

    async def start(self, wish: Wish, context: ToolContext) -> tuple[Process, Confined]:
        """The running command, which the caller has to ``close``, and what the cage made of it.

        Raises:
            OSError: The shell or the folder cannot be used, or the cage could not be made.
        """
        await self._begin_guard()
        command = self._command(wish)
        confined = context.sandbox.confine(command, cwd=wish.cwd)
        process = await start(
            command,
            cwd=wish.cwd,
            environment=context.environment,
            guard=self._guard,
            confined=confined,
        )
        return process, confined

    async def start_terminal(self, wish: Wish, context: ToolContext) -> Terminal:
        """The same on a terminal of its own.

        Raises:
            OSError: As ``start``.
        """
        await self._begin_guard()
        return await start_terminal(
            self._command(wish),
            cwd=wish.cwd,
            environment=context.environment,
            guard=self._guard,
            sandbox=context.sandbox,
        )

    async def _begin_guard(self) -> None:
        if not self._guard.is_on_duty:
            await anyio.to_thread.run_sync(self._guard.begin)

    def _command(self, wish: Wish) -> tuple[str, ...]:
        program, *rest = shell_command(wish.text, wish.shell or self.shell)
        return (program, *(["-l"] if wish.login else []), *rest)


def _exists(path: str) -> bool:
    return Path(path).exists()
