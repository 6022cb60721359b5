"""Rows of spans as strips of one widget, each made once."""

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ouroboros.faces.tui.palette import Palette
from ouroboros.faces.tui.themes import style_of
from ouroboros.faces.wording.rows import Row


class Paint:
    """Styles by the words of their spans, on the ground of a widget, as the terminal can show them."""

    def __init__(self, widget: Widget, palette: Palette) -> None:
        """Asks the widget only when something is drawn."""
        self.palette = palette
        self._widget = widget
        self._inks: dict[str, Style] = {}

    def renew(self, palette: Palette | None = None) -> None:
        """The ground or the palette is another."""
        self.palette = palette or self.palette
        self._inks.clear()

    def ink(self, words: str) -> Style:
        """The style of a span."""
        found = self._inks.get(words)
        if found is None:
            found = self._widget.rich_style + style_of(self.palette, words)
            for each in self._widget.get_line_filters():
                [shown] = each.apply([Segment(" ", found)], self._widget.background_colors[1])
                found = shown.style or Style()
            self._inks[words] = found
        return found

    def strip(self, line: Row, width: int) -> Strip:
        """A row of exactly that many cells."""
        segments = [Segment(span.text, self.ink(span.style)) for span in line if span.text]
        empty = width - sum(segment.cell_length for segment in segments)
        if empty > 0:
            segments.append(Segment(" " * empty, self.ink("")))
        strip = Strip(segments, width - min(empty, 0))
        return strip.crop(0, width) if empty < 0 else strip

    def marked(self, strip: Strip) -> Strip:
        """A row that stands out, also without colour."""
        panel = self.palette.panel
        mark = Style(bgcolor=panel, bold=True) if panel else Style(reverse=True)
        return Strip(Segment.apply_style(strip, post_style=mark), strip.cell_length)

    def selected(self, style: Style, strip: Strip, span: tuple[int, int] | None) -> Strip:
        """A row of which some characters are selected, up to its end where that is -1."""
        if span is None:
            return strip
        text, last = strip.text, span[1]
        start = cell_len(text[: span[0]])
        end = strip.cell_length if last == -1 else max(cell_len(text[:last]), start)
        style = Style(reverse=True) if self.palette.is_plain else style
        before, chosen, after = strip.divide([start, end, strip.cell_length])
        return Strip.join([before, chosen.apply_style(style), after])
