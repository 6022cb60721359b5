"""A line being typed: text, cursor and history, changed by keys alone."""

from typing import Literal

from ouroboros.app.text import plain
from ouroboros.faces.cli.prompting.keys import Key
from ouroboros.faces.cli.render.live import Cursor
from ouroboros.faces.cli.render.terminal import Foot
from ouroboros.faces.wording.rows import Row, Span, width

type Typed = Literal["", "enter", "eof"]


class Line:
    """An editor for one message, which may hold several lines."""

    def __init__(self, history: list[str]) -> None:
        """``history`` is shared and appended to by its owner."""
        self.text = ""
        self.cursor = 0
        self._history = history
        self._at = len(history)
        self._draft = ""

    def press(self, key: Key) -> Typed:
        """Takes in a key; says when the message is complete or the person leaves."""
        match key.name:
            case "text" | "paste":
                self._insert(key.text)
            case "newline":
                self._insert("\n")
            case "enter":
                return "enter"
            case "eof" if not self.text:
                return "eof"
            case "eof" | "delete":
                self._cut(self.cursor, self.cursor + 1)
            case "up" | "down":
                self._recall(-1 if key.name == "up" else 1)
            case _:
                self._edit(key.name)
        return ""

    def take(self) -> str:
        """The finished message; the line is empty afterwards."""
        text = self.text
        self.set("")
        self._at = len(self._history)
        self._draft = ""
        return text

    def set(self, text: str) -> None:
        """Replaces what is typed."""
        self.text = text
        self.cursor = len(text)

    def put(self, start: int, text: str) -> None:
        """Puts a text in the place of what stands between ``start`` and the cursor."""
        self._cut(start, self.cursor)
        self._insert(text)

    def foot(self, prompt: str, columns: int, limit: int) -> Foot:
        """The rows to show and where the cursor is; the part around the cursor if it is long."""
        rows: list[str] = [""]
        at = Cursor(0, 0)
        indent = width(prompt)
        room = max(columns - indent - 1, 4)
        for index, character in enumerate(self.text):
            if index == self.cursor:
                at = Cursor(len(rows) - 1, width(rows[-1]))
            shown = plain(character).expandtabs(4) if character != "\n" else ""
            if character == "\n" or width(rows[-1]) + width(shown) > room:
                rows.append("")
            rows[-1] += shown
        if self.cursor == len(self.text):
            at = Cursor(len(rows) - 1, width(rows[-1]))
        first = max(at.row - limit + 1, 0)
        shown_rows: list[Row] = [
            (Span(prompt if number == 0 else " " * indent, "1"), Span(text))
            for number, text in enumerate(rows[first : first + limit], first)
        ]
        return Foot(rows=tuple(shown_rows), cursor=Cursor(at.row - first, at.column + indent))

    def _edit(self, name: str) -> None:
        start = self.text.rfind("\n", 0, self.cursor) + 1
        end = self.text.find("\n", self.cursor)
        end = len(self.text) if end < 0 else end
        match name:
            case "left" | "right":
                step = -1 if name == "left" else 1
                self.cursor = min(max(self.cursor + step, 0), len(self.text))
            case "home":
                self.cursor = start
            case "end":
                self.cursor = end
            case "word_left":
                self.cursor = self._word_start()
            case "word_right":
                rest = self.text[self.cursor :]
                skipped = len(rest) - len(rest.lstrip())
                word = rest.lstrip().partition(" ")[0]
                self.cursor += skipped + len(word)
            case _:
                self._erase(name, start, end)

    def _erase(self, name: str, start: int, end: int) -> None:
        match name:
            case "backspace":
                self._cut(self.cursor - 1, self.cursor)
            case "word":
                self._cut(self._word_start(), self.cursor)
            case "clear":
                self._cut(start, self.cursor)
            case "kill":
                self._cut(self.cursor, end)
            case _:
                pass

    def _insert(self, text: str) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def _cut(self, start: int, end: int) -> None:
        start = max(start, 0)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def _word_start(self) -> int:
        head = self.text[: self.cursor].rstrip()
        return max(head.rfind(" "), head.rfind("\n")) + 1

    def _recall(self, step: int) -> None:
        to = self._at + step
        if not 0 <= to <= len(self._history):
            return
        if self._at == len(self._history):
            self._draft = self.text
        self._at = to
        self.set(self._draft if to == len(self._history) else self._history[to])
