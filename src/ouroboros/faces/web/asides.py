"""What a command says after its answer: to whoever looks at the session then."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from ouroboros.faces.web.frames import Told

type Sink = Callable[[Told], None]


class Asides:
    """The readers of each session."""

    def __init__(self) -> None:
        """Nobody reads yet."""
        self._sinks: dict[str, list[Sink]] = {}

    @contextmanager
    def heard(self, session: str, sink: Sink) -> Generator[None]:
        """Hands lines of a session to ``sink``, which must not block."""
        sinks = self._sinks.setdefault(session, [])
        sinks.append(sink)
        try:
            yield
        finally:
            sinks.remove(sink)
            if not sinks:
                self._sinks.pop(session, None)

    def tell(self, session: str, told: Told) -> None:
        """Shows a line to everybody who reads this session; it is kept nowhere."""
        for sink in tuple(self._sinks.get(session, ())):
            sink(told)
