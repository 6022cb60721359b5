"""What happened in the person's tabs."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event


class BrowserChanged(Event, frozen=True, kw_only=True):
    """A page changed while code ran: counts and names, never page text."""

    type: ClassVar[str] = "browser.changes"
    tab: str
    summary: str


class TabUpdated(Event, frozen=True, kw_only=True):
    """A tab got another address, title or status."""

    type: ClassVar[str] = "tab.updated"
    tab: str
    url: str
    title: str = ""
    status: str = ""


class TabActivated(Event, frozen=True, kw_only=True):
    """Another tab is in front."""

    type: ClassVar[str] = "tab.active"
    tab: str


class TabClosed(Event, frozen=True, kw_only=True):
    """A tab is gone."""

    type: ClassVar[str] = "tab.closed"
    tab: str
