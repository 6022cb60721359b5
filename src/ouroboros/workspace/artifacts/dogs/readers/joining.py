"""Blocks of several dialects in one answer, where each is of files of its own. Pure."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ouroboros.workspace.artifacts.dogs.change import Change, Dialect, Refusal, Rename, Request
from ouroboros.workspace.artifacts.dogs.places import plain
from ouroboros.workspace.artifacts.dogs.readers.page import Found

type _Item = Change | Request | Refusal


class _Piece(NamedTuple):
    """The lines of one block, from 0, the end excluded."""

    first: int
    end: int
    dialect: Dialect


def joined(read: Mapping[Dialect, Found]) -> Found | None:
    """All that several readers found; None where they read the same lines, or one file, in two ways."""
    pieces = _outer([_Piece(*span, dialect) for dialect in read for span in read[dialect].spans])
    if pieces is None:
        return None
    starts = [piece.first for piece in pieces]
    made = Found()
    made.spans = [(piece.first, piece.end) for piece in pieces]
    owners: dict[str, Dialect] = {}
    kept: list[tuple[_Item, Dialect]] = []
    for dialect, found in read.items():
        every: list[_Item] = [*found.changes, *found.requests, *found.refusals]
        for each in every:
            before = bisect_left(starts, each.line)
            piece = pieces[before - 1] if before and pieces[before - 1].end >= each.line else None
            if piece is not None and piece.dialect != dialect:
                continue
            if any(owners.setdefault(path, dialect) != dialect for path in _paths(each)):
                return None
            kept.append((each, dialect))
        made.notes += found.notes
    _take(made, kept)
    return made


def _outer(pieces: Sequence[_Piece]) -> list[_Piece] | None:
    """Those that stand in no other, in order; None where two share lines and none holds the other."""
    found: list[_Piece] = []
    for piece in sorted(pieces, key=lambda each: (each.first, -each.end)):
        last = found[-1] if found else None
        if last is None or piece.first >= last.end:
            found.append(piece)
        elif piece.end > last.end or (piece[:2] == last[:2] and piece.dialect != last.dialect):
            return None
    return found


def _paths(item: _Item) -> set[str]:
    if isinstance(item, Request) or not item.path:
        return set()
    return {plain(item.path), plain(item.to)} if isinstance(item, Rename) else {plain(item.path)}


def _take(found: Found, kept: Sequence[tuple[_Item, Dialect]]) -> None:
    """Puts all in the order of the answer, and counts its blocks anew."""
    numbers: dict[tuple[Dialect, int], int] = {}
    for each, dialect in sorted(kept, key=lambda pair: pair[0].line):
        number = numbers.setdefault((dialect, each.block), len(numbers) + 1)
        item = replace(each, block=number)
        match item:
            case Request():
                found.requests.append(item)
            case Refusal():
                found.refusals.append(item)
            case _:
                found.changes.append(item)
    found.blocks = len(numbers)
