"""The tabs of the session's browser, as far as its events tell of them."""

from ouroboros.core.events import Envelope
from ouroboros.core.events.browser import TabClosed, TabUpdated
from ouroboros.core.events.run import SessionReady
from ouroboros.faces.tui.prompt.menu import Choice, fitting
from ouroboros.faces.wording.words import one_line


class Tabs:
    """Follows one session at a time."""

    def __init__(self) -> None:
        """None is known."""
        self._tabs: dict[str, str] = {}
        self._session = ""

    def take(self, envelope: Envelope) -> None:
        """Takes in an event; tabs of another session, or of an earlier program, are gone."""
        if envelope.session != self._session:
            self._session = envelope.session
            self._tabs.clear()
        match envelope.data:
            case TabUpdated(tab=tab, url=url, title=title):
                self._tabs[tab] = one_line(title or url)
            case TabClosed(tab=tab):
                self._tabs.pop(tab, None)
            case SessionReady():
                self._tabs.clear()
            case _:
                pass

    def like(self, typed: str) -> list[Choice]:
        """The tabs that are meant by what is typed: by their id, their title or their address."""
        wanted = typed.removeprefix("tab:")
        return [
            Choice(f"tab:{tab} ", f"tab:{tab}", title)
            for tab, title in self._tabs.items()
            if not wanted or fitting(wanted, tab) in range(4) or wanted.lower() in title.lower()
        ]
