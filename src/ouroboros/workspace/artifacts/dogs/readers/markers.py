"""Files between markers with a dog, a cat or a chain, as PAWS has them. Pure."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Request
from ouroboros.workspace.artifacts.dogs.readers.bodies import Block, in_markers
from ouroboros.workspace.artifacts.dogs.readers.page import (
    BlockBroken,
    Found,
    Named,
    Wish,
    before_dashes,
    named,
)
from ouroboros.workspace.artifacts.fenced import Fence, fence_of

_MARKER = re.compile(
    r"[^\w\s-]{0,8}\s*-{3,}\s*(DOGS|CATS|RSI_LINK)_(START|END)_FILE\b", re.IGNORECASE
)
_LIKE_ONE = re.compile(
    r"[^\w\s-]{0,8}\s*-+\s*(DOGS|CATS|RSI_LINK)_(START|END)_FILE\b", re.IGNORECASE
)

_BASE64 = re.compile(r"# Format: ?Base64\b", re.IGNORECASE)
"""Before the first block: the text of every one is base64, as the oldest bundles had it."""


_KINDS = (False, True)
"""Those of a dog or cat, and those of a chain."""


class _Marker(NamedTuple):
    number: int
    is_chain: bool
    is_start: bool
    named: Named

    def ends(self, start: "_Marker") -> bool:
        """Whether it is the end of the block that ``start`` begins; old ones name no path."""
        return not self.is_start and self.named.path in {"", start.named.path}


def is_sign(line: str) -> bool:
    """Whether a line begins a block."""
    found = _marker(line, 0)
    return found is not None and found.is_start


def _marker(line: str, number: int) -> _Marker | None:
    if "_FILE" not in line.upper():
        return None
    bare = line.strip()
    found = _MARKER.match(bare)
    rest = before_dashes(bare[found.end() :]) if found else None
    if found is None or rest is None or (rest and not rest.startswith(":")):
        return None
    is_chain = found[1].upper() == "RSI_LINK"
    return _Marker(number, is_chain, found[2].upper() == "START", named(rest[1:]))


class MarkerBlocks:
    """Reads the blocks of the kind that is wished for; those of the other kind are left alone, and told."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self._lines, self._wish = lines, wish
        self._left = 0
        every = [made for number, line in enumerate(lines) if (made := _marker(line, number))]
        self._of_kind = {kind: [each for each in every if each.is_chain == kind] for kind in _KINDS}
        self._numbers = {
            kind: [each.number for each in markers] for kind, markers in self._of_kind.items()
        }
        self._closers = {
            kind: self._fences_at_ends(markers) for kind, markers in self._of_kind.items()
        }
        numbers = self._numbers[wish.rsi_link]
        head = lines[: numbers[0]] if numbers else ()
        self._is_base64 = any(_BASE64.match(line) for line in head)

    def _fences_at_ends(
        self, markers: Sequence[_Marker]
    ) -> dict[str, list[tuple[int, Fence, _Marker]]]:
        """Bare fences that stand right before an end marker, by the path that it names."""
        found: dict[str, list[tuple[int, Fence, _Marker]]] = defaultdict(list)
        for marker in markers:
            above = marker.number - 1
            while above >= 0 and not self._lines[above].strip():
                above -= 1
            is_behind = above >= 0 and not marker.is_start
            fence = fence_of(self._lines[above].lstrip(" ")) if is_behind else None
            if fence is not None and not fence.words:
                found[marker.named.path].append((above, fence, marker))
        return found

    def begins(self, number: int) -> bool:
        """Whether a block of either kind begins in a line."""
        return is_sign(self._lines[number])

    def is_like_one(self, number: int) -> bool:
        """Whether a line is no beginning of a block, but an end, or nearly a marker."""
        line = self._lines[number]
        return "_FILE" in line.upper() and _LIKE_ONE.match(line.strip()) is not None

    def step(self, number: int) -> int:
        """Reads from a line outside of blocks on, and gives the next such line."""
        marker = _marker(self._lines[number], number)
        if marker is None:
            if self.is_like_one(number):
                self.found.begin()
                self._refuse("it looks like a marker, but lacks three - on a side", number)
            return number + 1
        if marker.is_chain != self._wish.rsi_link:
            self._left += marker.is_start
            end = self._end(marker) if marker.is_start else None
            return number + 1 if end is None or not end.ends(marker) else end.number + 1
        self.found.begin()
        if not marker.is_start:
            self._refuse("an end marker without a start marker", number, marker.named.path)
            return number + 1
        if not marker.named.path:
            self._refuse("a start marker without a path", number)
        return self._block(marker)

    def _block(self, start: _Marker) -> int:
        end = self._end(start)
        if end is not None and end.ends(start):
            self._take(start, end.number)
            self.found.spans.append((start.number, end.number + 1))
            return end.number + 1
        stop = len(self._lines) if end is None else end.number
        why = "the block is cut off: its end marker is missing"
        if end is not None:
            what = "begins before its end marker" if end.is_start else "ends here instead"
            why = f"the block of {end.named.path!r} {what}, in line {end.number + 1}"
        if self._wish.allow_truncated:
            self._take(start, stop)
        else:
            self._refuse(why, start.number, start.named.path)
        after = stop + (end is not None and not end.is_start)
        self.found.spans.append((start.number, after))
        return after

    def _end(self, start: _Marker) -> _Marker | None:
        """The marker that ends a block, or what stands where it should."""
        return self._fenced_end(start) or self._next(start)

    def _next(self, start: _Marker) -> _Marker | None:
        markers = self._of_kind[start.is_chain]
        place = bisect_right(self._numbers[start.is_chain], start.number)
        return markers[place] if place < len(markers) else None

    def _fenced_end(self, start: _Marker) -> _Marker | None:
        """The end of a block whose text stands in a fence, whatever markers are in the text."""
        first = start.number + 1
        while first < len(self._lines) and not self._lines[first].strip():
            first += 1
        opening = fence_of(self._lines[first]) if first < len(self._lines) else None
        if opening is None:
            return None
        ends: list[_Marker] = []
        for path in {start.named.path, ""}:
            known = self._closers[start.is_chain].get(path, [])
            place = bisect_right(known, first, key=lambda each: each[0])
            for _, fence, marker in known[place:]:
                if fence.closes(opening):
                    ends.append(marker)
                    break
        return min(ends, default=None)

    def _take(self, start: _Marker, end: int) -> None:
        name = start.named
        if not name.path:
            return
        if self._is_base64:
            name = name._replace(is_base64=True)
        first = start.number + 1
        at = Block(self.found.blocks, start.number + 1, first + 1, name)
        try:
            made = in_markers(at, self._lines[first:end])
        except BlockBroken as broken:
            self.found.refuse(BlockBroken(broken.reason, line=broken.line, path=name.path))
            return
        for each in made:
            if isinstance(each, Request):
                self.found.requests.append(each)
            else:
                self.found.changes.append(each)

    def _refuse(self, why: str, number: int, path: str = "") -> None:
        self.found.refuse(BlockBroken(why, line=number + 1, path=path))

    def tell_left(self) -> None:
        """Notes how many blocks of the other kind there are."""
        if not self._left:
            return
        kind = "DOGS_" if self._wish.rsi_link else "RSI_LINK_"
        flag = "" if self._wish.rsi_link else "; `--rsi-link` reads them instead of the others"
        self.found.notes.append(f"{self._left} blocks with {kind} markers were left alone{flag}")
