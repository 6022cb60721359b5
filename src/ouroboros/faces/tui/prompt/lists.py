"""Which list is open over the prompt, and what is in it."""

from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from ouroboros.faces.slashes.table import slash_named
from ouroboros.faces.tui.prompt.menu import Menu, Wanted, arguments, commands, names, wanted_at
from ouroboros.faces.tui.prompt.tabs import Tabs

if TYPE_CHECKING:
    from ouroboros.app.naming import Names
    from ouroboros.faces.tui.host import Host
    from ouroboros.faces.tui.prompt.editor import Editor
    from ouroboros.faces.tui.prompt.keeping import Keeping

_FRESH_SECONDS = 5.0
_MOST_NAMES = 50


class Lists:
    """Follows what is typed; names of files come later, from a thread."""

    def __init__(self, host: "Host", editor: "Editor", keeping: "Keeping") -> None:
        """No list is open."""
        self.menu: Menu | None = None
        self.hint = ""
        self.tabs = Tabs()
        self._host, self._editor, self._keeping = host, editor, keeping
        self._dismissed = ""
        self._names: Names | None = None
        self._read_at = 0.0

    def follow(self, *, running: bool, asked: bool = False) -> bool:
        """Opens, changes or closes the list; true where names are to be looked for.

        A list that was closed stays so while the same word is typed, unless it is ``asked`` for.
        """
        before = self._editor.before
        wanted = wanted_at(before)
        self.hint = _usage(before) if wanted is None or wanted.kind == "argument" else ""
        if wanted is None or (self._is_dismissed(wanted) and not asked):
            self.menu = None
            return False
        self._dismissed = ""
        if wanted.kind == "name":
            if self.menu is not None and self.menu.wanted.kind != "name":
                self.menu = None
            return True
        if wanted.kind == "command":
            found = commands(
                wanted.typed, self._keeping.weight, running=running, slashes=self._host.slashes
            )
        else:
            found = arguments(wanted.command, wanted.typed)
        self.menu = Menu(wanted, found) if found else None
        return False

    async def look(self) -> None:
        """Looks for the name that is being typed, and opens the list of what fits."""
        wanted = wanted_at(self._editor.before)
        if wanted is None or wanted.kind != "name":
            return
        there = await self._there()
        found = await to_thread.run_sync(there.like, wanted.typed, _MOST_NAMES)
        if wanted_at(self._editor.before) == wanted and not self._is_dismissed(wanted):
            choices = [*self.tabs.like(wanted.typed), *names(found)]
            self.menu = Menu(wanted, choices) if choices else None

    def dismiss(self) -> None:
        """Closes the list for as long as this word is typed."""
        if self.menu is not None:
            self._dismissed = self._head(self.menu.wanted)
        self.menu = None

    def close(self) -> None:
        """Closes the list."""
        self.menu, self.hint, self._dismissed = None, "", ""

    def _is_dismissed(self, wanted: Wanted) -> bool:
        return bool(self._dismissed) and self._dismissed == self._head(wanted)

    def _head(self, wanted: Wanted) -> str:
        """The text up to the word, with a mark: it may be empty."""
        return f"{wanted.kind}:{self._editor.before[: wanted.start]}"

    async def _there(self) -> "Names":
        from ouroboros.app.naming import named

        now = anyio.current_time()
        if self._names is None or now - self._read_at > _FRESH_SECONDS:
            self._names = await named(self._host.cwd, self._host.environment)
            self._read_at = anyio.current_time()
        return self._names


def _usage(before: str) -> str:
    """How the command is written whose words are being typed."""
    if not before.startswith("/") or " " not in before or "\n" in before:
        return ""
    slash = slash_named(before[1:].partition(" ")[0])
    return slash.usage if slash is not None else ""
