"""The text of the prompt as actions change it: by name, on rows of a given width."""

from collections.abc import Callable
from typing import Literal, cast

from ouroboros.faces.tui.prompt.text.buffer import Buffer, Move
from ouroboros.faces.tui.prompt.text.folds import Folds
from ouroboros.faces.tui.prompt.text.layout import Layout, Width, laid_out
from ouroboros.faces.tui.prompt.vim.machine import Vim

_MOVES = frozenset({
    "left", "right", "word_left", "word_right", "line_start", "line_end", "text_start", "text_end",
})  # fmt: skip
_KILLS: dict[str, Move] = {
    "kill_word_left": "word_left",
    "kill_word_right": "word_right",
    "kill_line_start": "line_start",
    "kill_line_end": "line_end",
}


class Editor:
    """A buffer with long pastes folded, rows, and Vim where that is wanted."""

    def __init__(self, width: Width, *, vim: bool = False) -> None:
        """``width`` tells the cells of a piece of text."""
        self.buffer, self.folds = Buffer(), Folds()
        self.vim = Vim(self.buffer) if vim else None
        self._width, self._cells = width, 80
        self._column: int | None = None
        self._laid: tuple[str, int, Layout] | None = None

    @property
    def text(self) -> str:
        """What stands there, with marks for what is folded."""
        return self.buffer.text

    @property
    def whole(self) -> str:
        """What would be sent."""
        return self.folds.whole(self.buffer.text)

    @property
    def before(self) -> str:
        """The text before the cursor."""
        return self.buffer.text[: self.buffer.cursor]

    def begin(self, text: str = "") -> None:
        """Other text from now on; a long one is folded."""
        self.buffer.begin(self.folds.taken_in(text))
        self._column = None
        if self.vim is not None:
            self.vim.begin()

    def replace(self, text: str) -> None:
        """Other text, which undo takes back."""
        self.buffer.replace_all(self.folds.taken_in(text))

    def paste(self, text: str) -> None:
        """Takes in a text from outside."""
        taken = self.folds.taken_in(text)
        if taken:
            self.buffer.insert(taken)

    def put(self, start: int, text: str) -> None:
        """Puts a text in the place of what stands between ``start`` and the cursor."""
        self.buffer.splice(start, self.buffer.cursor, text)

    def layout(self, cells: int | None = None) -> Layout:
        """The rows of the text."""
        self._cells = cells or self._cells
        text = self.buffer.text
        if self._laid is None or self._laid[:2] != (text, self._cells):
            rows = laid_out(text, self._cells, self._width, self.folds.shown)
            self._laid = (text, self._cells, rows)
        return self._laid[2]

    def act(self, action: str) -> bool:
        """Does what a key is bound to; false where that is no change of the text or cursor."""
        buffer = self.buffer
        if action not in {"previous", "next", "select_up", "select_down"}:
            self._column = None
        if action.removeprefix("select_") in _MOVES:
            move = cast("Move", action.removeprefix("select_"))
            buffer.move(move, select=action != move)
        elif action in _KILLS:
            buffer.kill(_KILLS[action])
        elif action in _SIMPLE:
            _SIMPLE[action](buffer)
        elif action in {"select_up", "select_down"}:
            self.step(-1 if action == "select_up" else 1, select=True)
        else:
            return False
        return True

    def step(self, by: Literal[-1, 1], *, select: bool = False) -> bool:
        """A row up or down, in the column where that began; false over the edge."""
        layout, at = self.layout(), self.buffer.cursor
        row = layout.row_of(at)
        if self._column is None:
            self._column = layout.column_of(at)
        if not 0 <= row + by < len(layout.rows):
            return False
        column = self._column
        self.buffer.go(layout.place(row + by, column), select=select)
        self._column = column
        return True


_SIMPLE: dict[str, Callable[[Buffer], object]] = {
    "select_all": Buffer.select_all,
    "delete_left": lambda buffer: buffer.delete("left"),
    "delete_right": lambda buffer: buffer.delete("right"),
    "yank": Buffer.yank,
    "yank_earlier": Buffer.yank_earlier,
    "undo": Buffer.undo,
    "redo": Buffer.redo,
    "newline": lambda buffer: buffer.insert("\n"),
}
