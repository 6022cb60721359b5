"""Long text that is only drawn where it is looked at."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, override

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ouroboros.faces.tui.parts.around import palette_of
from ouroboros.faces.tui.themes import style_of
from ouroboros.faces.wording.rows import Row

type Way = Literal["down", "up", "page_down", "page_up"]

type Lay = Callable[[int], Sequence[Row]]
"""From a width in cells to the rows of that width."""


class Pager(ScrollView, can_focus=True):
    """Shows rows that are laid out for its width; the keys are those of a pager."""

    DEFAULT_CSS = """
    Pager { height: 1fr; overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size-vertical: 1;
        scrollbar-background: $surface; scrollbar-color: $panel;
        scrollbar-background-hover: $surface; scrollbar-background-active: $surface; }
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

    def show(self, lay: Lay, *, keeps_place: bool = False) -> None:
        """Other text, from its beginning, or from where the reader is when it is the same text again."""
        self._lay, self._width = lay, 0
        self._lay_out()
        if not keeps_place:
            self.scroll_to(0, 0, animate=False)

    def step(self, way: Way) -> None:
        """A row or a page on."""
        page = max(self.size.height - 1, 1)
        self._by({"down": 1, "up": -1, "page_down": page, "page_up": -page}[way])

    def to_row(self, number: int) -> None:
        """Brings a row to the top, as far as there is enough below it."""
        self.scroll_to(0, number, animate=False)

    def on_resize(self) -> None:
        """Lays it out for the width there is now."""
        self._lay_out()

    @override
    def action_scroll_down(self) -> None:
        self.step("down")

    @override
    def action_scroll_up(self) -> None:
        self.step("up")

    @override
    def action_page_down(self) -> None:
        self.step("page_down")

    @override
    def action_page_up(self) -> None:
        self.step("page_up")

    @override
    def action_scroll_home(self) -> None:
        self.scroll_to(y=0, animate=False)

    @override
    def action_scroll_end(self) -> None:
        self.scroll_to(y=len(self._rows), animate=False)

    def _by(self, rows: int) -> None:
        """At once: who reads wants to be there."""
        self.scroll_relative(y=rows, animate=False)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        x, top = self.scroll_offset
        at = y + top
        base = self.rich_style
        width = self.size.width
        if at >= len(self._rows):
            return Strip.blank(width, base)
        palette = palette_of(self)
        spans = self._rows[at]
        segments = [Segment(span.text, base + style_of(palette, span.style)) for span in spans]
        return Strip(segments).crop_extend(x, x + width, base)

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if not width or width == self._width:
            return
        self._width = width
        self._rows = self._lay(width)
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()
