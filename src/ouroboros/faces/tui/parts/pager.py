"""Long text that is only drawn where it is looked at."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Row

_CLASSES = {
    BOLD: "pager--strong",
    DIM: "pager--dim",
    RED: "pager--gone",
    GREEN: "pager--new",
    YELLOW: "pager--warn",
    CYAN: "pager--mark",
}

type Lay = Callable[[int], Sequence[Row]]
"""From a width in cells to the rows of that width."""


class Pager(ScrollView, can_focus=True):
    """Shows rows that are laid out for its width; the keys are those of a pager."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(_CLASSES.values())
    DEFAULT_CSS = """
    Pager { height: 1fr; scrollbar-size-vertical: 1; }
    Pager > .pager--strong { text-style: bold; }
    Pager > .pager--dim { color: $text-muted; }
    Pager > .pager--gone { color: $text-error; }
    Pager > .pager--new { color: $text-success; }
    Pager > .pager--warn { color: $text-warning; }
    Pager > .pager--mark { color: $text-accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("pageup,b", "page_up", "Page up", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
    ]

    def __init__(self, lay: Lay = lambda _: (), *, id: str | None = None) -> None:
        """``lay`` is asked again whenever the width changes."""
        super().__init__(id=id)
        self._lay = lay
        self._rows: Sequence[Row] = ()
        self._width = 0

    @property
    def rows(self) -> Sequence[Row]:
        """What is laid out now."""
        return self._rows

    def show(self, lay: Lay) -> None:
        """Other text, from its beginning."""
        self._lay, self._width = lay, 0
        self._lay_out()
        self.scroll_to(0, 0, animate=False)

    def to_row(self, number: int) -> None:
        """Brings a row to the top, as far as there is enough below it."""
        self.scroll_to(0, number, animate=False)

    def on_resize(self) -> None:
        """Lays it out for the width there is now."""
        self._lay_out()

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        x, top = self.scroll_offset
        at = y + top
        base = self.rich_style
        width = self.size.width
        if at >= len(self._rows):
            return Strip.blank(width, base)
        segments = [Segment(span.text, base + self._ink(span.style)) for span in self._rows[at]]
        return Strip(segments).crop_extend(x, x + width, base)

    def _ink(self, style: str) -> Style:
        name = _CLASSES.get(style)
        return self.get_component_rich_style(name, partial=True) if name else Style.null()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if not width or width == self._width:
            return
        self._width = width
        self._rows = self._lay(width)
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()
