"""What every wire format can do, and the memory that keeps its request bodies cheap."""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from typing import Protocol as Interface

from ouroboros.core.parts import Message, Origin, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lifecycle import Reply
from ouroboros.llm.request import Request
from ouroboros.llm.sse import Frame
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

    It changes how long a body takes to build, never what is in it: an entry counts only while the
    messages it was made from are the same, and all are forgotten when the target changes.
    """

    def __init__(self) -> None:
        """Holds nothing yet."""
        self._target: tuple[str, Dialect, Origin] | None = None
        self._entries: dict[str, tuple[Unit, bytes]] = {}

    def encode(
        self,
        messages: Sequence[Message],
        target: tuple[str, Dialect, Origin],
        fragment: Callable[[Unit], bytes],
    ) -> list[bytes]:
        """The fragment of each unit, made anew only where it is not known."""
        if self._target != target:
            self._target = target
            self._entries = {}
        known = self._entries
        kept: dict[str, tuple[Unit, bytes]] = {}
        fragments: list[bytes] = []
        for unit in units(messages):
            key = unit.messages[0].id
            entry = known.get(key)
            if entry is None or entry[0] != unit:
                entry = (unit, fragment(unit))
            kept[key] = entry
            fragments.append(entry[1])
        self._entries = kept
        return fragments


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

    def start(self, dialect: Dialect) -> Decoder:
        """A decoder for one reply."""
        ...

    def decode(self, body: bytes, dialect: Dialect) -> Sequence[StreamEvent]:
        """A reply that was not streamed, as the events of a stream."""
        ...


def units(messages: Sequence[Message]) -> list[Unit]:
    """The history in pieces that are encoded alone."""
    found: list[Unit] = []
    before: Message | None = None
    results: list[Message] = []
    after: Message | None = None
    for message in messages:
        if message.role == "user" and _has_result(message):
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
    return any(isinstance(part, ToolResult) for part in message.parts)
