"""What happened in the person's tabs."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event


class BrowserChanged(Event, frozen=True, kw_only=True):
    """A page changed while code ran: counts and names, never page text."""

    type: ClassVar[str] = "browser.changes"
    tab: str
    summary: str


class BrowserStarted(Event, frozen=True, kw_only=True):
    """A browser is there: started by us, or attached to.

    ``profile`` is that of ours it runs on; it stands in for ``instead_of`` where another browser had that one.
    """

    type: ClassVar[str] = "browser.started"
    mode: str
    version: str
    headless: bool
    sandboxed: bool
    profile: str = ""
    instead_of: str = ""


class BrowserLost(Event, frozen=True, kw_only=True):
    """The browser is gone; ``state`` is ``socket-lost`` while it is tried again, else ``exited``."""

    type: ClassVar[str] = "browser.lost"
    state: str
    why: str = ""


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


class TabDriven(Event, frozen=True, kw_only=True):
    """Who drives a tab from now on: ``agent`` or ``person``; what a person does there is not on record.

    ``why`` is ``taken``, ``given``, ``new task``, ``left`` (nobody looked any more) or ``closed``.
    """

    type: ClassVar[str] = "tab.driver"
    tab: str
    driver: str
    why: str = ""


class DialogOpened(Event, frozen=True, kw_only=True):
    """A page shows a dialog; ``message`` is page text, cut to a preview."""

    type: ClassVar[str] = "dialog.opened"
    tab: str
    kind: str
    message: str = ""


class DialogAnswered(Event, frozen=True, kw_only=True):
    """A dialog is gone; ``by`` is ``code``, ``person``, ``rule`` or ``page`` (it was left)."""

    type: ClassVar[str] = "dialog.answered"
    tab: str
    kind: str
    accepted: bool
    by: str


class DownloadStarted(Event, frozen=True, kw_only=True):
    """A page sends a file; it becomes an artifact when it is whole."""

    type: ClassVar[str] = "download.started"
    id: str
    url: str
    name: str
    tab: str = ""


class DownloadFinished(Event, frozen=True, kw_only=True):
    """A download ended; ``state`` is ``completed``, ``canceled`` or ``failed``."""

    type: ClassVar[str] = "download.finished"
    id: str
    name: str
    state: str
    bytes: int = 0
    reason: str = ""


class ArtifactKept(Event, frozen=True, kw_only=True):
    """A file was kept with the session: a download, a screenshot, a page as PDF.

    Attributes:
        id: Its name among the artifacts of the session.
        kind: ``download``, ``screenshot``, ``pdf`` or ``file``.
        name: As a person would call it.
        path: Below the home folder.
        origin: Where it came from, such as ``https://shop.example``.
    """

    type: ClassVar[str] = "artifact.kept"
    id: str
    kind: str
    name: str
    path: str
    bytes: int
    sha256: str
    mime: str = ""
    origin: str = ""


class RequestBlocked(Event, frozen=True, kw_only=True):
    """The guard kept a request from leaving the browser; only its origin is told."""

    type: ClassVar[str] = "request.blocked"
    origin: str
    kind: str
    reason: str
    tab: str = ""
