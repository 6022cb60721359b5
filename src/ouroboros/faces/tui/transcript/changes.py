"""A unified diff as rows: numbered, coloured by language, one below the other or side by side."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from msgspec import Struct

from ouroboros.faces.tui.transcript.colouring import coloured
from ouroboros.faces.tui.transcript.look import FAINT, Look, filled
from ouroboros.faces.wording.rows import BOLD, GREEN, RED, Row, Span, row, row_width

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_TAB = 4
_DRAWN = 2_000
_SIGN_STYLE = {"+": f"{GREEN};added", "-": f"{RED};removed"}
_BACK = {"+": "added", "-": "removed"}


class Line(Struct, frozen=True, kw_only=True):
    """A line of a change: its sign, its numbers (0 for none), its text."""

    sign: str
    text: str
    old: int = 0
    new: int = 0


class Part(Struct, frozen=True, kw_only=True):
    """A file of a diff with its lines; a line with the sign ``@`` begins a hunk."""

    name: str
    lines: tuple[Line, ...]


def parts(diff: str, most: int = _DRAWN) -> list[Part]:
    """The files of a unified diff, of its first ``most`` lines; what is no diff has no name."""
    found: list[Part] = []
    name, pending, lines, at = "", "", list[Line](), _Place()
    for text in diff.rstrip("\n").split("\n")[:most]:
        hunk = _HUNK.match(text)
        if at.is_over and text.startswith(("--- ", "diff ")):
            if lines:
                found.append(Part(name=name, lines=tuple(lines)))
                lines = []
            pending = _name(text[4:]) if text.startswith("--- ") else ""
        elif text.startswith("+++ ") and not lines:
            name = _name(text[4:])
            name = pending if name == "/dev/null" else name
        elif hunk:
            at = _Place.of(hunk)
            lines.append(Line(sign="@", text=hunk[5], old=at.old, new=at.new))
        elif lines:
            lines.append(at.read(text))
    if lines:
        found.append(Part(name=name, lines=tuple(lines)))
    return found


class _Place(Struct, kw_only=True):
    """The next line's numbers, and how many lines of each side the hunk still has."""

    old: int = 0
    new: int = 0
    old_left: int = 0
    new_left: int = 0

    @staticmethod
    def of(hunk: re.Match[str]) -> "_Place":
        """The beginning of a hunk; a count that is left out is 1."""
        olds, news = int(hunk[2] or 1), int(hunk[4] or 1)
        return _Place(old=int(hunk[1]), new=int(hunk[3]), old_left=olds, new_left=news)

    @property
    def is_over(self) -> bool:
        """What follows is no line of a hunk: ``--- `` begins a file, and removes no line ``-- ``."""
        return self.old_left <= 0 and self.new_left <= 0

    def read(self, text: str) -> Line:
        """A line of the hunk; the place moves past it."""
        line = _line(text, self.old, self.new)
        if line.sign in " -":
            self.old, self.old_left = self.old + 1, self.old_left - 1
        if line.sign in " +":
            self.new, self.new_left = self.new + 1, self.new_left - 1
        return line


def change_rows(diff: str, look: Look, limit: int, *, is_brief: bool = False) -> list[Row]:
    """The rows of a diff, at most so many; a brief one begins with the first line that changed."""
    rows: list[Row] = []
    found = parts(diff, max(limit, _DRAWN))
    found = [_from_change(found[0]), *found[1:]] if found and is_brief else found
    for part in found:
        if len(found) > 1 or (part.name and not is_brief):
            rows.append(row(f"{part.name}", BOLD))
        rows += _beside(part, look) if look.is_beside else _below(part, look)
    if len(rows) > limit:
        more = len(rows) - limit
        rows = [*rows[:limit], row(f"… {more:,} more rows", FAINT)]
    return rows


def _from_change(part: Part) -> Part:
    first = next((at for at, line in enumerate(part.lines) if line.sign in "+-"), 0)
    return Part(name=part.name, lines=part.lines[first:])


def _name(text: str) -> str:
    name = text.partition("\t")[0].strip()
    return name if name == "/dev/null" else re.sub(r"\A[ab]/", "", name)


def _line(text: str, old: int, new: int) -> Line:
    sign = text[:1]
    if sign == "+":
        return Line(sign="+", text=text[1:], new=new)
    if sign == "-":
        return Line(sign="-", text=text[1:], old=old)
    if sign in {"", " "}:
        return Line(sign=" ", text=text[1:], old=old, new=new)
    return Line(sign="\\", text=text)


def _painted(part: Part) -> list[Row]:
    """Every line in the colours of its language, the old and the new side each read as a whole."""
    texts = [line.text.expandtabs(_TAB) for line in part.lines]
    rows: list[Row] = [(Span(text),) for text in texts]
    for signs in (" -", " +"):
        places = [at for at, line in enumerate(part.lines) if line.sign in signs]
        for at, painted in zip(
            places, coloured([texts[at] for at in places], part.name), strict=True
        ):
            rows[at] = painted
    return rows


def _digits(part: Part) -> int:
    return len(str(max((max(line.old, line.new) for line in part.lines), default=0)))


def _below(part: Part, look: Look) -> list[Row]:
    digits = _digits(part)
    rows: list[Row] = []
    for line, painted in zip(part.lines, _painted(part), strict=True):
        rows.append(_numbered(line, painted, digits, look.columns))
    return rows


def _numbered(line: Line, painted: Row, digits: int, columns: int) -> Row:
    if line.sign in "@\\":
        return row(
            f"{'':>{digits}} {line.sign}{line.sign if line.sign == '@' else ''} {line.text}"[
                :columns
            ],
            "36",
        )
    back = _BACK.get(line.sign, "")
    number = line.new or line.old
    gutter = Span(f"{number:>{digits}} ", f"{FAINT};{back}")
    sign = Span(f"{line.sign} ", _SIGN_STYLE.get(line.sign, ""))
    body = tuple(Span(span.text, f"{span.style};{back}") for span in painted)
    return filled((gutter, sign, *body), columns, back)


def _beside(part: Part, look: Look) -> list[Row]:
    half = (look.columns - 3) // 2
    digits = _digits(part)
    edge = Span(" │ ", FAINT)
    rows: list[Row] = []
    for left, right in _pairs(part):
        if left is not None and left[0].sign in "@\\":
            rows.append(_numbered(*left, digits, look.columns))
            continue
        sides = [
            _numbered(*side, digits, half) if side is not None else (Span(" " * half),)
            for side in (left, right)
        ]
        rows.append((*sides[0], edge, *sides[1]))
    return [
        line if row_width(line) <= look.columns else filled(line, look.columns, "") for line in rows
    ]


type _Side = tuple[Line, Row]


def _pairs(part: Part) -> Iterator[tuple[_Side | None, _Side | None]]:
    """Lines as they stand beside each other: what was taken away with what came in its place."""
    gone: list[_Side] = []
    come: list[_Side] = []
    for line, painted in zip(part.lines, _painted(part), strict=True):
        if line.sign == "-" and not come:
            gone.append((line, painted))
            continue
        if line.sign == "+":
            come.append((line, painted))
            continue
        yield from zip_longest(gone, come)
        gone, come = [], []
        if line.sign == "-":
            gone.append((line, painted))
        elif line.sign == " ":
            old = Line(sign=" ", text=line.text, old=line.old)
            yield (old, painted), (Line(sign=" ", text=line.text, new=line.new), painted)
        else:
            yield (line, painted), None
    yield from zip_longest(gone, come)
