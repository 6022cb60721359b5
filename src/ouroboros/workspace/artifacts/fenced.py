"""Fences of Markdown around the text of a file: long enough when written, found when read. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RUN = re.compile(r"`+")


class Fence(NamedTuple):
    """A line of at least three backticks or tildes; ``words`` are what follows them."""

    mark: str
    words: str

    def closes(self, opening: "Fence") -> bool:
        """Whether it may end what ``opening`` began."""
        return (
            not self.words
            and self.mark[0] == opening.mark[0]
            and len(self.mark) >= len(opening.mark)
        )


def fence_for(text: str) -> str:
    """Backticks that no line of the text closes."""
    longest = max((len(run[0]) for run in _RUN.finditer(text)), default=0)
    return "`" * max(3, longest + 1)


def fence_of(line: str) -> Fence | None:
    """The fence that a line is."""
    found = _FENCE.match(line)
    words = line[found.end() :].strip() if found else ""
    return None if found is None or "`" in words else Fence(found[1], words)


def closing(lines: Sequence[str], start: int, opening: Fence) -> int | None:
    """The number of the line that ends the body which begins at ``start``; None where none does.

    Fences with words open others inside, as chat windows show them, and each takes a bare one to close.
    """
    depth = 0
    for number in range(start, len(lines)):
        fence = fence_of(lines[number])
        if fence is None or fence.mark[0] != opening.mark[0]:
            continue
        if len(fence.mark) < len(opening.mark):
            continue
        if fence.words:
            depth += 1
        elif depth:
            depth -= 1
        else:
            return number
    return None


def is_left_open(lines: Sequence[str]) -> bool:
    """Whether a fence in these lines is opened and not closed."""
    opening: Fence | None = None
    for line in lines:
        fence = fence_of(line)
        if fence is None:
            continue
        if opening is None:
            opening = fence
        elif fence.closes(opening):
            opening = None
    return opening is not None


def unwrapped(lines: Sequence[str]) -> tuple[Fence, int, int] | None:
    """The fence that is around all of these lines, blank ones apart, and where its body is."""
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None or (fence := fence_of(lines[first])) is None:
        return None
    end = closing(lines, first + 1, fence)
    if end is None or any(line.strip() for line in lines[end + 1 :]):
        return None
    return fence, first + 1, end


def outdented(lines: Sequence[str], width: int) -> list[str]:
    """Lines without so many blanks, or all that they have, before them."""
    blanks = " " * width
    return [line[width:] if line.startswith(blanks) else line.lstrip(" ") for line in lines]
