"""Who drives a tab: the agent, until a person takes it, and again once they hand it back."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import anyio
from msgspec import Struct

from ouroboros.browser.errors import PersonDrives
from ouroboros.core.events.browser import TabDriven
from ouroboros.core.events.envelope import Event

TURN_SECONDS = 1800.0
"""How long the agent waits for its turn before it is told to do something else."""

type Why = Literal["taken", "given", "new task", "left", "closed"]

_LOOK_AGAIN = "look at the page again: it may be another one, and elements seen before may be gone"


class _Hold(Struct):
    viewer: str
    over: anyio.Event


class Drivers:
    """Which tabs a person holds; what code does in them waits at its next step."""

    def __init__(
        self,
        publish: Callable[[Event], None],
        *,
        turn_seconds: float = TURN_SECONDS,
        rest: AbstractContextManager[None] | None = None,
    ) -> None:
        """``publish`` puts each change on record: who, since when, and nothing of what they do.

        ``rest`` is entered while the agent waits, once for each wait.
        """
        self._publish, self._turn_seconds = publish, turn_seconds
        self._rest = rest or nullcontext()
        self._holds: dict[str, _Hold] = {}
        self._awaited: dict[str, int] = {}
        self._unseen: set[str] = set()
        self._news: dict[str, str] = {}
        self._listeners: list[Callable[[str], None]] = []

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Tells ``listener`` each tab whose driver changes, or that the agent waits for."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def holder(self, tab: str) -> str:
        """The viewer by which a person drives a tab; empty while the agent does."""
        hold = self._holds.get(tab)
        return hold.viewer if hold is not None else ""

    def is_awaited(self, tab: str) -> bool:
        """Whether the agent waits for a tab that a person holds."""
        return tab in self._holds and self._awaited.get(tab, 0) > 0

    def held(self, viewer: str = "") -> tuple[str, ...]:
        """The tabs that persons hold, by this viewer or by any."""
        return tuple(
            tab for tab, hold in self._holds.items() if not viewer or hold.viewer == viewer
        )

    def take(self, tab: str, viewer: str) -> None:
        """A person drives from now on; from another viewer they take it over."""
        hold = self._holds.get(tab)
        if hold is None:
            self._holds[tab] = _Hold(viewer=viewer, over=anyio.Event())
            self._news[tab] = "a person drives it"
            self._publish(TabDriven(tab=tab, driver="person", why="taken"))
        elif hold.viewer != viewer:
            hold.viewer = viewer
        self._tell(tab)

    def give(self, tab: str, why: Why = "given") -> bool:
        """The agent drives again; false where it did already."""
        hold = self._holds.pop(tab, None)
        if hold is None:
            return False
        hold.over.set()
        if why == "closed":
            self._unseen.discard(tab)
            self._news.pop(tab, None)
        else:
            self._unseen.add(tab)
            self._news[tab] = (
                "a person drove it and handed it back: look anew, fields may hold what they typed"
            )
        self._publish(TabDriven(tab=tab, driver="agent", why=why))
        self._tell(tab)
        return True

    def give_all(self, why: Why) -> None:
        """The agent drives every tab again."""
        for tab in tuple(self._holds):
            self.give(tab, why)

    def forget(self, tab: str) -> None:
        """A tab is gone, and its name is never used again."""
        self.give(tab, "closed")
        self._unseen.discard(tab)

    def news(self) -> tuple[str, ...]:
        """What has changed since this was asked last, such as ``tab_0 a person drives it``."""
        told, self._news = self._news, {}
        return tuple(f"{tab} {what}" for tab, what in told.items())

    async def turn(self, tab: str, acts: bool) -> None:
        """Returns when code may work in a tab.

        After a person has driven it, code has to look before it acts: the first act is refused else.

        Raises:
            PersonDrives: A person has driven it since code last looked, or does so for very long.
        """
        if tab in self._holds:
            await self._wait(tab)
        if tab not in self._unseen:
            return
        self._unseen.discard(tab)
        if acts:
            raise PersonDrives(
                f"nothing was done: a person has driven {tab} and handed it back", hint=_LOOK_AGAIN
            )

    async def _wait(self, tab: str) -> None:
        self._awaited[tab] = self._awaited.get(tab, 0) + 1
        self._tell(tab)
        try:
            with self._rest, anyio.fail_after(self._turn_seconds):
                while (hold := self._holds.get(tab)) is not None:  # it may be taken again at once
                    await hold.over.wait()
        except TimeoutError as late:
            raise PersonDrives(
                f"nothing was done: a person has been driving {tab} for {self._turn_seconds / 60:g} minutes",
                hint="go on without this tab, or ask the person to hand it back",
            ) from late
        finally:
            self._awaited[tab] -= 1
            self._tell(tab)

    def _tell(self, tab: str) -> None:
        for listener in tuple(self._listeners):
            listener(tab)
