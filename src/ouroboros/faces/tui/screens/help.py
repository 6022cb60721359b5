"""Every key and every command, to be searched."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ouroboros.faces.slashes.table import SLASHES, Slash
from ouroboros.faces.tui.keys import Keys, When
from ouroboros.faces.tui.parts.around import host_of
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.parts.typing import Words
from ouroboros.faces.tui.screens.frame import BACK, MOVES, Framed
from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, Row, Span, row, width, wrap

_PLACES: tuple[tuple[When, str], ...] = (
    ("prompt", "While you type"),
    ("running", "While it works"),
    ("list", "In a list under the prompt"),
    ("transcript", "The conversation"),
    ("card", "A marked card of the conversation"),
    ("app", "Anywhere"),
)
_CARDS = (
    ("Up, Down, Enter", "choose an answer"),
    ("1 - 9", "take that answer at once"),
    ("y, n, a, r, e, i", "yes, no, always, write down a rule, change it, see all of it"),
    ("Esc", "later: back to the prompt, the question stays"),
)
_LINES = (
    ("@name", "a file, a folder or a tab that the model is to look at"),
    ("# words", "a line for your notes"),
    ("! command", "a command of your own in a shell"),
    ("/", "a command, from the list below"),
)
_LEFT = 22

type Section = tuple[str, Sequence[tuple[str, str]]]


class HelpScreen(Framed[None]):
    """Keys with the person's own, questions, commands; what is typed leaves what has those words."""

    DEFAULT_CSS = "HelpScreen #words { border: none; height: 1; padding: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        Binding("f1", "back", show=False),
        *MOVES,
    ]
    TITLE = "Help"
    KEYS = "Up, Down, PageUp, PageDown   type to search   Esc back"

    def __init__(self, words: str = "") -> None:
        """Begins with what has these words."""
        super().__init__()
        self._words = words

    def body(self) -> ComposeResult:
        """Words to search for, and what has them."""
        yield Words(self._words, asking="search", id="words")
        yield Pager(id="help")

    def begin(self) -> None:
        """All of it."""
        self.query_one(Pager).can_focus = False
        self.query_one(Input).focus()
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Searches."""
        event.stop()
        self._words = event.value
        self._show()

    @property
    def moved(self) -> Select | Pager:
        """What is read."""
        return self.query_one(Pager)

    def _show(self) -> None:
        host = host_of(self)
        found = list(matching(sections(host.keys, host.slashes), self._words))
        self.query_one(Pager).show(partial(help_rows, found))
        self.told("" if found else "Nothing here has these words.")


def sections(keys: Keys, slashes: Mapping[str, Slash] = SLASHES) -> list[Section]:
    """Everything that there is to know, by subject."""
    found: list[Section] = [(title, keys.lines(when)) for when, title in _PLACES]
    found.insert(2, ("A question over the prompt", _CARDS))
    found.insert(3, ("What you type", _LINES))
    commands = [
        (slash.usage, f"{slash.meaning}{' (not while it works)' if slash.waits else ''}")
        for slash in slashes.values()
    ]
    return [*found, ("Commands", commands)]


def matching(found: Sequence[Section], words: str) -> Iterator[Section]:
    """The lines that have all of the words, with their subjects."""
    wanted = words.lower().split()
    for title, lines in found:
        kept = [line for line in lines if all(word in " ".join(line).lower() for word in wanted)]
        if kept:
            yield title, kept


def help_rows(found: Sequence[Section], across: int) -> list[Row]:
    """Two columns where there is room for them, else one below the other."""
    rows: list[Row] = []
    for title, lines in found:
        rows += [*([row("")] if rows else []), row(title, BOLD)]
        for keys, meaning in lines:
            rows += _line(keys, meaning, across)
    return rows


def _line(keys: str, meaning: str, across: int) -> list[Row]:
    if width(keys) > _LEFT or across < 60:
        said = wrap(meaning, across, DIM, "    ")
        return [*wrap(keys, across, CYAN, "  "), *said]
    said = wrap(meaning, across - _LEFT - 4)
    first = (Span(f"  {keys}{' ' * (_LEFT - width(keys))}  ", CYAN), *said[0])
    return [first, *((Span(" " * (_LEFT + 4)), *line) for line in said[1:])]
