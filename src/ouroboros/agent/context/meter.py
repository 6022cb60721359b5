"""What fills a context, by kind of content; the shares are estimated, the sum is as exact as is known."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ouroboros.agent.context import tokens
from ouroboros.agent.context.instructions import NOTES
from ouroboros.core.context import Block
from ouroboros.core.parts import Media, Message, Part, Text, ToolResult, ToolSpec

NAMES = (
    "system prompt", "tools", "instructions", "notes", "surroundings", "mentioned",
    "your words", "summary", "replies", "tool results", "images",
)  # fmt: skip
"""Every kind of content, in the order of a request."""

_SECTIONS = (
    ("instructions", re.compile(r"<INSTRUCTIONS>\n.*?\n</INSTRUCTIONS>", re.DOTALL)),
    ("mentioned", re.compile(r"<mentioned>\n.*</mentioned>", re.DOTALL)),
)


def blocks(
    system: Iterable[str], tools: Sequence[ToolSpec], messages: Iterable[Message], used: int
) -> tuple[Block, ...]:
    """The kinds of content that there are; their tokens come to exactly ``used``."""
    sizes: Counter[str] = Counter({
        "system prompt": sum(map(tokens.of_text, system)),
        "tools": sum(tokens.of_text(tool.schema + tool.description) for tool in tools),
    })
    for message in messages:
        for part in message.parts:
            for name, size in _sized(message, part):
                sizes[name] += size
    shares = shared([sizes[name] for name in NAMES], used)
    return tuple(
        Block(name=name, tokens=share) for name, share in zip(NAMES, shares, strict=True) if share
    )


def shared(sizes: Sequence[int], total: int) -> list[int]:
    """The total in parts that are to each other as the sizes; nothing is lost by rounding."""
    whole = sum(sizes)
    if not whole:
        return [total, *(0 for _ in sizes[1:])]
    exact = [size * total / whole for size in sizes]
    parts = [int(each) for each in exact]
    by_rest = sorted(range(len(sizes)), key=lambda place: parts[place] - exact[place])
    for place in by_rest[: total - sum(parts)]:
        parts[place] += 1
    return parts


def _sized(message: Message, part: Part) -> list[tuple[str, int]]:
    match part:
        case Media():
            return [("images", tokens.of_part(part))]
        case ToolResult(parts=inner):
            images = sum(tokens.of_part(one) for one in inner if isinstance(one, Media))
            return [("tool results", tokens.of_part(part) - images), ("images", images)]
        case Text(text=text) if message.kind == "context":
            return _of_context(text)
        case _:
            return [(_kind(message), tokens.of_part(part))]


def _kind(message: Message) -> str:
    if message.role == "assistant":
        return "replies"
    return {"summary": "summary", "nudge": "surroundings"}.get(message.kind, "your words")


def _of_context(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for name, pattern in _SECTIONS:
        match = pattern.search(text)
        if match is None:
            continue
        section, text = match[0], text[: match.start()] + text[match.end() :]
        body, mark, notes = section.partition(NOTES)
        found += [(name, tokens.of_text(body)), ("notes", tokens.of_text(mark + notes))]
    return [*found, ("surroundings", tokens.of_text(text))]
