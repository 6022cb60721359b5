"""One reply while it arrives: stream events in, facts out, and the message it becomes."""

from collections.abc import Callable, Collection

from msgspec.structs import replace

from ouroboros.core.errors import ModelFailed
from ouroboros.core.events import (
    AgentMessage,
    CacheHit,
    ErrorRaised,
    Event,
    ModelDelta,
    ModelRetried,
)
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Origin, Part, Text, ToolCall, Usage
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockKind,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    Recalled,
    Retrying,
    StreamEvent,
)

IN_ONE_GO = 32
"""Pieces of a reply that are taken in before others have their turn; fewer would part a call from the
end of its reply, which costs an event more."""


class Reply:
    """Collects one reply.

    Call ids are made unique within the session: some vendors leave them out or count from zero in
    every reply, and results are looked up by id.
    """

    def __init__(
        self,
        *,
        ids: Ids,
        origin: Origin,
        taken: Collection[str],
        cost: Callable[[Usage], float | None],
        notice: Callable[[Usage], Event | None] = lambda _: None,
    ) -> None:
        """``taken`` holds the call ids of the session so far; ``cost`` prices a usage.

        ``notice`` says what the usage of a whole reply gives away.
        """
        self._notice = notice
        self._ids, self._origin, self._taken, self._cost = ids, origin, taken, cost
        self._id = ids.new("msg")
        self._open: dict[int, BlockKind] = {}
        self._text: dict[int, list[str]] = {}
        self._parts: tuple[Part, ...] = ()
        self._ready: list[ToolCall] = []
        self._given: list[tuple[ToolCall, str]] = []
        self._usage: Usage | None = None
        self._finished = False
        self._pieces = 0
        self._recalled = False

    @property
    def acted(self) -> bool:
        """Some call of this reply was handed over."""
        return bool(self._given)

    def take(self, event: StreamEvent) -> list[Event]:
        """The facts one stream event amounts to."""
        self._pieces += 1
        match event:
            case BlockGrew(part=part, kind=kind, text=text):
                if kind == "text":
                    self._text.setdefault(part, []).append(text)
                return [ModelDelta(kind=kind, part=part, text=text)]
            case BlockStarted(part=part, kind=kind, name=name):
                self._open[part] = kind
                return [ModelDelta(phase="start", kind=kind, part=part, name=name)]
            case BlockEnded(part=part, kind=kind):
                self._open.pop(part, None)
                return [ModelDelta(phase="end", kind=kind, part=part)]
            case CallReady(call=call, parts=parts):
                self._ready.append(self._admit(call))
                self._parts = parts
                return []
            case Finished():
                return self._finish(event)
            case Failed(parts=parts, usage=usage):
                self._parts, self._usage = parts or self._parts, usage
                return []
            case Retrying():
                return [*self._ended(), self._retried(event)]
            case Recalled(key=key):
                self._recalled = True
                return [CacheHit(key=key)]

    @property
    def is_long(self) -> bool:
        """Whether so much came in one go that others, such as a stop, are to have their turn."""
        return self._pieces % IN_ONE_GO == 0

    def ready(self) -> list[ToolCall]:
        """Calls that became complete since this was last asked."""
        ready, self._ready = self._ready, []
        return ready

    def partial(self) -> list[Event]:
        """The message so far, once a call of it is about to act and the rest is not there yet."""
        if self._finished:
            return []
        return [self._message(self._parts, "unknown", partial=True)]

    def void(self) -> list[Event]:
        """Ends open blocks and keeps nothing: another model is asked for this reply."""
        return self._ended()

    def close(self) -> list[Event]:
        """Ends open blocks and keeps what was said, when the stream breaks off."""
        facts = self._ended()
        said = self._parts or tuple(
            Text(text="".join(pieces)) for _, pieces in sorted(self._text.items())
        )
        if said and not self._finished:
            facts.append(self._billed(self._message(said, "unknown", partial=True), self._usage))
        return facts

    def _finish(self, event: Finished) -> list[Event]:
        unused = list(self._given)
        for call in (part for part in event.parts if isinstance(part, ToolCall)):
            if not _claimed(call, unused):
                self._ready.append(self._admit(call))
        facts = self.close() if self._open else []
        self._finished = True
        message = self._message(event.parts, event.stop_reason, partial=False)
        facts.append(self._billed(message, event.usage))
        noticed = self._notice(event.usage) if event.usage else None
        return [*facts, noticed] if noticed else facts

    def _billed(self, message: AgentMessage, usage: Usage | None) -> AgentMessage:
        if self._recalled:  # counted and paid when it was said
            return replace(message, cost=0.0)
        return replace(message, usage=usage, cost=self._cost(usage) if usage else None)

    def _admit(self, call: ToolCall) -> ToolCall:
        given = {id for _, id in self._given}
        unique = call.id and call.id not in self._taken and call.id not in given
        id = call.id if unique else self._ids.new("call")
        self._given.append((call, id))
        return replace(call, id=id)

    def _message(self, parts: tuple[Part, ...], stop: str, *, partial: bool) -> AgentMessage:
        unused = list(self._given)
        named: list[Part] = []
        for part in parts:
            if isinstance(part, ToolCall):
                id = _claimed(part, unused)
                if id:
                    named.append(replace(part, id=id))
            else:
                named.append(part)
        message = Message(id=self._id, role="assistant", parts=tuple(named), origin=self._origin)
        return AgentMessage(message=message, stop_reason=stop, partial=partial)

    def _ended(self) -> list[Event]:
        """Every start gets its end."""
        ends: list[Event] = [
            ModelDelta(phase="end", kind=kind, part=part) for part, kind in self._open.items()
        ]
        self._open.clear()
        return ends

    def _retried(self, event: Retrying) -> ModelRetried:
        self._text.clear()
        return ModelRetried(
            attempt=event.attempt,
            maximum=event.maximum,
            delay_seconds=event.delay_seconds,
            reason=event.reason,
        )


def _claimed(call: ToolCall, unused: list[tuple[ToolCall, str]]) -> str:
    """The session's id for a call that was handed over, taken out of ``unused``; else empty.

    What a vendor adds to a call at the end of its reply does not make it another call.
    """
    for alike in (_whole, _named):
        for at, (given, id) in enumerate(unused):
            if alike(given) == alike(call) != ("",):
                del unused[at]
                return id
    return ""


def _whole(call: ToolCall) -> tuple[str, ...]:
    return (call.id, call.name, call.arguments)


def _named(call: ToolCall) -> tuple[str, ...]:
    return (call.id, call.name) if call.id else ("",)


def error_of(failed: ModelFailed) -> ErrorRaised:
    """A provider's failure as a fact."""
    failure = failed.failure
    return ErrorRaised(
        fault="stream" if failure.status in {None, 200} else "provider",
        kind=failure.kind,
        message=failure.message,
        hint=failed.hint,
        status=failure.status,
    )
