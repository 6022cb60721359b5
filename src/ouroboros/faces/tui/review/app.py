"""The application: files on one side, their hunks on the other, one of them alone where it is narrow."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, override

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.filter import NoColor
from textual.widgets import Static

from ouroboros.app.paws.dogs.choosing import Offer
from ouroboros.app.text import plain
from ouroboros.faces.tui.palette import PALETTES, chosen
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.review.marks import Marks, Verdict, parts_of
from ouroboros.faces.tui.review.showing import change_of, file_rows
from ouroboros.faces.tui.terminal import Terminal
from ouroboros.faces.tui.themes import theme
from ouroboros.faces.wording.rows import Row
from ouroboros.faces.wording.words import one_line

_NARROW = 70
_LONGEST = 400
_TWO_SIDES = 110
_AT_FILES = "a accept  r reject  s skip  Enter hunks  v view  q quit and write"
_AT_HUNKS = "a accept  r reject  s skip  Enter files  v view  q quit and write"
_SHORT = "a accept  r reject  s skip  q write"


class ReviewApp(App[tuple[frozenset[int], ...]]):
    """Ends with the accepted hunks of each file, or with None where it was broken off."""

    CSS = """
    Screen { background: $background; color: $foreground; layout: vertical; }
    #title { height: 1; text-style: bold; background: $panel; }
    #keys { height: 1; color: $text-muted; }
    #files { width: 38%; max-width: 60; border-right: solid $panel; }
    #change { width: 1fr; }
    .-narrow #files { width: 1fr; max-width: 100%; border-right: none; }
    .-narrow.-at-files #change, .-narrow.-at-hunks #files { display: none; }
    """
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False
    TITLE = "review"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "say('accept')", show=False),
        Binding("r", "say('reject')", show=False),
        Binding("s", "say('')", show=False),
        Binding("A", "rest('accept')", show=False),
        Binding("R", "rest('reject')", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("enter", "turn", show=False),
        Binding("right,l", "turn(True)", show=False),
        Binding("left,h,escape", "turn(False)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("v", "sides", show=False),
        Binding("q", "done", show=False),
        Binding("ctrl+c,ctrl+q", "break_off", show=False, priority=True),
    ]

    def __init__(
        self,
        offers: Sequence[Offer],
        name: str,
        *,
        look: str = "auto",
        environment: Mapping[str, str],
    ) -> None:
        """``name`` is the bundle's; ``look`` the theme of the settings."""
        self.palette = chosen(look, environment)
        super().__init__(driver_class=Terminal, ansi_color=not self.palette.background)
        if self.palette.is_plain and not self.no_color:
            self._filters.append(NoColor())
        self.offers, self._name = offers, name
        self.marks = Marks(offers)
        self.at, self.part = 0, 0
        self.is_inside = False
        self._sides: bool | None = None
        self._places: list[int] = []

    @override
    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        with Horizontal():
            yield Pager(self._file_rows, id="files")
            yield Pager(id="change")
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Sets the colours, and shows the first file."""
        for palette in PALETTES.values():
            self.register_theme(theme(palette))
        self.theme = self.palette.name
        for pager in self.query(Pager):
            pager.can_focus = False
        self._show()

    def on_resize(self) -> None:
        """Leaves out what has no room."""
        self._show()

    @property
    def is_beside(self) -> bool:
        """Old and new stand side by side."""
        return self.size.width >= _TWO_SIDES if self._sides is None else self._sides

    def action_say(self, verdict: Verdict) -> None:
        """Says it of the file, or of the hunk, and goes on to the next."""
        self.marks.say(self.at, verdict, self.part if self.is_inside else None)
        last = parts_of(self.offers[self.at]) - 1
        if self.is_inside and self.part < last:
            self.part += 1
        elif self.at < len(self.offers) - 1:
            self.at, self.part, self.is_inside = self.at + 1, 0, False
        else:
            self.is_inside = False
        self._show()

    def action_rest(self, verdict: Verdict) -> None:
        """Says it of every file of which nothing was said; a yes is none to what steers later runs."""
        for number, offer in enumerate(self.offers):
            is_meant = verdict == "reject" or not offer.steers
            if is_meant and self.marks.sign(number) == " ":
                self.marks.say(number, verdict)
        self._show()

    def action_move(self, by: int) -> None:
        """The next file or hunk, or the one before."""
        if self.is_inside:
            last = parts_of(self.offers[self.at]) - 1
            self.part = min(max(self.part + by, 0), last)
        else:
            self.at, self.part = min(max(self.at + by, 0), len(self.offers) - 1), 0
        self._show()

    def action_turn(self, inside: bool | None = None) -> None:
        """From the files to the hunks of one, or back."""
        self.is_inside = not self.is_inside if inside is None else inside
        self._show()

    def action_page(self, by: int) -> None:
        """A screen of lines on, or back."""
        pager = self.query_one("#change", Pager)
        pager.scroll_relative(y=by * max(pager.size.height - 1, 1), animate=False)

    def action_sides(self) -> None:
        """Side by side, or one below the other."""
        self._sides = not self.is_beside
        self._show()

    def action_done(self) -> None:
        """What was accepted is written."""
        self.exit(self.marks.taken)

    def action_break_off(self) -> None:
        """Nothing is written."""
        self.exit(None)

    def _show(self) -> None:
        self.screen.set_class(self.size.width < _NARROW, "-narrow")
        self.screen.set_class(self.is_inside, "-at-hunks")
        self.screen.set_class(not self.is_inside, "-at-files")
        added = sum(offer.added for offer in self.offers)
        removed = sum(offer.removed for offer in self.offers)
        counted = f"{self.marks.accepted} of {len(self.offers)} accepted"
        shown = self.offers[self.at].path if self.is_inside else self._name
        title = f"{counted}  +{added} -{removed}  {one_line(plain(shown), _LONGEST)}"
        self.query_one("#title", Static).update(Content(title))
        keys = _AT_HUNKS if self.is_inside else _AT_FILES
        self.query_one("#keys", Static).update(
            Content(keys if self.size.width > len(keys) else _SHORT)
        )
        files, change = self.query_one("#files", Pager), self.query_one("#change", Pager)
        files.show(self._file_rows)
        files.to_row(max(self.at - max(files.size.height, 1) // 2, 0))
        change.show(self._change_rows)
        if self.is_inside and self.part < len(self._places):
            change.to_row(self._places[self.part])

    def _file_rows(self, width: int) -> Sequence[Row]:
        return file_rows(self.offers, self.marks, self.at, width)

    def _change_rows(self, width: int) -> Sequence[Row]:
        current = self.part if self.is_inside else None
        said: list[Verdict] = [
            self.marks.of(self.at, part) for part in range(parts_of(self.offers[self.at]))
        ]
        rows, self._places = change_of(
            self.offers[self.at], said, current, width, sides=self.is_beside
        )
        return rows
