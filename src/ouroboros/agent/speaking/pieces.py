"""Deltas and progress without secrets, also where a secret is cut over several of them."""

from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from ouroboros.core.events import Event, ModelDelta, ModelRetried, ToolProgress, ToolResulted

type Piece = ModelDelta | ToolProgress
type _Key = tuple[str, int | str, str]


class Flow(Protocol):
    """Redacts one text that arrives in pieces."""

    def next(self, piece: str) -> str:
        """What can be shown now."""
        ...

    def rest(self) -> str:
        """What was held back."""
        ...


class Pieces:
    """Holds back what may be the beginning of a secret until it is known to be none."""

    def __init__(self, flow: Callable[[], Flow]) -> None:
        """``flow`` makes a new flow for each block of a reply and each stream of a call."""
        self._flow = flow
        self._open: dict[_Key, tuple[Flow, Piece]] = {}

    def sift(self, event: Event) -> list[Event]:
        """The events to show in place of this one, in order."""
        match event:
            case ModelDelta(phase="delta", part=part):
                return self._next(("model", part, ""), event)
            case ModelDelta(part=part):
                return [*self._end(("model", part, "")), event]
            case ModelRetried():
                self._open = {key: open for key, open in self._open.items() if key[0] != "model"}
                return [event]
            case ToolProgress(call_id=call_id, stream=stream):
                return self._next(("tool", call_id, stream), event)
            case ToolResulted(call_id=call_id):
                ended = [key for key in self._open if key[:2] == ("tool", call_id)]
                return [*(rest for key in ended for rest in self._end(key)), event]
            case _:
                return [event]

    def _next(self, key: _Key, piece: Piece) -> list[Event]:
        flow = self._open[key][0] if key in self._open else self._flow()
        self._open[key] = (flow, piece)
        text = flow.next(piece.text)
        if text == piece.text:
            return [piece]
        return [replace(piece, text=text)] if text else []

    def _end(self, key: _Key) -> list[Event]:
        if key not in self._open:
            return []
        flow, last = self._open.pop(key)
        rest = flow.rest()
        return [replace(last, text=rest)] if rest else []
