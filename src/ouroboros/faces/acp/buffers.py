"""Files that the editor has open, as far as it lets us read and write them there."""

from collections.abc import Callable
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.core.errors import ToolFailed
from ouroboros.faces.acp.peer import Peer, PeerGone, PeerRefused
from ouroboros.faces.acp.schema import Files, FileText

READ_SECONDS = 5.0
"""An editor that takes longer to say what is in a file is not asked again before the next prompt."""

WRITE_SECONDS = 30.0


class Buffers:
    """What the tools of one session ask of the editor."""

    def __init__(self, peer: Peer, cwd: Path, *, patience: float = READ_SECONDS) -> None:
        """``cwd`` is the folder as the editor spells it; ``session`` is set once it is known."""
        self._peer, self._cwd, self._patience = peer, cwd, patience
        self.session = ""
        self.tell: Callable[[str], None] = lambda _: None
        self.is_silent = False

    async def text_of(self, path: Path) -> str | None:
        """What the editor has of a file; None where it has no such file, or does not say in time."""
        if not self._can.read_text_file or self.is_silent:
            return None
        params = {"sessionId": self.session, "path": await self._spelled(path)}
        try:
            with anyio.fail_after(self._patience):
                answer = await self._peer.ask("fs/read_text_file", params, FileText)
        except PeerRefused:
            return None
        except TimeoutError:
            self._fall_silent()
            return None
        return answer.content

    async def write(self, path: Path, text: str) -> bool:
        """Lets the editor write a file; false where it says no, or does not write for us.

        Raises:
            ToolFailed: It did not answer, or is gone, so that nobody knows.
        """
        if not self._can.write_text_file or self.is_silent:
            return False
        params = {"sessionId": self.session, "path": await self._spelled(path), "content": text}
        try:
            with anyio.fail_after(WRITE_SECONDS):
                await self._peer.ask("fs/write_text_file", params, object)
        except PeerGone as gone:
            raise ToolFailed(f"{path}: {gone.message}; whether it was written is unknown") from gone
        except PeerRefused:
            return False
        except TimeoutError as late:
            self._fall_silent()
            why = "the editor did not answer, so whether it was written is unknown; read it again"
            raise ToolFailed(f"{path}: {why}") from late
        return True

    @property
    def _can(self) -> Files:
        return self._peer.can.fs or Files()

    def _fall_silent(self) -> None:
        self.is_silent = True
        self.tell("the editor does not answer; until your next words files are those of the disk")

    async def _spelled(self, path: Path) -> str:
        """A real path, as the editor names it that may have come here through a link."""

        def found() -> str:
            root = self._cwd.resolve()
            return str(self._cwd / path.relative_to(root) if path.is_relative_to(root) else path)

        return await to_thread.run_sync(found)
