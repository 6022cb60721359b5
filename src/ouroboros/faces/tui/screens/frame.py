"""What every screen is: a frame over the conversation, with its keys below."""

from typing import ClassVar, override

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from ouroboros.faces.tui.parts.around import window_of
from ouroboros.faces.tui.parts.pager import Pager, Way
from ouroboros.faces.tui.parts.select import Select

NARROW = 70
"""Columns below which only one thing is shown beside another."""

BACK = Binding("escape", "back", "Back", show=False)
MOVES = tuple(
    Binding(key, f"move('{way}')", show=False, priority=True)
    for key, way in (
        ("down", "down"),
        ("up", "up"),
        ("pagedown", "page_down"),
        ("pageup", "page_up"),
    )
)
"""Keys that move a list or a text while another part of the screen has the keys."""


class Framed[Result](ModalScreen[Result]):
    """A title, what is shown, a line for what went wrong or happened, and the keys."""

    DEFAULT_CSS = """
    Framed { align: center middle; background: $background; }
    Framed #frame { width: 100%; max-width: 140; height: 100%; border: round $primary;
        padding: 0 1; background: $surface; }
    Framed.-low #frame { border: none; padding: 0; }
    Framed #title { height: 1; text-style: bold; display: none; }
    Framed.-low #title { display: block; }
    Framed #told { height: auto; max-height: 3; display: none; color: $text-warning; }
    Framed #keys { height: auto; max-height: 2; color: $text-muted; }
    Framed.-narrow #keys { max-height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [BACK]
    TITLE = ""
    KEYS = "Esc back"

    def compose(self) -> ComposeResult:
        """The frame around the body."""
        with Vertical(id="frame"):
            yield Static(id="title", markup=False)
            yield from self.body()
            yield Static(id="told", markup=False)
            yield Static(id="keys", markup=False)

    def body(self) -> ComposeResult:
        """What is shown."""
        yield Static()

    @property
    def is_narrow(self) -> bool:
        """There is room for one thing beside another."""
        return window_of(self).size.width < NARROW

    def on_mount(self) -> None:
        """Writes title and keys."""
        self.entitle(str(self.TITLE))
        self.show_keys(self.KEYS)
        self._fit()
        self.begin()

    def begin(self) -> None:
        """Fills the body."""

    def entitle(self, text: str) -> None:
        """Another title."""
        self.query_one("#frame", Widget).border_title = Content(text)
        self.query_one("#title", Static).update(Content(text))

    def show_keys(self, text: str) -> None:
        """Other keys."""
        self.query_one("#keys", Static).update(Content(text))

    def told(self, text: str) -> None:
        """Says something about what was done; nothing takes it away again."""
        line = self.query_one("#told", Static)
        line.update(Content(text))
        line.display = bool(text)

    def on_resize(self) -> None:
        """Leaves out what has no room."""
        self._fit()

    def _fit(self) -> None:
        self.set_class(window_of(self).size.height < 16, "-low")
        self.set_class(self.is_narrow, "-narrow")

    @property
    def moved(self) -> Select | Pager:
        """What the arrows move."""
        return self.query_one(Select)

    def action_move(self, way: Way) -> None:
        """Another choice, or another part of the text."""
        self.moved.step(way)

    @override
    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Ends it; what it still reads finds no body any more, and is let go of first."""
        for worker in self.workers:
            if worker.node is self:
                worker.cancel()
        return super().dismiss(result)

    def action_back(self) -> None:
        """Leaves it as it was."""
        self.dismiss(None)
