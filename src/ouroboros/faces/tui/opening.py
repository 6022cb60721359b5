"""Opens the session to begin with, and tries again where that failed."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ouroboros.core.commands import Command, Submit
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.tui.prompt.saying import Said
from ouroboros.faces.tui.start import Start

if TYPE_CHECKING:
    from textual.screen import Screen

    from ouroboros.app.hub import Hub, Room
    from ouroboros.faces.tui.screens.first import Begin


class Stage(Protocol):
    """Where screens are shown, and things are done beside them."""

    def push_screen[Result](
        self, screen: "Screen[Result]", callback: Callable[[Result | None], None] | None = None
    ) -> object:
        """Shows a screen; ``callback`` is given what it ends with."""
        ...

    def run_worker(
        self,
        work: Callable[[], Coroutine[None, None, None]],
        *,
        group: str = "",
        exclusive: bool = False,
    ) -> object:
        """Does something beside what is shown."""
        ...


class Opens(Stage, Protocol):
    """The application, as it is told of the session."""

    hub: "Hub | None"

    def opened(self, hub: "Hub", room: "Room") -> None:
        """A session is open."""
        ...

    def complain(self, problem: OuroborosError) -> None:
        """Shows what could not be done."""
        ...

    def send(self, command: Command) -> None:
        """Carries a wish out."""
        ...

    def give_back(self, text: str) -> None:
        """Words that nobody could hear."""
        ...


class Opening:
    """Until a session is open: words wait for it, and each of them tries again once it failed."""

    def __init__(self, app: Opens, start: Start) -> None:
        """Opens nothing yet."""
        self._app, self._start = app, start
        self._early: list[Said] = []
        self._has_failed = False

    async def open(self, hub: "Hub") -> None:
        """Opens what was asked for on the command line; a problem is shown."""
        start, self._has_failed = self._start, False
        self._app.hub = hub
        try:
            room = await hub.open(
                cwd=start.cwd,
                resume=start.resume,
                latest=start.latest,
                at=start.at,
                mind=start.mind,
                browser=start.browser,
            )
        except OuroborosError as problem:
            self._stuck(hub, problem)
            return
        self._app.opened(hub, room)

    async def _begin(self, hub: "Hub", wanted: "Begin") -> None:
        """Opens what the person chose at the first start."""
        try:
            room = await hub.open(cwd=wanted.cwd or self._start.cwd, model=wanted.model)
        except OuroborosError as problem:
            self._stuck(hub, problem)
            return
        self._app.opened(hub, room)
        if wanted.first:
            self._app.send(Submit(text=wanted.first))

    def wait(self, said: Said) -> None:
        """Keeps words for when it is open; where that had failed it is tried again."""
        self._early.append(said)
        hub = self._app.hub
        if self._has_failed and hub is not None:
            self._has_failed = False
            self._app.run_worker(partial(self.open, hub), group="switch", exclusive=True)

    def heard(self) -> list[Said]:
        """It is open: the words that waited."""
        early, self._early = self._early, []
        return early

    def _stuck(self, hub: "Hub", problem: OuroborosError) -> None:
        """Says why, and offers what to begin with where none was named."""
        self._has_failed = True
        for said in self.heard():
            self._app.give_back(said.text)
        if not isinstance(problem, Misuse) or self._start.resume or self._start.latest:
            self._app.complain(problem)
            return
        from ouroboros.faces.tui.screens.first import FirstStart

        def taken(wanted: "Begin | None") -> None:
            if wanted is None:
                self._app.complain(problem)
            else:
                self._app.run_worker(
                    partial(self._begin, hub, wanted), group="switch", exclusive=True
                )

        self._app.push_screen(FirstStart(problem.message), taken)
