"""The one place where events are made: redacted, numbered, applied, kept and shown, in this order."""

import logging
import re
from collections import deque
from collections.abc import Callable
from typing import Protocol, cast

import msgspec
from msgspec.structs import replace

from ouroboros.agent.speaking.pieces import Pieces
from ouroboros.core.clock import Clock
from ouroboros.core.events import Envelope, Event, TurnStarted
from ouroboros.core.ids import Ids
from ouroboros.core.state import State

_log = logging.getLogger(__name__)
_NOTABLE = frozenset({
    *("session.ready", "task.completed", "task.cancelled", "error"),
    *("model.retried", "model.switched"),
})
_MOST_REASON = 200
_SURROGATE = re.compile("[\ud800-\udfff]")

type Sink = Callable[[Envelope], None]


class Log(Protocol):
    """Keeps durable events in order.

    ``append`` returns at once and raises ``StoreFailed`` when an earlier one could not be kept;
    ``settled`` returns when everything up to ``seq`` is on disk, or raises the same.
    """

    def append(self, envelope: Envelope) -> None: ...
    async def settled(self, seq: int) -> None: ...


class Screen(Protocol):
    """Takes out of an event what must not be kept; ``safety.pipeline.screen.Screen`` is one."""

    def screened(self, event: Event) -> tuple[Event, tuple[Event, ...]]:
        """The event to record in its place, and events that tell of it."""
        ...

    def kept(self, event: Event) -> Event:
        """The event as the log has it."""
        ...


class Journal:
    """Records events of one session.

    State, log, faces and the next request see the same redacted event, but for secrets that the
    person typed: these are in the state, for the model, and not in the log. A durable event is shown
    once it is on disk (the log calls ``show``); a delta at once, but never before the durable
    events that were recorded ahead of it, so that every face sees one order.
    """

    def __init__(
        self,
        *,
        state: State,
        log: Log,
        ids: Ids,
        clock: Clock,
        redact: Callable[[bytes], bytes | None] | None = None,
        pieces: Pieces | None = None,
        screen: Screen | None = None,
    ) -> None:
        """``redact`` gives an event's JSON without secrets, or None when it holds none.

        ``pieces`` finds the secrets that are cut over several deltas, ``screen`` those that nobody
        told us of.
        """
        self._screen = screen
        self._state, self._log, self._ids, self._clock = state, log, ids, clock
        self._redact = redact
        self._pieces = pieces
        self._sinks: list[Sink] = []
        self._shown = state.seq
        self._held: deque[Envelope] = deque()

    def listen(self, sink: Sink) -> None:
        """Adds a sink; it is called in order and must not block."""
        self._sinks.append(sink)

    def record(self, event: Event) -> None:
        """Puts an event on record."""
        for whole in self._pieces.sift(event) if self._pieces else (event,):
            clean, told = self._screen.screened(whole) if self._screen else (whole, ())
            self._keep(clean)
            for more in told:
                self._keep(more)

    def _keep(self, event: Event) -> None:
        try:
            encoded = msgspec.json.encode(event)
        except UnicodeEncodeError:
            event = _legible(event)
            encoded = msgspec.json.encode(event)
        clean = self._redact(encoded) if self._redact else None
        if clean is not None:
            event = msgspec.json.decode(clean, type=type(event))
        durable = event.durable
        envelope = Envelope(
            id=self._ids.new("evt") if durable else "",
            session=self._state.session,
            turn=event.turn if isinstance(event, TurnStarted) else self._state.turn,
            seq=self._state.seq + 1 if durable else self._state.seq,
            ts=self._clock.now(),
            type=event.type,
            source=event.source,
            data=event,
        )
        if durable:
            kept = self._screen.kept(event) if self._screen else event
            self._log.append(envelope if kept is event else replace(envelope, data=kept))
            self._state.apply(envelope)
            _note(envelope)
        elif envelope.seq > self._shown:
            self._held.append(envelope)
        else:
            self._hand_out(envelope)

    async def settle(self) -> None:
        """Returns when everything recorded so far is on disk."""
        await self._log.settled(self._state.seq)

    def show(self, envelope: Envelope) -> None:
        """Shows a durable event that is on disk, then the deltas that waited for it."""
        self._hand_out(envelope)
        self._shown = envelope.seq
        while self._held and self._held[0].seq <= self._shown:
            self._hand_out(self._held.popleft())

    def _hand_out(self, envelope: Envelope) -> None:
        """Gives an event to every sink; one that breaks is left out from then on."""
        for sink in tuple(self._sinks):
            try:
                sink(envelope)
            except Exception:  # noqa: BLE001 - the border to a face: its bug must not end the run
                self._sinks.remove(sink)
                _log.exception("a sink broke on %s and is left out from now on", envelope.type)


def _note(envelope: Envelope) -> None:
    """A line of the log file, where there is one: that something happened, never what was said."""
    is_notable = envelope.type in _NOTABLE
    level = logging.INFO if is_notable else logging.DEBUG
    if _log.isEnabledFor(level):
        # The reasons of others are words of the model or the person.
        reason: object = getattr(envelope.data, "reason", "") if is_notable else ""
        line = " ".join(str(reason)[:_MOST_REASON].split())
        why = f": {line}" if line else ""
        _log.log(level, "%s %d %s%s", envelope.session, envelope.seq, envelope.type, why)


def _legible(event: Event) -> Event:
    """The event without unpaired surrogates: file names and terminals bring bytes that are no text."""
    return msgspec.convert(_repaired(msgspec.to_builtins(event)), type(event))


def _repaired(value: object) -> object:
    match value:
        case str():
            return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
        case dict():
            fields = cast("dict[object, object]", value)
            return {_repaired(key): _repaired(inner) for key, inner in fields.items()}
        case list() | tuple():
            return [_repaired(inner) for inner in cast("list[object]", value)]
        case _:
            return value
