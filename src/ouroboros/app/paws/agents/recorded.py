"""What an agent says of its work, kept for the record of a work session on its way to whoever is told."""

from collections import deque

from ouroboros.app.paws.sessions import Said
from ouroboros.core.clock import Clock
from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from ouroboros.fleet.supervisor.supervise import Seat

MOST = 1_000
"""Entries of one run; of more the first and the last half are kept."""

CHARACTERS = 2_000


class Recorded:
    """A seat that remembers."""

    def __init__(self, seat: Seat, clock: Clock) -> None:
        """``seat`` is asked and told all the same."""
        self._seat, self._clock = seat, clock
        self._first: list[tuple[Said, str, float]] = []
        self._last: deque[tuple[Said, str, float]] = deque(maxlen=MOST // 2)

    @property
    def said(self) -> tuple[tuple[Said, str, float], ...]:
        """Each with its moment, the oldest first."""
        return (*self._first, *self._last)

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        """The answer of the seat."""
        return await self._seat.ask(request)

    def tell(self, log: Log) -> None:
        """Keeps what belongs into a record; lines about the work itself do not."""
        match log.kind:
            case "agent_thought" | "tool_call" | "tool_result" as kind:
                entry: tuple[Said, str, float] = (
                    kind,
                    log.message[:CHARACTERS],
                    self._clock.now(),
                )
                (self._first if len(self._first) < MOST // 2 else self._last).append(entry)
            case _:
                pass
        self._seat.tell(log)
