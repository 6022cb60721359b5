"""Cuts what a tool said to what a model may read; the whole is kept elsewhere and named."""

from typing import Protocol

from msgspec import Struct

from ouroboros.core.limits import TOOL_OUTPUT_BYTES
from ouroboros.core.parts import Media, Text

DETAIL_BYTES = 65_536
"""Largest detail, such as a diff, that travels with a result."""


class Spill(Protocol):
    """Keeps whole outputs.

    Contract: ``keep`` may be cancelled, bounds nothing, and raises only ``OSError`` and ``StoreFailed``.
    """

    async def keep(self, data: bytes) -> str:
        """Stores the bytes and gives the path under which ``read`` can open them."""
        ...


class Bounded(Struct, frozen=True, kw_only=True):
    """Parts that fit the budget, and what they were cut from."""

    parts: tuple[Text | Media, ...]
    original: bytes
    truncated: bool


def bounded(
    parts: tuple[Text | Media, ...], *, limit: int = TOOL_OUTPUT_BYTES, where: str = ""
) -> Bounded:
    """The parts with at most ``limit`` bytes of text; media are kept.

    Text parts use up the budget in order. ``where`` is named as the place of the whole output.
    """
    whole = b"".join(encoded(part.text) for part in parts if isinstance(part, Text))
    if len(whole) <= limit:
        return Bounded(parts=parts, original=whole, truncated=False)
    kept: list[Text | Media] = []
    left = limit - len(_omitted(len(parts)))
    omitted = 0
    for part in parts:
        if isinstance(part, Media):
            kept.append(part)
        elif left <= 0:
            omitted += 1
        else:
            text = cut(part.text, left, where=where)
            left -= len(encoded(text))
            if text != part.text:
                left = 0
            kept.append(Text(text=text))
    if omitted:
        kept.append(Text(text=_omitted(omitted).decode()))
    return Bounded(parts=tuple(kept), original=whole, truncated=True)


def cut(text: str, limit: int, *, where: str = "") -> str:
    """Head and tail of a text, together at most ``limit`` bytes, with a marker between."""
    data = encoded(text)
    if len(data) <= limit:
        return text
    lines = text.count("\n") + (not text.endswith("\n"))
    place = f"Full output: {where}\n" if where else ""
    opening = f"Total output lines: {lines}\n{place}\n"
    room = limit - len(encoded(opening)) - len(encoded(_marker(len(text))))
    if room <= 0:
        return data[: max(0, limit)].decode("utf-8", "ignore")
    head = data[: room // 2].decode("utf-8", "ignore")
    tail = data[len(data) - (room - room // 2) :].decode("utf-8", "ignore")
    return f"{opening}{head}{_marker(len(text) - len(head) - len(tail))}{tail}"


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


def _marker(count: int) -> str:
    return f"…{count} chars truncated…"


def _omitted(count: int) -> bytes:
    return f"\n[omitted {count} text items]".encode()
