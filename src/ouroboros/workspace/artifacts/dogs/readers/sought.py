"""SEARCH and REPLACE between rows of angle brackets, for one file. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Hunk
from ouroboros.workspace.artifacts.dogs.readers.hunks import signed
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken

HEAD = re.compile(r"(?:<{5,9} ?(?i:SEARCH|ORIGINAL)|-{5,9} ?SEARCH)>?(?=\s|$)(.*)$", re.DOTALL)
MIDDLE = re.compile(r"^={5,9}\s*$")
TAIL = re.compile(r"^(?:>{5,9} ?(?i:REPLACE|UPDATED)|\+{5,9} ?REPLACE)\s*$")


class Pair(NamedTuple):
    """One block: its hunk, or the text of a file that is not there yet."""

    hunk: Hunk
    new: str | None


def is_sought(lines: Sequence[str]) -> bool:
    """Whether lines begin and end as such blocks do."""
    shown = [line for line in lines if line.strip()]
    return bool(shown) and bool(HEAD.match(shown[0])) and bool(TAIL.match(shown[-1]))


def sought(lines: Sequence[str], first: int) -> list[Pair]:
    """All blocks of these lines; what stands between them is passed over.

    Raises:
        BlockBroken: One is cut off, nested, or has more than one middle.
    """
    found: list[Pair] = []
    number = 0
    while number < len(lines):
        if HEAD.match(lines[number]):
            end = block_end(lines, number, first)
            found.append(pair(lines[number : end + 1], first + number))
            number = end
        number += 1
    return found


def block_end(lines: Sequence[str], start: int, first: int) -> int:
    """The number of the line that ends the block which begins at ``start``; raises ``BlockBroken``."""
    for number in range(start + 1, len(lines)):
        if HEAD.match(lines[number]):
            raise BlockBroken("a SEARCH begins inside of another", line=first + number)
        if TAIL.match(lines[number]):
            return number
    raise BlockBroken("the SEARCH block is cut off: no REPLACE line ends it", line=first + start)


def pair(lines: Sequence[str], first: int) -> Pair:
    """One block from its SEARCH line to its REPLACE line; raises ``BlockBroken``."""
    middles = [number for number, line in enumerate(lines) if MIDDLE.match(line)]
    if len(middles) != 1:
        why = "has no ======= line" if not middles else "has several ======= lines"
        raise BlockBroken(f"the SEARCH block {why}", line=first)
    old = [line.removesuffix("\r") for line in lines[1 : middles[0]]]
    new = [line.removesuffix("\r") for line in lines[middles[0] + 1 : -1]]
    if not any(line.strip() for line in old):
        return Pair(Hunk(lines=(), line=first), "".join(f"{line}\n" for line in new))
    both = (*signed("-", old), *signed("+", new))
    return Pair(Hunk(lines=both, line=first, is_loose=True), None)
