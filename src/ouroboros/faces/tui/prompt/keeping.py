"""What is kept of what a person types: the lines, and how often each command was used."""

from typing import TYPE_CHECKING

from anyio import Lock, to_thread

from ouroboros.core.clock import SystemClock
from ouroboros.faces.slashes.table import canonical
from ouroboros.faces.tui.prompt.recall import Recall

if TYPE_CHECKING:
    from ouroboros.app.typed.history import History
    from ouroboros.app.typed.uses import Uses
    from ouroboros.faces.tui.host import Host


class Keeping:
    """Reads and writes in threads: a slow disk must not hold up typing."""

    def __init__(self, host: "Host") -> None:
        """Reads nothing yet; what is typed meanwhile is kept."""
        self.recall = Recall()
        self._host = host
        self._history: History | None = None
        self._uses: Uses | None = None
        self._writing = Lock()

    async def load(self) -> None:
        """Reads both."""
        from ouroboros.app.typed.history import History, cleaner
        from ouroboros.app.typed.uses import Uses

        home = self._host.loaded.home
        clean = cleaner(self._host.environment, self._host.loaded.settings)
        async with self._writing:
            history = await to_thread.run_sync(History, home, clean)
            history.entries += self.recall.entries
            self._history, self.recall.entries = history, history.entries
            self._uses = await to_thread.run_sync(Uses, home, SystemClock())

    def weight(self, name: str) -> float:
        """How much a command was used."""
        return self._uses.weight(name) if self._uses is not None else 0.0

    async def remember(self, text: str) -> None:
        """Keeps a line; a command counts as used."""
        async with self._writing:
            if self._history is None:
                self.recall.entries.append(text)
                return
            await to_thread.run_sync(self._history.add, text)
            name = canonical(text)
            if name and self._uses is not None:
                await to_thread.run_sync(self._uses.note, name)
