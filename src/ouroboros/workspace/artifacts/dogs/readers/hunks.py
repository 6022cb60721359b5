"""The lines of a diff, with numbers or without. Pure."""

import re
from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Hunk, Sign
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken

HEADER = re.compile(r"^@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@| ?\.\.\. ?@@|(?= |$|@))(.*)$")
_NO_END = "\\ No newline at end of file"


class Gathered:
    """One hunk while its lines come in; ``left`` counts what its header still promises."""

    def __init__(self, line: int, found: re.Match[str] | None = None) -> None:
        """``line`` counts from 1; ``found`` is a match of ``HEADER``."""
        self.line = line
        self.start = int(found[1]) if found and found[1] else 0
        self.is_counted = bool(found and found[1])
        self.is_of_nothing = bool(found and (found[1], found[2]) == ("0", "0"))
        self.left = [0, 0]
        self.anchor = _anchor(found[5]) if found else ""
        if found and found[1]:
            old, new = (int(count) if count else 1 for count in (found[2], found[4]))
            self.left = [old, new]
            self.start += 0 if old else 1  # an empty side stands behind the line it names
        self.lines: list[tuple[Sign, str]] = []
        self.old_open = self.new_open = False

    @property
    def is_full(self) -> bool:
        """Whether all that its header promises is there."""
        return self.is_counted and max(self.left) <= 0

    def add(self, text: str, number: int) -> None:
        """Takes one line of a diff.

        Raises:
            BlockBroken: It is none.
        """
        text = text.removesuffix("\r")
        if text.startswith("\\"):
            self._end(number)
            return
        sign = text[:1] or " "
        if sign == "\t":
            sign, text = " ", f" {text}"
        if sign == " ":
            self._count(1, 1)
            self.lines.append((" ", text[1:]))
        elif sign == "-":
            self._count(1, 0)
            self.lines.append(("-", text[1:]))
        elif sign == "+":
            self._count(0, 1)
            self.lines.append(("+", text[1:]))
        else:
            raise BlockBroken("a line of a diff begins with a blank, - or +", line=number)

    def _count(self, old: int, new: int) -> None:
        self.left = [self.left[0] - old, self.left[1] - new]

    def _end(self, number: int) -> None:
        if not self.lines:
            raise BlockBroken(f"'{_NO_END}' stands behind no line", line=number)
        sign = self.lines[-1][0]
        self.old_open = self.old_open or sign != "+"
        self.new_open = self.new_open or sign != "-"

    def hunk(self) -> Hunk:
        """All of it, without blank lines at its borders that its header does not count."""
        lines = list(self.lines)
        if not self.is_counted or self.left[0] < 0:
            spare = -self.left[0] if self.is_counted else len(lines)
            while lines and lines[-1] == (" ", "") and spare > 0:
                lines.pop()
                spare -= 1
        while not self.is_counted and lines and lines[0] == (" ", ""):
            lines.pop(0)
        return Hunk(
            lines=tuple(lines),
            start=self.start,
            line=self.line,
            old_open=self.old_open,
            new_open=self.new_open,
            anchor=self.anchor,
        )


def hunks_of(lines: Sequence[str], first: int) -> tuple[Hunk, ...]:
    """The hunks of a diff's body; heads of files before the first are passed over.

    Args:
        lines: Without the fence.
        first: The number of the first one, from 1.

    Raises:
        BlockBroken: A line is none of a diff, or nothing is changed.
    """
    found: list[Gathered] = []
    for number, line in enumerate(lines, start=first):
        head = HEADER.match(line.removesuffix("\r"))
        if head:
            found.append(Gathered(number, head))
        elif not found and _is_head(line):
            continue
        elif found or line.strip():
            if not found:
                found.append(Gathered(number))
            found[-1].add(line, number)
    made = tuple(hunk for each in found if (hunk := each.hunk()).lines)
    if not any(sign != " " for hunk in made for sign, _ in hunk.lines):
        raise BlockBroken("the diff changes nothing", line=first if lines else first - 1)
    return tuple(hunk for hunk in made if any(sign != " " for sign, _ in hunk.lines))


def as_new(hunks: Sequence[Hunk]) -> str | None:
    """The text of a file that only gets lines; None where lines are kept or taken away."""
    if any(sign != "+" for hunk in hunks for sign, _ in hunk.lines):
        return None
    return "".join(f"{text}\n" for hunk in hunks for _, text in hunk.lines)


def signed(sign: Sign, lines: Sequence[str]) -> list[tuple[Sign, str]]:
    """Lines that all have one sign."""
    return [(sign, line) for line in lines]


def _anchor(words: str) -> str:
    words = words.strip()
    return words.removesuffix("@@").strip() if words != "@@" else ""


def _is_head(line: str) -> bool:
    return line.startswith((
        "--- ",
        "+++ ",
        "diff --git ",
        "index ",
        "new file mode ",
        "deleted file mode ",
        "old mode ",
        "new mode ",
        "similarity index ",
    ))
