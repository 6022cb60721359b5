"""Cuts what a tool said to what a model may read; the whole is kept elsewhere and named."""

from typing import Protocol

from msgspec import Struct, structs

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
    place = f"Full output in {where} (open it with read offset/limit, or grep)\n" if where else ""
    opening = f"Total output lines: {lines}\n{place}\n"
    room = limit - len(encoded(opening)) - len(encoded(_marker(len(text)))) - 1
    if room <= 0:
        return data[: max(0, limit)].decode("utf-8", "ignore")
    head = _to_line_end(data[: room // 2].decode("utf-8", "ignore"))
    rest = data[len(data) - (room - room // 2) :].decode("utf-8", "ignore")
    tail = _from_line_start(rest)
    marker = _marker(len(text) - len(head) - len(tail)) + ("" if tail is rest else "\n")
    return f"{opening}{head}{marker}{tail}"


def flowing(parts: tuple[Text | Media, ...]) -> tuple[Text | Media, ...]:
    """The parts with a text put onto the one before it when that ends with a line end.

    Whoever joins parts by line ends would otherwise make an empty line that nobody wrote.
    """
    joined: list[Text | Media] = []
    for part in parts:
        match joined, part:
            case [*_, Text() as last], Text() if last.text.endswith("\n") and not part.meta:
                joined[-1] = structs.replace(last, text=last.text + part.text)
            case _:
                joined.append(part)
    return tuple(joined) if len(joined) < len(parts) else parts


def _to_line_end(text: str) -> str:
    """Without the last line, if it is a broken one and not most of the text."""
    whole = text.rfind("\n") + 1
    return text[:whole] if whole * 2 >= len(text) else text


def _from_line_start(text: str) -> str:
    """Without the first line, which is a broken one, if it is not most of the text."""
    start = text.find("\n") + 1
    return text[start:] if 0 < start * 2 <= len(text) else text


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


def _marker(count: int) -> str:
    return f"…{count} chars truncated…"


def _omitted(count: int) -> bytes:
    return f"\n[omitted {count} text items]".encode()
