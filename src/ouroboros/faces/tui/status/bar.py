"""The status line on the screen."""

from typing import override

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from ouroboros.core.state import State
from ouroboros.faces.tui.palette import Palette
from ouroboros.faces.tui.status.line import Facts, line
from ouroboros.faces.tui.themes import style_of


class StatusBar(Widget):
    """Shows the state's line; drawn when told to."""

    DEFAULT_CSS = "StatusBar { height: 1; background: $surface; color: $foreground; }"

    def __init__(self, palette: Palette, state: State) -> None:
        """``state`` stands for what is known before a session is open."""
        super().__init__(id="status")
        self.palette, self._state, self._facts = palette, state, Facts()

    def show(self, state: State, facts: Facts) -> None:
        """Shows this from now on."""
        self._state, self._facts = state, facts
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        spans = line(self._state, self._facts, self.size.width)
        segments = [Segment(span.text, style_of(self.palette, span.style)) for span in spans]
        strip = Strip(segments).adjust_cell_length(self.size.width, self.rich_style)
        return strip.apply_style(self.rich_style)
