"""Which browser is wanted, what watches it, and what is true of it."""

from collections.abc import Mapping
from typing import Literal, Protocol

from msgspec import Struct, field

from ouroboros.browser.connection import Connection
from ouroboros.browser.recovery import State
from ouroboros.browser.tabs import MAX_TABS, TabFacts, Tabs

START_SECONDS = 45.0


class Plan(Struct, frozen=True, kw_only=True):
    """Which browser, and how.

    Attributes:
        mode: One of ours, the person's running one, or one at an address.
        profile: Name of a profile of ours; empty for one that is thrown away.
        may_stand_in: While another browser runs on the profile, one with a number after its name is
            taken; without this that is refused.
        program: Path or name of the program; found when empty.
        url: What to attach to: a port, an address, or nothing for the person's own Chrome.
        headers: Sent with the handshake of a remote one, such as a token; never told.
        max_tabs: A tab that a page opens beyond this is closed at once.
        start_seconds: How long a browser may take to answer for the first time.
    """

    mode: Literal["managed", "attach", "remote"] = "managed"
    profile: str = "default"
    may_stand_in: bool = False
    program: str = ""
    headless: bool = True
    size: tuple[int, int] = (1280, 720)
    flags: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    max_tabs: int = MAX_TABS
    start_seconds: float = START_SECONDS


class Extension(Protocol):
    """A part that watches a browser: dialogs, downloads, the guard of requests."""

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Called for every start of a browser, before the first tab is attached to."""
        ...


class Status(Struct, frozen=True, kw_only=True):
    """What is true of the browser now; the answer asks nothing of it.

    Attributes:
        place: The program, or the address without its credentials.
        sandboxed: Whether Chromium's own sandbox is on; None when it is not ours to know.
        refused: Tabs that scripts opened beyond the limit.
    """

    state: State
    mode: str
    place: str = ""
    version: str = ""
    pid: int = 0
    profile: str = ""
    headless: bool = True
    sandboxed: bool | None = None
    tabs: tuple[TabFacts, ...] = ()
    active: str = ""
    refused: int = 0
    why: str = ""
