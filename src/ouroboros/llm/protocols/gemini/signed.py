"""Signatures within a text: the stretches they came on are told apart again when they go back.

People read one text; Gemini wants each signed part alone, neither joined to another nor moved.
"""

from collections.abc import Mapping
from typing import cast

from ouroboros.core.parts import Meta
from ouroboros.llm.lifecycle import Block

_KEY = "signed"


def alone(signature: str) -> Meta:
    """The meta of a part that is a signature on no text."""
    return {_KEY: [[0, signature]]}


def note(block: Block, text: str, signature: str) -> None:
    """Remembers how the text that is about to be added to a block was signed."""
    known = block.meta.get(_KEY)
    if known is None:
        if not signature:
            return
        before = sum(map(len, block.pieces))
        block.meta[_KEY] = [*([[before, ""]] if before else []), [len(text), signature]]
        return
    stretches = cast("list[list[int | str]]", known)
    last = stretches[-1]
    if signature or last[1]:
        stretches.append([len(text), signature])
    else:
        last[0] = cast("int", last[0]) + len(text)


def stretches(text: str, meta: Mapping[str, object]) -> list[tuple[str, str]]:
    """A text as the parts it came in, each with its signature or none.

    A text that is no longer as it came, such as one with a secret taken out, has none.
    """
    plain = [(text, "")] if text else []
    known = meta.get(_KEY)
    if not isinstance(known, list):
        return plain
    found: list[tuple[str, str]] = []
    place = 0
    for one in cast("list[object]", known):
        match one:
            case [int() as length, str() as signature]:
                found.append((text[place : place + length], signature))
                place += length
            case _:
                return plain
    return found if place == len(text) else plain
