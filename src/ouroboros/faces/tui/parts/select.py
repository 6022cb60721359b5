"""A list to choose from: arrows, Enter, digits, and a letter where a choice has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ouroboros.app.text import plain
from ouroboros.faces.tui.parts.pager import Way

_DIGITS = 9


class Pick(NamedTuple):
    """One choice.

    Attributes:
        note: Stands below it.
        mark: Before it.
        short: In its place on a narrow screen.
        aside: Behind it.
    """

    name: str
    label: str
    letter: str = ""
    note: str = ""
    mark: str = ""
    short: str = ""
    aside: str = ""


class Select(OptionList):
    """Choices below each other; the one that Enter takes has a ``>`` before it, also without colour.

    While it is ``deaf`` no key does anything, and while it is ``numb`` no click; nor do they focus it.
    """

    DEFAULT_CSS = """
    Select { height: auto; max-height: 100%; border: none; padding: 0; background: transparent;
        scrollbar-size-vertical: 1; scrollbar-background: $surface; scrollbar-color: $panel;
        scrollbar-background-hover: $surface; scrollbar-background-active: $surface; }
    Select:focus { border: none; }
    """

    @dataclass
    class Chosen(Message):
        """The person took one, by its ``name``."""

        select: "Select"
        name: str

        @property
        def control(self) -> "Select":
            """Whose it is."""
            return self.select

    @dataclass
    class Moved(Message):
        """Another one is the one that Enter takes."""

        select: "Select"
        name: str

        @property
        def control(self) -> "Select":
            """Whose it is."""
            return self.select

    def __init__(
        self, picks: Sequence[Pick] = (), *, id: str | None = None, numbered: bool = True
    ) -> None:
        """Without ``numbered`` the digits choose nothing: they may be typed elsewhere."""
        super().__init__(id=id, markup=False, compact=True)
        self._picks: tuple[Pick, ...] = ()
        self._numbered = numbered
        self._at: int | None = None
        self.deaf = False
        self.show(picks)

    @property
    def numb(self) -> bool:
        """No click does anything."""
        return not self.can_focus

    @numb.setter
    def numb(self, numb: bool) -> None:
        self.can_focus = not numb

    @property
    def picks(self) -> tuple[Pick, ...]:
        """What can be chosen."""
        return self._picks

    def rows(self, width: int) -> int:
        """As many as all choices take in a list of that width."""
        lines = (self._row(at, is_at=True).plain.split("\n") for at in range(len(self._picks)))
        return sum(-(-max(cell_len(line), 1) // width) for each in lines for line in each)

    @property
    def chosen(self) -> Pick | None:
        """The one that Enter would take."""
        at = self.highlighted
        return None if at is None or at >= len(self._picks) else self._picks[at]

    def show(self, picks: Sequence[Pick], *, name: str = "") -> None:
        """Other choices; the one called ``name`` is the one that Enter takes, else the first."""
        self._picks = tuple(picks)
        self._at = None
        self.set_options([Option(self._row(at, is_at=False)) for at in range(len(picks))])
        names = [pick.name for pick in picks]
        if picks:
            self.highlighted = names.index(name) if name in names else 0

    def step(self, way: Way) -> None:
        """Another one."""
        match way:
            case "down":
                self.action_cursor_down()
            case "up":
                self.action_cursor_up()
            case "page_down":
                self.action_page_down()
            case "page_up":
                self.action_page_up()

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Moves the mark along."""
        super().watch_highlighted(highlighted)
        before, self._at = self._at, highlighted
        for at in (before, highlighted):
            if at is not None and at < self.option_count:
                row = self._row(at, is_at=at == highlighted)
                self.replace_option_prompt_at_index(at, row)
        if self.chosen is not None:
            self.post_message(self.Moved(self, self.chosen.name))

    def on_key(self, event: events.Key) -> None:
        """A digit or a letter takes its choice at once."""
        if self.deaf:
            event.stop()
            event.prevent_default()
            return
        for at, pick in enumerate(self._picks):
            is_number = self._numbered and at < _DIGITS and event.character == str(at + 1)
            if is_number or (pick.letter and event.character == pick.letter):
                event.stop()
                self.highlighted = at
                self.post_message(self.Chosen(self, pick.name))
                return

    def on_click(self, event: events.Click) -> None:
        """A click that was meant for what stood here before takes nothing."""
        if self.deaf or self.numb:
            event.stop()
            event.prevent_default()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, or a click."""
        event.stop()
        if event.option_index < len(self._picks):
            self.post_message(self.Chosen(self, self._picks[event.option_index].name))

    def _row(self, at: int, *, is_at: bool) -> Content:
        pick = self._picks[at]
        number = f"{at + 1} " if self._numbered and at < _DIGITS else "  " * self._numbered
        faint, strong = ("", "") if is_at else ("$text-muted", "$text-accent")
        parts: list[tuple[str, str]] = [
            ("> " if is_at else "  ", "bold"),
            (number, faint),
            (f"{pick.mark} " if pick.mark else "", strong),
            (plain(pick.label).replace("\n", " "), "bold" if is_at else ""),
            (f"  {pick.letter}" if pick.letter else "", strong),
            (f"  {plain(pick.aside)}" if pick.aside else "", faint),
        ]
        indent = " " * (2 + len(number))
        notes = [(f"\n{indent}{line}", faint) for line in plain(pick.note).splitlines()]
        return Content.assemble(*parts, *notes)
