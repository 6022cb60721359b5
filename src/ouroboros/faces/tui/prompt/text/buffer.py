"""A text that is being typed: cursor, selection, cutting and putting back, undo and redo; pure."""

from typing import Literal, NamedTuple

from ouroboros.faces.tui.prompt.text import clusters, words

type Move = Literal[
    "left",
    "right",
    "word_left",
    "word_right",
    "line_start",
    "line_end",
    "text_start",
    "text_end",
]

_UNDO_STEPS = 1_000
_KILLS = 60


class _Step(NamedTuple):
    text: str
    cursor: int


class Buffer:
    """The text with its cursor, which always stands where a character begins or at the end."""

    def __init__(self) -> None:
        """Empty."""
        self.text = ""
        self.cursor = 0
        self.anchor: int | None = None
        self.kills: list[str] = []
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []
        self._last = ""
        self._yanked: tuple[int, int] | None = None
        self._held = False
        self._pending: _Step | None = None

    @property
    def selection(self) -> tuple[int, int]:
        """Beginning and end of what is selected; the same place twice where nothing is."""
        if self.anchor is None:
            return (self.cursor, self.cursor)
        return (min(self.anchor, self.cursor), max(self.anchor, self.cursor))

    @property
    def selected(self) -> str:
        """The text that is selected."""
        start, end = self.selection
        return self.text[start:end]

    def begin(self, text: str = "", cursor: int | None = None) -> None:
        """Another text from now on, with nothing to undo."""
        self.text, self.anchor = text, None
        self.cursor = clusters.snapped(text, len(text) if cursor is None else cursor)
        self._undo.clear()
        self._redo.clear()
        self._last, self._yanked = "", None
        self._held, self._pending = False, None

    def replace_all(self, text: str, cursor: int | None = None) -> None:
        """Another text, which undo takes back."""
        self.splice(0, len(self.text), text)
        if cursor is not None:
            self.go(cursor)

    def insert(self, text: str) -> None:
        """Types or pastes in the place of what is selected."""
        start, end = self.selection
        is_typed = len(text) == 1 and start == end
        kind = ("blank" if text.isspace() else "word") if is_typed else ""
        self._keep("type" if kind == "word" or (kind and self._last == "type") else "")
        self._put(start, end, text)
        self._last = "type" if kind == "word" else ""

    def splice(self, start: int, end: int, text: str) -> None:
        """Puts a text in the place of another; the cursor is after it."""
        self._keep("")
        self._put(start, end, text)

    def move(self, move: Move, *, select: bool = False) -> None:
        """Moves the cursor; an arrow that does not select goes to that side of what was selected."""
        start, end = self.selection
        if not select and start != end and move in {"left", "right"}:
            self.go(start if move == "left" else end)
        else:
            self.go(self.place(move), select=select)

    def go(self, to: int, *, select: bool = False) -> None:
        """Puts the cursor there, or as far as the text goes."""
        if not select:
            self.anchor = None
        elif self.anchor is None:
            self.anchor = self.cursor
        self.cursor = clusters.snapped(self.text, to)
        self._last, self._yanked = "", None

    def select_all(self) -> None:
        """Selects the whole text."""
        self.go(0)
        self.go(len(self.text), select=True)

    def place(self, move: Move) -> int:
        """Where a move would lead to."""
        text, at = self.text, self.cursor
        match move:
            case "left":
                return clusters.before(text, at)
            case "right":
                return clusters.after(text, at)
            case "word_left":
                return words.left(text, at)
            case "word_right":
                return words.right(text, at)
            case "line_start":
                return words.line_start(text, at)
            case "line_end":
                return words.line_end(text, at)
            case "text_start":
                return 0
            case "text_end":
                return len(text)

    def delete(self, move: Move) -> None:
        """Takes away what is selected, or what the move goes over."""
        start, end = self._reach(move)
        if start != end:
            self._keep("delete" if move in {"left", "right"} else "")
            self._put(start, end, "")
            self._last = "delete"

    def kill(self, move: Move) -> None:
        """Cuts the same, to be put back; at a line's edge its line break. Cuts in a row are one."""
        start, end = self._reach(move)
        if start == end and move == "line_end":
            end = min(end + 1, len(self.text))
        elif start == end and move == "line_start":
            start = max(start - 1, 0)
        if start == end:
            return
        cut, is_again = self.text[start:end], self._last == "kill"
        self._keep("")
        self._put(start, end, "")
        if is_again and self.kills:
            is_before = move in {"left", "word_left", "line_start", "text_start"}
            joined = cut + self.kills[-1] if is_before else self.kills[-1] + cut
            self.kills[-1] = joined
        else:
            self.kills = [*self.kills[-_KILLS + 1 :], cut]
        self._last = "kill"

    def yank(self) -> None:
        """Puts the latest cut back."""
        if self.kills:
            self._put_back(*self.selection, self.kills[-1])

    def yank_earlier(self) -> None:
        """Right after that: puts the cut before it in its place."""
        if self._yanked is not None and len(self.kills) > 1:
            start, end = self._yanked
            self.kills = [self.kills[-1], *self.kills[:-1]]
            self._put_back(start, end, self.kills[-1])

    def undo(self) -> bool:
        """Takes the latest change back; false where there is none."""
        return self._back(self._undo, self._redo)

    def redo(self) -> bool:
        """Has again what was taken back."""
        return self._back(self._redo, self._undo)

    def hold(self) -> None:
        """What changes until ``release`` is one step to undo."""
        self._held, self._pending = True, _Step(self.text, self.cursor)

    def release(self) -> None:
        """Ends that."""
        self._held, self._pending = False, None

    def _reach(self, move: Move) -> tuple[int, int]:
        start, end = self.selection
        if start != end:
            return (start, end)
        to = self.place(move)
        return (min(to, self.cursor), max(to, self.cursor))

    def _put_back(self, start: int, end: int, text: str) -> None:
        self._keep("")
        self._put(start, end, text)
        self._yanked = (start, self.cursor)

    def _back(self, taken: list[_Step], kept: list[_Step]) -> bool:
        if not taken:
            return False
        kept.append(_Step(self.text, self.cursor))
        self.text, self.cursor = taken.pop()
        self.anchor, self._last, self._yanked = None, "", None
        return True

    def _keep(self, kind: str) -> None:
        """Notes the text as it is, unless what comes goes on with what was before."""
        if self._held:
            step, self._pending = self._pending, None
        else:
            goes_on = bool(kind) and kind == self._last
            step = None if goes_on else _Step(self.text, self.cursor)
        if step is not None:
            self._undo.append(step)
            del self._undo[:-_UNDO_STEPS]
        self._redo.clear()

    def _put(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = clusters.snapped(self.text, start + len(text))
        self.anchor, self._last, self._yanked = None, "", None
