"""What the tools of a session work with; everything behind it is started by the first use."""

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.browser.tabs import Tabs
from ouroboros.repl.metadata import Entry

type Kit = Literal["files", "tools"]
"""What a script may call: ``read, write, grep, find``, or every tool of the session."""


class Standing(Struct, frozen=True, kw_only=True):
    """How a browser stands, in words.

    Attributes:
        state: ``not started``, ``running``, ``lost``, ``ended`` and so on.
        lines: Program, version, profile and the like, one fact each.
    """

    state: str
    lines: tuple[str, ...] = ()


class Wishes(Struct, frozen=True, kw_only=True):
    """What is to be different; None leaves it as it is."""

    domain: str = ""
    permissions: dict[str, str] | None = None
    user_agent: str | None = None
    locale: str | None = None
    zoom: float | None = None
    dialogs: Literal["ask", "accept", "dismiss"] | None = None
    width: int | None = None
    height: int | None = None
    headless: bool | None = None


class Gallery(Protocol):
    """Where pictures come from."""

    async def screenshot(self, tab: str) -> tuple[bytes, str]:
        """A picture of a tab and its media type, after the actions before it and before those after."""
        ...

    def artifact(self, id: str) -> str:
        """The path of a kept file; raises ``ToolFailed`` when there is none."""
        ...


class Blocks(Protocol):
    """Where code runs."""

    async def run_block(self, code: str, *, call_id: str, seconds: float | None = None) -> Entry:
        """Runs a block in the session's REPL; its failure is its entry."""
        ...

    async def run_script(self, code: str, *, call_id: str, kit: Kit) -> Entry:
        """Runs a whole script in a fresh isolate that knows no browser; its failure is its entry."""
        ...


class Sights(Protocol):
    """The tabs, and who must hear that they are looked at."""

    async def tabs(self) -> Tabs:
        """All tabs; starts the browser."""
        ...

    def url(self, tab: str) -> str:
        """Where a tab is, the one in front without a name; empty when that is not known."""
        ...

    async def looked(self, tab: str) -> None:
        """The model is about to be shown something of this tab, the one in front without a name."""
        ...


class Helm(Protocol):
    """How the browser stands, and what is done with it as a whole."""

    def standing(self) -> Standing:
        """How the browser stands, without starting it."""
        ...

    async def recover(self) -> Sequence[str]:
        """Brings a browser that is gone back; what was restored and what was lost, a line each."""
        ...

    async def stop(self, tab: str) -> Sequence[str]:
        """Ends what goes on in a tab, or in all; what was ended, a line each."""
        ...

    async def configure(self, wishes: Wishes) -> Sequence[str]:
        """Changes settings; what is different now, a line each."""
        ...

    def allow(self, domain: str) -> None:
        """The person has agreed to this place."""
        ...


class Seat(Blocks, Sights, Helm, Gallery, Protocol):
    """The browser and the REPLs of one session."""
