"""What every wire format can do, and the memory that keeps its request bodies cheap."""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from typing import Protocol as Interface

from ouroboros.core.parts import Message, Origin, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame, Framing
from ouroboros.llm.lifecycle import Reply
from ouroboros.llm.request import Request
from ouroboros.llm.stream import StreamEvent


class Decoder(Interface):
    """Turns one vendor reply into events; exactly one of them is ``Finished`` or ``Failed``.

    Nothing the vendor sends makes it raise; after the ending it says nothing more.
    """

    @property
    def reply(self) -> Reply:
        """What has been understood so far."""
        ...

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        ...

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended: the ending, unless it has been given."""
        ...

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole reply that was not streamed."""
        ...


class Unit(NamedTuple):
    """Messages that are encoded together, and the message before them.

    Results of one assistant message form one unit, however many messages they came in.
    """

    messages: tuple[Message, ...]
    before: Message | None


class BodyCache:
    """Remembers the encoded messages of a conversation; one per run and model.

    It changes how long a body takes to build, never what is in it: only messages equal to those of
    the last body, counted from the first on, are not encoded again.
    """

    def __init__(self) -> None:
        """Holds nothing yet."""
        self._target: tuple[str, Dialect, Origin] | None = None
        self._messages: Sequence[Message] = ()
        self._units: list[Unit] = []
        self._fragments: list[bytes] = []

    def encode(
        self,
        messages: Sequence[Message],
        target: tuple[str, Dialect, Origin],
        fragment: Callable[[Unit], bytes],
    ) -> list[bytes]:
        """The fragment of each unit, made anew only where it is not known."""
        same = self._count_same(messages) if self._target == target else 0
        covered, kept = len(self._messages), len(self._units)
        # Results may still join the last unit.
        while kept and (covered > same or _has_result(self._units[kept - 1].messages[-1])):
            kept -= 1
            covered -= len(self._units[kept].messages)
        fresh = units(messages[covered:], messages[covered - 1] if covered else None)
        self._fragments[kept:] = [fragment(unit) for unit in fresh]
        self._units[kept:] = fresh
        self._target, self._messages = target, messages
        return self._fragments

    def _count_same(self, messages: Sequence[Message]) -> int:
        for place, (known, given) in enumerate(zip(self._messages, messages, strict=False)):
            if known is not given and known != given:
                return place
        return min(len(self._messages), len(messages))


class Protocol(Interface):
    """One wire format: pure functions between our values and its bytes."""

    @property
    def name(self) -> str:
        """The name that providers and origins use, such as ``openai-chat``."""
        ...

    def path(self, request: Request) -> str:
        """Where a request goes, after the provider's address."""
        ...

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes; ``messages`` (or ``input``) comes last and only ever grows.

        Opaque parts go back only where a message's origin is ``origin``. With the ``cache`` of the
        conversation only what was appended is encoded.
        """
        ...

    def framing(self, kind: str) -> Framing | None:
        """What cuts a streamed answer of this content type; None when the reply came whole."""
        ...

    def start(self, dialect: Dialect) -> Decoder:
        """A decoder for one reply."""
        ...


def units(messages: Sequence[Message], before: Message | None = None) -> list[Unit]:
    """The history in pieces that are encoded alone; ``before`` is what precedes it."""
    found: list[Unit] = []
    results: list[Message] = []
    after: Message | None = None
    for message in messages:
        if _has_result(message):
            if not results:
                after = before
            results.append(message)
        else:
            if results:
                found.append(Unit(tuple(results), after))
                results = []
            found.append(Unit((message,), before))
        before = message
    if results:
        found.append(Unit(tuple(results), after))
    return found


def last_unit(messages: Sequence[Message]) -> Unit:
    """The unit that ends the history, which must not be empty."""
    start = len(messages) - 1
    while start and _has_result(messages[start]) and _has_result(messages[start - 1]):
        start -= 1
    return units(messages[start:], messages[start - 1] if start else None)[-1]


def results_in_order(unit: Unit) -> list[ToolResult]:
    """The results of a unit in the order of the calls they answer."""
    results = [
        part for message in unit.messages for part in message.parts if isinstance(part, ToolResult)
    ]
    if unit.before is None or len(results) < 2:
        return results
    order = {call.id: place for place, call in enumerate(unit.before.calls)}
    return sorted(results, key=lambda result: order.get(result.call_id, len(order)))


def _has_result(message: Message) -> bool:
    return message.role == "user" and any(isinstance(part, ToolResult) for part in message.parts)
