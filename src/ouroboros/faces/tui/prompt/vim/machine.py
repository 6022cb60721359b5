"""Vim's Normal, Insert and Visual over a buffer: a machine that keys go into."""

from typing import Literal

from ouroboros.faces.tui.prompt.text import clusters, words
from ouroboros.faces.tui.prompt.text.buffer import Buffer
from ouroboros.faces.tui.prompt.vim import motions
from ouroboros.faces.tui.prompt.vim.registers import Register, join

type VimMode = Literal["insert", "normal", "visual", "lines"]
type Pressed = Literal["", "taken", "previous", "next"]
"""What became of a key: not Vim's, done, or over the first or last line: what was typed before or after."""

_OPERATORS = "dcy"
_FINDS = "fFtT"
_MOST = 9_999
_SAME = {
    "D": "d$", "C": "c$", "x": "dl", "X": "dh", "s": "cl", "S": "cc", "Y": "yy", "delete": "dl",
}  # fmt: skip


class Vim:
    """The modes and what of a command was pressed so far."""

    def __init__(self, buffer: Buffer) -> None:
        """Begins in Insert."""
        self.mode: VimMode = "insert"
        self._buffer = buffer
        self._keys: list[str] = []
        self._register = Register()
        self._find: motions.Find | None = None
        self._change: list[str] = []
        self._typed = ""
        self._began: tuple[str, str] | None = None
        self._is_repeating = False
        self._start = 0

    @property
    def pending(self) -> str:
        """The keys of a command that is not whole yet."""
        return "".join(self._keys)

    @property
    def told(self) -> str:
        """The mode that is not Insert, and what of a command was pressed."""
        names = {"insert": "", "normal": "NORMAL", "visual": "VISUAL", "lines": "VISUAL LINE"}
        return f"{names[self.mode]} {self.pending}".strip()

    def begin(self) -> None:
        """An empty line: typing goes in at once."""
        self._leave_insert()
        self._keys = []
        self.mode = "insert"
        self._enter_insert()

    def press(self, key: str) -> Pressed:
        """Takes in a key: a character as itself, others by name."""
        if self.mode == "insert":
            if key != "escape":
                return ""
            self._leave_insert()
            self.mode = "normal"
            at = self._buffer.cursor
            self._go(max(clusters.before(self._buffer.text, at), self._line_start))
            return "taken"
        if key == "escape":
            return self._escape()
        if len(key) > 1 and key not in {
            "ctrl+r", "left", "right", "backspace", "delete", "space", "home", "end",
        }:  # fmt: skip
            self._keys = []
            return ""
        self._keys.append({"space": " ", "home": "0", "end": "$"}.get(key, key))
        return self._perform()

    def _escape(self) -> Pressed:
        was_busy = bool(self._keys) or self.mode != "normal"
        self._keys = []
        if self.mode != "normal":
            self.mode = "normal"
            self._go(self._buffer.cursor)
        return "taken" if was_busy else ""

    def _perform(self) -> Pressed:
        """Does what the keys say, once they say something whole."""
        count, keys = _counted(self._keys)
        if not keys:
            return "taken"
        number = max(count, 1)
        if self.mode in {"visual", "lines"}:
            done = self._in_visual(keys, number)
        elif keys[0] in _OPERATORS and len(keys[0]) == 1:
            done = self._operate(keys[0], keys[1:], number)
        else:
            done = self._command(keys, number, is_given=count > 0)
        if done == "more":
            return "taken"
        self._keys = []
        return done

    def _command(self, keys: list[str], count: int, *, is_given: bool) -> Pressed | Literal["more"]:
        key = keys[0]
        if key in _SAME:
            return self._again(list(_SAME[key]), count)
        if key in {"i", "a", "I", "A", "o", "O"}:
            self._note()
            self._begin_insert(key)
            return "taken"
        if key in {"v", "V"}:
            self.mode = "visual" if key == "v" else "lines"
            self._start = self._buffer.cursor
            self._select()
            return "taken"
        if key == "r":
            return self._replace(keys[1:], count)
        if key in {"p", "P", "~", "J", ".", "u", "ctrl+r"}:
            self._edit(key, count)
            return "taken"
        return self._move(keys, count, is_given=is_given)

    def _edit(self, key: str, count: int) -> None:
        buffer = self._buffer
        match key:
            case "u" | "ctrl+r":
                for _ in range(min(count, _MOST)):
                    if not (buffer.undo() if key == "u" else buffer.redo()):
                        break
                self._go(buffer.cursor)
                return
            case ".":
                self._repeat(count)
                return
            case "p" | "P":
                self._go(self._register.put(buffer, min(count, 100), after=key == "p"))
            case "~":
                start, end = buffer.cursor, self._forward(count)
                if start != end:
                    buffer.splice(start, end, buffer.text[start:end].swapcase())
                    self._go(end)
            case _:
                self._go(join(buffer, min(max(count - 1, 1), _MOST)))
        self._note()

    def _move(self, keys: list[str], count: int, *, is_given: bool) -> Pressed | Literal["more"]:
        found = self._target(keys, count, is_given=is_given)
        if found == "more":
            return "more"
        if found is None:
            edge: dict[str, Pressed] = {"j": "next", "k": "previous"}
            return edge.get(keys[0], "taken") if self.mode == "normal" else "taken"
        self._go(found.at)
        if self.mode in {"visual", "lines"}:
            self._select()
        return "taken"

    def _target(
        self, keys: list[str], count: int, *, is_given: bool
    ) -> motions.Target | None | Literal["more"]:
        """Where the keys of a motion lead to; ``more`` while one is missing."""
        text, at, key = self._buffer.text, self._buffer.cursor, keys[0]
        if key in _FINDS:
            if len(keys) == 1:
                return "more"
            self._find = motions.Find(key, keys[1])
            return motions.found(text, at, self._find, count)
        if key in {";", ","} and self._find is not None:
            find = self._find if key == ";" else self._find.reversed
            return motions.found(text, at, find, count, again=True)
        if key == "g":
            if len(keys) == 1:
                return "more"
            key = "gg" if keys[1] == "g" else ""
        if key == "G" and is_given and count == 1:
            key = "gg"
        return motions.target(text, at, key, count)

    def _operate(self, operator: str, keys: list[str], count: int) -> Pressed | Literal["more"]:
        more, keys = _counted(keys)
        if not keys:
            return "more"
        is_given = more > 0 or count > 1
        count *= max(more, 1)
        if keys[0] == operator:
            found = motions.target(self._buffer.text, self._line_start, "j", count - 1)
            at = found.at if found else (len(self._buffer.text) if count > 1 else self._line_start)
            return self._apply(operator, self._line_start, at, "lines")
        if keys[0] in {"i", "a"}:
            if len(keys) == 1:
                return "more"
            span = motions.taken(
                self._buffer.text, self._buffer.cursor, keys[1], whole=keys[0] == "a"
            )
            return "taken" if span is None else self._apply(operator, *span, "up to")
        if operator == "c" and keys[0] in {"w", "W"} and self._is_on_word():
            keys = ["e" if keys[0] == "w" else "E"]
            return self._change_word(keys[0], count)
        found = self._target(keys, count, is_given=is_given)
        if found == "more" or found is None:
            return "more" if found == "more" else "taken"
        at = found.at
        if keys[0] in {"w", "W"}:
            # The last word of a line does not take the next line along.
            last = words.line_end(self._buffer.text, self._buffer.cursor)
            at = min(at, last) if count == 1 else at
        return self._apply(operator, self._buffer.cursor, at, found.span)

    def _change_word(self, key: str, count: int) -> Pressed:
        """To the end of this word, which is a move of none where it is one character long."""
        at, kind = self._buffer.cursor, words.small if key == "e" else words.big
        for _ in range(count):
            at = words.right(self._buffer.text, at, kind)
        return self._apply("c", self._buffer.cursor, at, "up to")

    def _apply(self, operator: str, one: int, other: int, span: motions.Span) -> Pressed:
        buffer, text = self._buffer, self._buffer.text
        start, end = min(one, other), max(one, other)
        if span == "lines":
            start, end = words.line_start(text, start), words.line_end(text, end)
        elif span == "with":
            end = clusters.after(text, end) if end < len(text) else end
        self._register = Register(text[start:end], is_lines=span == "lines")
        self._note(is_change=operator != "y")
        match operator:
            case "y":
                self._go(start if span != "lines" else min(buffer.cursor, one))
            case "c":
                self._hold()
                buffer.splice(start, end, "")
                self.mode = "insert"
                self._enter_insert()
            case _:
                if span == "lines":
                    # A line goes with its line break: with the one before it if it is the last.
                    end, start = (end + 1, start) if end < len(text) else (end, max(start - 1, 0))
                buffer.splice(start, end, "")
                first = motions.first_of(buffer.text, min(start, len(buffer.text)))
                self._go(first if span == "lines" else start)
        return "taken"

    def _replace(self, keys: list[str], count: int) -> Pressed | Literal["more"]:
        if not keys:
            return "more"
        start, end = self._buffer.cursor, self._forward(count)
        if len(keys[0]) == 1 and end > start:
            self._note()
            self._buffer.splice(start, end, keys[0] * count)
            self._go(clusters.before(self._buffer.text, self._buffer.cursor))
        return "taken"

    def _in_visual(self, keys: list[str], count: int) -> Pressed | Literal["more"]:
        key = keys[0]
        if key in {"v", "V"}:
            wanted: VimMode = "visual" if key == "v" else "lines"
            self.mode = "normal" if self.mode == wanted else wanted
            self._go(self._buffer.cursor)
            if self.mode != "normal":
                self._select()
            return "taken"
        if key == "o":
            self._start, at = self._buffer.cursor, self._start
            self._go(at)
            self._select()
            return "taken"
        if key in {"d", "c", "y", "x", "s", "~", "delete"}:
            return self._on_selected({"x": "d", "delete": "d", "s": "c"}.get(key, key))
        return self._move(keys, count, is_given=count > 1)

    def _on_selected(self, operator: str) -> Pressed:
        start, end = sorted((self._start, self._buffer.cursor))
        span: motions.Span = "lines" if self.mode == "lines" else "with"
        self.mode = "normal"
        self._go(start)
        if operator == "~":
            end = clusters.after(self._buffer.text, end)
            self._buffer.splice(start, end, self._buffer.text[start:end].swapcase())
            self._go(start)
            return "taken"
        return self._apply(operator, start, end, span)

    def _select(self) -> None:
        """Shows what is selected; the character under the cursor belongs to it."""
        self._buffer.anchor = self._start

    def _begin_insert(self, key: str) -> None:
        buffer = self._buffer
        self._hold()
        match key:
            case "a":
                buffer.go(self._forward(1))
            case "I":
                buffer.go(motions.first_of(buffer.text, buffer.cursor))
            case "A":
                buffer.go(words.line_end(buffer.text, buffer.cursor))
            case "o":
                end = words.line_end(buffer.text, buffer.cursor)
                buffer.splice(end, end, "\n")
            case "O":
                start = self._line_start
                buffer.splice(start, start, "\n")
                buffer.go(start)
            case _:
                pass
        self.mode = "insert"
        self._enter_insert()

    def _hold(self) -> None:
        if not self._is_repeating:
            self._buffer.hold()

    def _enter_insert(self) -> None:
        text, at = self._buffer.text, self._buffer.cursor
        self._began = (text[:at], text[at:])

    def _leave_insert(self) -> None:
        """Notes what was typed, for ``.``; typing elsewhere in between is not repeated."""
        text, self._typed = self._buffer.text, ""
        if self._began is not None:
            head, rest = self._began
            if text.startswith(head) and text.endswith(rest) and len(text) >= len(head + rest):
                self._typed = text[len(head) : len(text) - len(rest)]
        self._began = None
        if not self._is_repeating:
            self._buffer.release()

    def _note(self, *, is_change: bool = True) -> None:
        if is_change and not self._is_repeating:
            self._change, self._typed = list(self._keys), ""

    def _repeat(self, count: int) -> None:
        if not self._change:
            return
        typed, keys = self._typed, list(self._change)
        if count > 1:
            _, keys = _counted(keys)
            keys = [*str(min(count, _MOST)), *keys]
        self._is_repeating, self._keys = True, []
        self._buffer.hold()
        for key in keys:
            self.press(key)
        if self.mode == "insert":
            self._buffer.insert(typed)
            self.press("escape")
        self._typed, self._is_repeating = typed, False
        self._buffer.release()

    def _again(self, keys: list[str], count: int) -> Pressed | Literal["more"]:
        """One command that is short for another; ``.`` repeats the other."""
        self._keys = [*(str(min(count, _MOST)) if count > 1 else ""), *keys]
        return self._operate(keys[0], keys[1:], count)

    def _forward(self, count: int) -> int:
        at = self._buffer.cursor
        for _ in range(min(count, _MOST)):
            at = min(clusters.after(self._buffer.text, at), self._line_end)
        return at

    def _go(self, to: int) -> None:
        """Puts the cursor on a character: beyond the last one of a line only Insert may be."""
        text = self._buffer.text
        to = clusters.snapped(text, to)
        start, end = words.line_start(text, to), words.line_end(text, to)
        if to >= end and self.mode == "normal":
            to = max(clusters.before(text, end), start) if end > start else end
        self._buffer.go(to)

    def _is_on_word(self) -> bool:
        return not self._buffer.text[self._buffer.cursor : self._buffer.cursor + 1].isspace()

    @property
    def _line_start(self) -> int:
        return words.line_start(self._buffer.text, self._buffer.cursor)

    @property
    def _line_end(self) -> int:
        return words.line_end(self._buffer.text, self._buffer.cursor)


def _counted(keys: list[str]) -> tuple[int, list[str]]:
    """A leading count, 0 for none, and the keys after it; a 0 that begins is a motion."""
    number = 0
    while keys and keys[0].isdecimal() and keys[0].isascii() and (keys[0] != "0" or number):
        number, keys = min(number * 10 + int(keys[0]), _MOST), keys[1:]
    return number, keys
