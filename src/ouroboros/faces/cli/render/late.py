"""The plain face, made when there is something to show: not before the first request is sent."""

from typing import TYPE_CHECKING

from ouroboros.core.clock import Clock
from ouroboros.core.events import (
    Envelope,
    PermissionRequested,
    SessionReady,
    TurnStarted,
    UserMessage,
)
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.face import Ending, Notice

if TYPE_CHECKING:
    from ouroboros.faces.cli.render.plain import PlainFace


class LateFace:
    """Holds back the events before a request and hands everything on to the plain face later."""

    def __init__(
        self, out: Outlet, err: Outlet, *, clock: Clock, size: Size, streaming: bool
    ) -> None:
        """Imports and writes nothing yet."""
        self._out = out
        self._err = err
        self._clock = clock
        self._size = size
        self._streaming = streaming
        self._since = clock.monotonic()
        self._made: PlainFace | None = None
        self._held: list[Envelope] = []

    def begin(self) -> None:
        """A run starts."""
        self._since = self._clock.monotonic()
        if self._made is not None:
            self._made.begin(self._since)

    def rest(self) -> None:
        """Nothing runs any more."""
        self._face().rest()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        before = isinstance(envelope.data, SessionReady | UserMessage | TurnStarted)
        if before and self._made is None:
            self._held.append(envelope)
        else:
            self._face().take(envelope)

    def tell(self, told: Notice) -> None:
        """Says something that is no event."""
        self._face().tell(told)

    def finish(self, ending: Ending, session: str) -> None:
        """Shows how a run ended."""
        self._face().finish(ending, session)

    def ask(self, event: PermissionRequested, *, whole: bool = False) -> None:
        """Writes a question's card."""
        self._face().ask(event, whole=whole)

    def prompt(self, text: str) -> None:
        """Writes words after which the person types."""
        self._face().prompt(text)

    def _face(self) -> "PlainFace":
        if self._made is None:
            from ouroboros.faces.cli.render.plain import PlainFace

            self._made = PlainFace(
                self._out,
                self._err,
                clock=self._clock,
                size=self._size,
                streaming=self._streaming,
            )
            self._made.begin(self._since)
            for envelope in self._held:
                self._made.take(envelope)
            self._held.clear()
        return self._made
