"""Replacing one piece of a text by another, strictly."""

from bisect import bisect_right

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.workspace.ranges import Lines, standing

_SHOWN_LINES = 5


class Replacement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One wanted change."""

    old_text: str
    new_text: str
    replace_all: bool = False


class Draft:
    """A text on its way through several changes, which remembers where they stand."""

    def __init__(self, text: str) -> None:
        """``text`` is as it was."""
        self.text = text
        self._spans: list[tuple[int, int]] = []

    @property
    def ranges(self) -> list[Lines]:
        """The lines of each replacement in the text as it is now, in the order they were made."""
        return standing(self.text, self._spans)

    def is_idle(self, change: Replacement) -> bool:
        """Whether old and new text are the same."""
        old, new = _fitted(self.text, change)
        return old == new and bool(old)

    def replace(self, change: Replacement) -> None:
        """Makes one change; line ends of a CRLF text are kept and need not be spelled.

        Raises:
            ToolFailed: The old text is empty, not found, found more than once, or equal to the new.
        """
        old, new = _fitted(self.text, change)
        if not old:
            raise ToolFailed("old_text is empty; use write to make or overwrite a whole file")
        if old == new:
            raise ToolFailed("old_text and new_text are identical; nothing would change")
        count = self.text.count(old)
        if count == 0:
            raise ToolFailed(
                f"old_text was not found{_hint(self.text, old)}; "
                "read the file again and copy it exactly"
            )
        if count > 1 and not change.replace_all:
            raise ToolFailed(
                f"old_text was found {count} times (lines {_lines(self.text, old)}); "
                "add context to make it unique or set replace_all"
            )
        size = len(self.text) + count * (len(new) - len(old))
        if size > WRITE_BYTES:
            raise ToolFailed(
                f"the text would grow to {size} characters; the limit is {WRITE_BYTES}"
            )
        self._move(old, new)
        self.text = self.text.replace(old, new)

    def _move(self, old: str, new: str) -> None:
        """Notes where the new text will stand, and moves what stands behind it."""
        ends: list[int] = []
        position = self.text.find(old)
        while position >= 0:
            ends.append(position + len(old))
            position = self.text.find(old, ends[-1])
        growth = len(new) - len(old)

        def moved(offset: int) -> int:
            passed = bisect_right(ends, offset)
            is_inside = passed < len(ends) and offset > ends[passed] - len(old)
            within = min(offset, ends[passed] - len(old) + len(new)) if is_inside else offset
            return within + passed * growth

        self._spans = [(moved(start), moved(end)) for start, end in self._spans]
        self._spans += [
            (end - len(old) + passed * growth, end + (passed + 1) * growth)
            for passed, end in enumerate(ends)
        ]


def _fitted(text: str, change: Replacement) -> tuple[str, str]:
    old, new = change.old_text, change.new_text
    if "\r\n" not in text:
        return old, new
    windows = _windows(old), _windows(new)
    is_mixed = text.count("\n") != text.count("\r\n")
    return (old, new) if is_mixed and old in text else windows


def _windows(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _lines(text: str, old: str) -> str:
    numbers: list[str] = []
    position = text.find(old)
    while position >= 0 and len(numbers) < _SHOWN_LINES:
        numbers.append(str(text.count("\n", 0, position) + 1))
        position = text.find(old, position + len(old))
    return ", ".join(numbers) + (", …" if position >= 0 else "")


def _hint(text: str, old: str) -> str:
    """Where the first line stands when only white space is different."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    for number, line in enumerate(text.splitlines(), start=1):
        if first and line.strip() == first:
            return f" (its first line is line {number}, apart from white space or what follows)"
    return ""
