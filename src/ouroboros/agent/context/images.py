"""Which images of a long history are still sent: the newest, within a budget.

They go in blocks of half the budget: every image that goes changes the beginning of the request,
and what a vendor kept of it is then paid for anew.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ouroboros.core.limits import IMAGE_TOKENS
from ouroboros.core.parts import Media, Message, Part, Text, ToolResult

WINDOW_SHARE = 4
"""Images may take one part in so many of a model's window."""


def most(budget: int, window: int, vendor: int = 0) -> int:
    """How many images a request may hold, at least 1.

    Args:
        budget: Tokens that images may take.
        window: Tokens the model can see.
        vendor: Images that the vendor takes in one request; 0 if that is not known.
    """
    room = min(budget, window // WINDOW_SHARE) // IMAGE_TOKENS
    return max(1, min(room, vendor) if vendor else room)


def count(message: Message) -> int:
    """The images of a message, those in results too."""
    return sum(_count(part) for part in message.parts)


def dropped(counts: Sequence[int], most: int) -> int:
    """How many images, from the oldest on, are no longer sent; it only grows with the history.

    Args:
        counts: Images in each stretch of the history, in order; the last stretch that has any
            keeps all of its own.
        most: How many are sent at a time; 0 for a model that sees none.
    """
    total = sum(counts)
    if not most:
        return total
    if total <= most:
        return 0
    block = max(1, most // 2)
    wanted = -(-(total - most) // block) * block
    latest = next(number for number in reversed(counts) if number)
    return min(wanted, total - latest)


def without(message: Message, number: int, *, blind: bool = False) -> Message:
    """The message with its first ``number`` images replaced by a note.

    ``blind``: they are left out because the model sees none.
    """
    parts: list[Part] = []
    for part in message.parts:
        kept, number = _without(part, number, _BLIND if blind else _OLDER)
        parts.append(kept)
    return replace(message, parts=tuple(parts))


def _without(part: Part, number: int, note: str) -> tuple[Part, int]:
    match part:
        case Media() if number and _count(part):
            return _note(part, note), number - 1
        case ToolResult(parts=parts) if number:
            kept: list[Text | Media] = []
            for inner in parts:
                gone = number > 0 and isinstance(inner, Media) and _count(inner) > 0
                kept.append(_note(inner, note) if gone and isinstance(inner, Media) else inner)
                number -= gone
            return replace(part, parts=tuple(kept)), number
        case _:
            return part, number


_OLDER = "(The older image{} is left out here.)"
_BLIND = "(The image{} is left out: you are a model that is sent none.)"


def _note(image: Media, note: str) -> Text:
    return Text(text=note.format(f" {image.name!r}" if image.name else ""))


def _count(part: Part) -> int:
    match part:
        case Media(media_type=kind):
            return int(kind.startswith("image/"))
        case ToolResult(parts=parts):
            return sum(_count(inner) for inner in parts)
        case _:
            return 0
