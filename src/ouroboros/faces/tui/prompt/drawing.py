"""The prompt as rows of styled words; pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ouroboros.faces.tui.prompt.editor import Editor
from ouroboros.faces.tui.prompt.menu import Choice, Menu
from ouroboros.faces.wording.rows import Row, Span, crop, row_width, width
from ouroboros.faces.wording.words import one_line

GUTTER = 2
_MOST_MENU = 8
_MOST_WAITING = 3
_NARROW = 60
_MORE = "\N{HORIZONTAL ELLIPSIS}"
"""In the place of the sign: the text has rows above or below that are not shown."""


class Room(NamedTuple):
    """The cells and rows there are, and those that the text may take."""

    columns: int
    lines: int

    @property
    def text_rows(self) -> int:
        """A third of the screen."""
        return max(self.lines // 3, 1)

    @property
    def menu_rows(self) -> int:
        """A list leaves the conversation in sight."""
        return max(min(_MOST_MENU, self.lines // 3), 2)

    @property
    def has_rule(self) -> bool:
        """A line over the prompt is for screens with room for it."""
        return self.lines >= 14


class Words(NamedTuple):
    """What waits to be said: for the model's next step, and for the run's end."""

    soon: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


class Looks(NamedTuple):
    """What is said around the text.

    Attributes:
        sign: Before the text: what kind of line it is.
        label: At the right end of the line over the prompt.
        hint: In the place of a text that is empty.
        cursor: The prompt has the keys.
    """

    sign: str = ">"
    label: str = ""
    hint: str = ""
    cursor: bool = True


def waiting_rows(words: Words, room: Room) -> list[Row]:
    """Words that are not said yet, the next first."""
    most = _MOST_WAITING if room.lines >= 14 else 1
    all_words = [("next step", text) for text in words.soon]
    all_words += [(f"after the run, {at}", text) for at, text in enumerate(words.later, 1)]
    rows: list[Row] = []
    for what, text in all_words[:most]:
        line = (Span(f"  {what}: ", "waiting"), Span(one_line(text, 400), "waiting"))
        rows.append(crop(line, room.columns))
    if len(all_words) > most:
        rows.append((Span(f"  and {len(all_words) - most} more", "waiting"),))
    return rows


def menu_rows(menu: Menu, room: Room) -> list[Row]:
    """A list with the chosen line marked."""
    shown = menu.window(room.menu_rows)
    names = max((width(_looks(menu.choices[at], room)) for at in shown), default=0)
    names = min(names, max(room.columns * 2 // 5, 12))
    rows: list[Row] = []
    for at in shown:
        choice, is_chosen = menu.choices[at], at == menu.at
        style = "chosen" if is_chosen else "choice"
        looks = crop(
            (Span(_looks(choice, room), style),), names if choice.meaning else room.columns - 2
        )
        gap = " " * (names - row_width(looks) + 2) if choice.meaning else ""
        mark = Span("> " if is_chosen else "  ", style)
        meaning = Span(f"{gap}{choice.meaning}", "chosen_meaning" if is_chosen else "meaning")
        rows.append(crop((mark, *looks, meaning), room.columns))
    if len(menu.choices) > len(shown):
        count = f"  {menu.at + 1} of {len(menu.choices)}"
        rows.append(crop((Span(count, "meaning"),), room.columns))
    return rows


def _looks(choice: Choice, room: Room) -> str:
    """A name; how a command is written on, where there is room for that."""
    is_short = room.columns < _NARROW and choice.meaning
    return choice.looks.partition(" ")[0] if is_short else choice.looks


def rule(label: str, room: Room) -> Row:
    """The line over the prompt, with what there is to say at its right end."""
    if not label:
        return (Span("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * room.columns, "rule"),)
    shown = crop((Span(f" {label} ", "label"),), room.columns)
    left = max(room.columns - row_width(shown) - 1, 0)
    bar = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
    return crop((Span(bar * left, "rule"), *shown, Span(bar, "rule")), room.columns)


def text_rows(editor: Editor, looks: Looks, room: Room, first: int) -> tuple[list[Row], int]:
    """The rows of the text that fit, and which one is the first of them now."""
    layout = editor.layout(max(room.columns - GUTTER - 1, 2))
    at = layout.row_of(editor.buffer.cursor)
    most = room.text_rows
    first = min(max(first, at - most + 1, 0), at, max(len(layout.rows) - most, 0))
    if not editor.text and looks.hint:
        return [_empty(looks, room)], 0
    rows: list[Row] = []
    last = min(first + most, len(layout.rows)) - 1
    for number in range(first, last + 1):
        is_cut = number == first or (number == last and last + 1 < len(layout.rows))
        sign = looks.sign if number == 0 else _MORE if is_cut else " "
        spans = _spans(editor, number, cursor=looks.cursor and number == at)
        rows.append((Span(f"{sign:<{GUTTER}}", "sign"), *spans))
    return rows, first


def _empty(looks: Looks, room: Room) -> Row:
    sign = Span(f"{looks.sign:<{GUTTER}}", "sign")
    if not looks.cursor:
        return crop((sign, Span(looks.hint, "hint")), room.columns)
    under = Span(looks.hint[:1], "cursor")
    return crop((sign, under, Span(looks.hint[1:], "hint")), room.columns)


def _spans(editor: Editor, number: int, *, cursor: bool) -> Iterator[Span]:
    buffer, row = editor.buffer, editor.layout().rows[number]
    start, end = buffer.selection
    for piece in row.pieces:
        style = "mark" if editor.folds.is_mark(buffer.text[piece.start : piece.end]) else "text"
        if start <= piece.start < end:
            style = "selected"
        if cursor and piece.start == buffer.cursor:
            style = "cursor"
        yield Span(piece.looks, style)
    if cursor and buffer.cursor == row.end and not _is_in(row.pieces, buffer.cursor):
        yield Span(" ", "cursor")


def _is_in(pieces: Sequence[tuple[int, int, str, int]], at: int) -> bool:
    return any(piece[0] == at for piece in pieces)


class Picture:
    """All rows as they were drawn last, and places in them."""

    def __init__(self) -> None:
        """Nothing is drawn yet."""
        self.rows: list[Row] = []
        self._first = self._above = self._menu = 0
        self._room = Room(80, 24)

    def draw(
        self, editor: Editor, menu: Menu | None, words: Words, looks: Looks, room: Room
    ) -> bool:
        """Draws anew; true where there are more or fewer rows than before."""
        before = len(self.rows)
        above = waiting_rows(words, room)
        self._menu, self._room = len(above), room
        if menu is not None:
            above += menu_rows(menu, room)
        if room.has_rule or looks.label:
            above.append(rule(looks.label, room))
        text, self._first = text_rows(editor, looks, room, self._first)
        self.rows, self._above = above + text, len(above)
        return len(self.rows) != before

    def cursor(self, editor: Editor) -> tuple[int, int]:
        """Column and row of the cursor."""
        layout, at = editor.layout(), editor.buffer.cursor
        row = self._above + layout.row_of(at) - self._first
        return GUTTER + layout.column_of(at), row

    def choice(self, menu: Menu, row: int) -> int | None:
        """The choice of the list that is shown there; None where none is."""
        shown = menu.window(self._room.menu_rows)
        at = row - self._menu
        return shown[at] if 0 <= at < len(shown) else None

    def place(self, editor: Editor, column: int, row: int) -> int | None:
        """The place of the text that is shown there; None where none is."""
        if row < self._above:
            return None
        line = self._first + row - self._above
        return editor.layout().place(line, max(column - GUTTER, 0))
