"""Where a vendor that wants to be told may cache what it has read: one decision for every format.

Four marks are allowed: where the tools end, where the system prompt ends, where the latest turn
of the user ends, and, when a step was long, where the request before it ended.
"""

from collections.abc import Callable, Sequence

from ouroboros.core.parts import Message
from ouroboros.llm.protocols.protocol import Unit, last_unit, units

MARK = {"type": "ephemeral"}
"""How Anthropic writes a mark, and chat vendors after it."""

LOOKBACK = 20
"""Blocks before a mark in which a vendor looks for what it has cached."""


def marked_fragments(
    fragments: Sequence[bytes], messages: Sequence[Message], mark: Callable[[Unit], bytes]
) -> list[bytes]:
    """The fragments of a history, those whose ends may be cached made anew by ``mark``.

    ``mark`` gives a unit with its mark, or without one where there is no place for it.
    """
    found = list(fragments)
    if not messages:
        return found
    found[-1] = mark(last_unit(messages))
    place = _end_of_last_request(messages)
    if place and sum(len(message.parts) for message in messages[place:]) >= LOOKBACK:
        later = len(units(messages[place:], messages[place - 1]))
        found[-1 - later] = mark(last_unit(messages[:place]))
    return found


def _end_of_last_request(messages: Sequence[Message]) -> int:
    """How many messages stood in the request that the latest reply answers; 0 if none did."""
    for place in range(len(messages) - 1, 0, -1):
        if messages[place].role == "assistant" != messages[place - 1].role:
            return place
    return 0
