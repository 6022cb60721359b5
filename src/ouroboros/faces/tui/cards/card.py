"""What every card is: a frame with a question in it, answered by commands."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from ouroboros.core.commands import Command
from ouroboros.faces.tui.parts.around import window_of
from ouroboros.faces.tui.parts.ink import inked
from ouroboros.faces.tui.parts.pager import Lay, Pager
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.parts.typing import Lines
from ouroboros.faces.wording.rows import CYAN, Row, wrap

LOW = 16
"""Rows of a terminal below which only the most needed is shown."""
_TYPING = 3
"""Rows for words that are typed: what is asked, and two lines."""


class Card(Vertical):
    """One question: facts, long text in a window of its own, answers or a line to type into."""

    DEFAULT_CSS = """
    Card { height: auto; border: round $warning; padding: 0 1; background: $surface; }
    Card.-low { border: none; padding: 0; }
    Card #facts, Card #asking, Card #letters { height: auto; }
    Card #long { height: 1; border-left: outer $warning; padding-left: 1; }
    Card #typed { display: none; background: $boost; }
    Card.-typing #typed { display: block; }
    Card.-typing #answers, Card.-typing #letters { display: none; }
    Card #asking { display: none; color: $text-muted; }
    Card.-typing #asking { display: block; }
    Card #letters { display: none; color: $text-accent; }
    Card.-low #letters { display: block; }
    Card.-low #answers { scrollbar-size-vertical: 0; }
    Card.-low Lines { max-height: 2; }
    """

    kind = "Question"
    """What it is called in its frame."""

    @dataclass
    class Said(Message):
        """The person's answer."""

        card: "Card"
        command: Command

    @dataclass
    class Later(Message):
        """The person wants to type something else first."""

    @dataclass
    class Ready(Message):
        """It can be answered."""

        card: "Card"

    def __init__(self, name: str) -> None:
        """``name`` is of what is asked."""
        super().__init__()
        self.asked = name
        self.is_done = self._is_drawn = False
        self._step = self._hint = ""

    def compose(self) -> ComposeResult:
        """Facts, the long text, and one of answers and a line."""
        yield Static(id="facts", markup=False)
        yield Pager(id="long")
        yield Static(id="asking", markup=False)
        yield Lines(id="typed")
        yield Static(id="letters", markup=False)
        answers = Select(id="answers")
        answers.deaf = answers.numb = True  # until whoever shows the card says that it is ready
        yield answers

    @property
    def answers(self) -> Select:
        """The list that is answered from."""
        return self.query_one("#answers", Select)

    @property
    def is_low(self) -> bool:
        """There is room for little."""
        return window_of(self).size.height < LOW

    @property
    def room(self) -> int:
        """Cells across that there are for text."""
        return max(window_of(self).size.width - (0 if self.is_low else 4), 20)

    @property
    def door(self) -> Widget:
        """What takes the keys."""
        return self.query_one("#typed" if self.has_class("-typing") else "#answers")

    @property
    def has_keys(self) -> bool:
        """What is typed goes here."""
        focused = self.screen.focused if self.is_attached else None
        return focused is not None and self in focused.ancestors_with_self

    def say(self, command: Command) -> None:
        """Gives the answer, once."""
        if not self.is_done:
            self.is_done = True
            self.post_message(self.Said(self, command))

    def refused(self) -> None:
        """The answer did not count; another may be given."""
        self.is_done = False

    def ask(self, picks: Sequence[Pick], *, step: str = "") -> None:
        """Lets the person choose."""
        was_here = self.has_keys
        self._step = step
        self.remove_class("-typing")
        self.answers.show(picks)
        if self._is_drawn:
            self.draw()
        self.hint("")
        if was_here:
            self.answers.focus()

    def hint(self, words: str) -> None:
        """What stands in the place of a frame on a low screen: how to come here, or the letters."""
        self._hint = words
        said = inked(self._letters(words)).plain.replace("\u00a0", " ")
        self.query_one("#letters", Static).update(Content(said))

    def _letters(self, words: str = "") -> list[Row]:
        picks = (pick for pick in self.answers.picks if pick.letter)
        letters = (f"{pick.letter}\u00a0{pick.short or pick.label}" for pick in picks)
        return wrap(words or "  ".join(letters), self.room, CYAN)

    def ask_words(self, asking: str, text: str, *, step: str) -> None:
        """Lets the person type; Enter takes it, Esc goes back."""
        self._step = step
        self.query_one("#asking", Static).update(Content(asking))
        self.add_class("-typing")
        lines = self.query_one("#typed", Lines)
        lines.begin(text)
        lines.focus()

    @property
    def height_left(self) -> int:
        """Rows for facts and long text beside the frame and the answers; an answer is always seen."""
        height = window_of(self).size.height * 3 // 4
        if self.is_low:
            return height - max(len(self._letters()) + 1, _TYPING)
        return height - 2 - self.answers.rows(self.room)

    def show(self, facts: Content, long: Lay, brief: Lay | None = None) -> None:
        """What is asked, and what is to be looked at; ``brief`` is shown where that has no room."""
        self.query_one("#facts", Static).update(facts)
        room = max(self.height_left - facts.plain.count("\n") - 1, 1 if self.is_low else 2)
        rows = len(long(self.room - 3))
        if rows > room and brief is not None:
            long, rows = brief, len(brief(self.room - 3))
        pager = self.query_one("#long", Pager)
        pager.can_focus = rows > room
        pager.display = rows > 0
        pager.styles.height = min(rows, room)
        pager.show(long)
        spare = 1 + max(room - rows, 0) if self.is_low else self.answers.rows(self.room)
        self.answers.styles.max_height = max(spare, 1)

    def on_mount(self) -> None:
        """Draws it for the room there is."""
        self.set_class(self.is_low, "-low")
        self.begin()
        self.draw()
        self._is_drawn = True
        self.post_message(self.Ready(self))

    def on_resize(self) -> None:
        """Draws it anew; the answers stay as they are."""
        self.set_class(self.is_low, "-low")
        self.draw()
        self.hint(self._hint)

    def draw(self) -> None:
        """Shows what is asked."""

    def begin(self) -> None:
        """Offers the first answers."""

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """An answer, or a way to one."""
        event.stop()
        self.take(self._step, event.name)

    def on_lines_taken(self, event: Lines.Taken) -> None:
        """Words were typed."""
        event.stop()
        self.take_words(self._step, event.text.strip("\n"))

    def on_lines_left(self, event: Lines.Left) -> None:
        """No words after all."""
        event.stop()
        self.begin()
        self.answers.focus()

    def take(self, step: str, name: str) -> None:
        """Follows a choice."""

    def take_words(self, step: str, text: str) -> None:
        """Follows words."""

    def on_key(self, event: events.Key) -> None:
        """Esc goes a step back, or leaves the question for later."""
        if event.key != "escape":
            return
        event.stop()
        if self._step:
            self.begin()
        else:
            self.post_message(self.Later())
