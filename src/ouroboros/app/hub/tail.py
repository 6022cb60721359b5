"""What is being said right now and is on no record yet, for a reader who comes in the middle."""

from collections import deque
from collections.abc import Iterator

from msgspec.structs import replace

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    TaskCancelled,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    TurnStarted,
)

_MOST_CHARACTERS = 65_536


class Tail:
    """The open blocks of a reply, and the latest output of calls that run."""

    def __init__(self) -> None:
        """Nothing is being said."""
        self._blocks: dict[int, _Block] = {}
        self._output: dict[str, _Output] = {}

    def take(self, envelope: Envelope) -> None:
        """Follows along."""
        match envelope.data:
            case ModelDelta() as delta:
                self._say(envelope, delta)
            case ToolProgress(call_id=call) as progress:
                self._output.setdefault(call, _Output()).add(envelope, progress)
            case ToolResulted(call_id=call):
                self._output.pop(call, None)
            case AgentMessage(partial=True):
                self._blocks = {at: each for at, each in self._blocks.items() if each.end is None}
            case AgentMessage() | TurnStarted():
                self._blocks.clear()
            case TaskCompleted() | TaskCancelled():
                self._blocks.clear()
                self._output.clear()
            case _:
                pass

    def of(self, after: int, *, output: bool) -> list[Envelope]:
        """All of it for who has read up to ``after``; a block begins anew, so that nothing is doubled.

        ``output`` is that of calls; only for who has not read any of it.
        """
        found = [each for block in self._blocks.values() for each in block.pieces(after)]
        if output:
            found += [
                replace(each, seq=after) for call in self._output.values() for each in call.pieces
            ]
        return found

    def _say(self, envelope: Envelope, delta: ModelDelta) -> None:
        if delta.phase == "start":
            self._blocks[delta.part] = _Block(envelope)
        elif (block := self._blocks.get(delta.part)) is not None:
            block.add(envelope, delta)


class _Block:
    def __init__(self, start: Envelope) -> None:
        self._start = start
        self._text: list[str] = []
        self._latest: Envelope | None = None
        self.end: Envelope | None = None

    def add(self, envelope: Envelope, delta: ModelDelta) -> None:
        if delta.phase == "end":
            self.end = envelope
        else:
            self._text.append(delta.text)
            self._latest = envelope

    def pieces(self, after: int) -> Iterator[Envelope]:
        """Its beginning, all its text in one piece, and its end if that was."""
        yield replace(self._start, seq=after)
        if self._latest is not None:
            data: Event = self._latest.data
            if isinstance(data, ModelDelta):
                whole = replace(data, text="".join(self._text))
                yield replace(self._latest, seq=after, data=whole)
        if self.end is not None:
            yield replace(self.end, seq=after)


class _Output:
    """The latest output of one call."""

    def __init__(self) -> None:
        self._size = 0
        self.pieces: deque[Envelope] = deque()

    def add(self, envelope: Envelope, progress: ToolProgress) -> None:
        self.pieces.append(envelope)
        self._size += len(progress.text)
        while self._size > _MOST_CHARACTERS and len(self.pieces) > 1:
            oldest = self.pieces.popleft().data
            self._size -= len(oldest.text) if isinstance(oldest, ToolProgress) else 0
