"""The transcript on the screen: only rows that are looked at are laid out."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal, override

import anyio
from msgspec.structs import replace
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from ouroboros.faces.tui.palette import Palette
from ouroboros.faces.tui.transcript.blocks import (
    Block,
    is_apart,
    is_foldable,
    is_running,
    is_unfolded,
    next_card,
)
from ouroboros.faces.tui.transcript.drawing import guess, rows_of
from ouroboros.faces.tui.transcript.heights import Heights
from ouroboros.faces.tui.transcript.look import Look
from ouroboros.faces.tui.transcript.painting import Paint
from ouroboros.faces.wording.rows import Row

_FRAME_SECONDS = 1 / 40
_SHARE = 2
"""Of the time no more than one part in so many goes into drawing what streams."""

_KEPT = 400
_SELECTED_ROWS = 20_000


class Transcript(ScrollView, can_focus=False):
    """Blocks, one below the other; follows the end unless the person has scrolled away."""

    DEFAULT_CSS = """
    Transcript { background: $background; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
                 scrollbar-background: $background; scrollbar-color: $panel;
                 scrollbar-background-hover: $background; scrollbar-background-active: $background; }
    """
    ALLOW_SELECT: ClassVar[bool] = True

    class Moved(Message):
        """The person scrolled; ``below`` rows are under what is shown."""

        def __init__(self, below: int) -> None:
            """Says how many."""
            super().__init__()
            self.below = below

    def __init__(self, palette: Palette, look: Look, now: Callable[[], float]) -> None:
        """``now`` is the clock of the log."""
        super().__init__(id="transcript")
        self._look, self._now = look, now
        self._paint = Paint(self, palette)
        self.follows = True
        self.marked: int | None = None
        self._blocks: list[Block] = []
        self._places: dict[int, int] = {}
        self._heights = Heights()
        self._laid: OrderedDict[int, list[Strip]] = OrderedDict()
        self._changed: set[int] = set()
        self._frame: Timer | None = None
        self._drawn_until = 0.0
        self._is_ours = False

    @property
    def blocks(self) -> list[Block]:
        """All blocks, for reading only."""
        return self._blocks

    @property
    def look(self) -> Look:
        """How blocks are shown."""
        return self._look

    def add(self, block: Block) -> None:
        """Puts a block at the end."""
        before = self._blocks[-1] if self._blocks else None
        self._places[id(block)] = len(self._blocks)
        self._blocks.append(block)
        self._heights.append(guess(block, self._look.columns) + is_apart(block, before))
        self._changed.add(len(self._blocks) - 1)
        self._plan_frame()

    def touch(self, block: Block) -> None:
        """Says that a block has changed."""
        place = self._places.get(id(block))
        if place is not None:
            self._changed.add(place)
            self._plan_frame()

    def empty(self) -> None:
        """Takes everything away."""
        self._blocks, self._places, self._heights = [], {}, Heights()
        self._laid.clear()
        self._changed.clear()
        self.follows, self.marked = True, None
        self._resize_pages()
        self.refresh()

    def tick(self) -> None:
        """Time went by: what runs says for how long."""
        for place in range(max(len(self._blocks) - 60, 0), len(self._blocks)):
            if is_running(self._blocks[place]):
                self._changed.add(place)
        if self._changed:
            self._plan_frame()

    def show(
        self,
        *,
        palette: Palette | None = None,
        unfolded: bool | None = None,
        sides: bool | None = None,
    ) -> None:
        """Shows everything in another way."""
        if palette is not None:
            self._paint.renew(palette)
        look = self._look
        self._look = replace(
            look,
            unfolded=look.unfolded if unfolded is None else unfolded,
            sides=look.sides if sides is None else sides,
        )
        self._lay_anew()

    def toggle(self, place: int) -> None:
        """Folds or unfolds one block."""
        block = self._blocks[place]
        if is_foldable(block):
            block.unfolded = not is_unfolded(block, self._look.unfolded)
            self._changed.add(place)
            self._plan_frame()

    def mark(self, step: Literal[-1, 1]) -> bool:
        """Marks the card above or below, at first one that is on the screen; false where there is none."""
        top = self.scroll_offset.y
        begin = self._heights.find(top + self.size.height - 1 if step < 0 else top)[0]
        at = begin - step if self.marked is None else self.marked
        found = next_card(self._blocks, at, step)
        if found is None:
            return False
        self.marked, self.follows = found, False
        self._bring_into_view(found)
        self.refresh()
        return True

    def toggle_marked(self) -> None:
        """Folds or unfolds the card that is marked."""
        if self.marked is not None:
            self.toggle(self.marked)
            self._bring_into_view(self.marked)

    def unmark(self) -> None:
        """No card is marked any more."""
        self.marked = None
        self.follows = round(self.scroll_y) >= self.max_scroll_y
        self.refresh()

    def to_end(self) -> None:
        """Shows the latest, and follows it."""
        self.follows = True
        self._settle()

    # Textual's own hooks.

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        # Not by the library's own way, which makes six strips of each of ours in every frame.
        top = self.scroll_offset.y + crop.y
        strips = self._shown(top, crop.height)
        selection = self.text_selection
        head = None if self.marked is None else self._head(self.marked) - top
        if head is not None and 0 <= head < len(strips):
            strips[head] = self._paint.marked(strips[head])
        if selection is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            spans = (selection.get_span(top + at) for at in range(len(strips)))
            strips = list(map(partial(self._paint.selected, style), strips, spans))
        if crop.x or crop.width < self._look.columns:
            return [each.crop(*crop.column_span) for each in strips]
        return strips

    @override
    def render_line(self, y: int) -> Strip:
        """One line, in which each cell knows where it stands: what the mouse points at."""
        row = self.scroll_offset.y + y
        return self._shown(row, 1)[0].apply_offsets(0, row)

    @override
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else self._heights.total - 1
        lines: list[str] = []
        for row in range(first, min(last, first + _SELECTED_ROWS) + 1):
            span = selection.get_span(row)
            if span is None:
                continue
            start, end = span
            text = self._text(row)
            lines.append(text[start : None if end == -1 else end].rstrip())
        return "\n".join(lines), "\n"

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._paint.renew()
        self._laid.clear()

    @override
    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._is_ours:
            return
        self.follows = round(new_value) >= self.max_scroll_y
        if round(new_value) < round(old_value):
            self._settle_above()
        self._settle()

    def on_resize(self, event: events.Resize) -> None:
        """Lays everything out for another width."""
        columns = max(self.scrollable_content_region.width, 12)
        if columns != self._look.columns and event.size.width > 0:
            self._look = replace(self._look, columns=columns)
            self._lay_anew()
        else:
            self._settle()

    def on_click(self, event: events.Click) -> None:
        """A click on a card's first row folds or unfolds it."""
        place, inner = self._heights.find(self.scroll_offset.y + event.y)
        if place < len(self._blocks) and self.text_selection is None:
            row = self._heights.top(place) + inner
            if row == self._head(place):
                self.toggle(place)

    # Laying out.

    def _plan_frame(self) -> None:
        if self._frame is None and self.is_attached:
            wait = max(self._drawn_until - anyio.current_time(), 0.001)
            self._frame = self.set_timer(wait, self._draw)

    def _draw(self) -> None:
        began = anyio.current_time()
        self._frame = None
        self._look = replace(self._look, now=self._now())
        first, before = min(self._changed, default=0), self.scroll_offset.y
        for place in self._changed:
            self._laid.pop(place, None)
        self._changed.clear()
        self._settle()
        width, height = self.size
        top = max(self._heights.top(first) - before, 0)
        if self.scroll_offset.y != before:
            self.refresh()
        elif top < height:
            self.refresh(Region(0, top, width, height - top))
        cost = anyio.current_time() - began
        self._drawn_until = began + max(_FRAME_SECONDS, cost * _SHARE)

    def _lay_anew(self) -> None:
        anchor, inner = self._heights.find(self.scroll_offset.y)
        columns = self._look.columns
        self._laid.clear()
        before: Block | None = None
        heights: list[int] = []
        for block in self._blocks:
            heights.append(guess(block, columns) + is_apart(block, before))
            before = block
        self._heights = Heights(heights)
        self._resize_pages()
        if not self.follows and anchor < len(self._blocks):
            self._strips(anchor)
            top = self._heights.top(anchor) + min(inner, self._heights.height(anchor) - 1)
            self._move(top)
        self._settle()
        self.refresh()

    def _settle(self) -> None:
        """Lays out what is on the screen, until the rows fit what they were taken for."""
        height = self.size.height
        if not height or not self._look.columns:
            return
        if self.follows:
            self._settle_from_end(height)
        else:
            place, _ = self._heights.find(self.scroll_offset.y)
            while (
                place < len(self._blocks)
                and self._heights.top(place) < self.scroll_offset.y + height
            ):
                self._strips(place)
                place += 1
        self._resize_pages()
        if self.follows:
            self._move(self.max_scroll_y)
        self._note_place()

    def _head(self, place: int) -> int:
        """The first row of a block, without the empty one before it."""
        before = self._blocks[place - 1] if place else None
        return self._heights.top(place) + is_apart(self._blocks[place], before)

    def _bring_into_view(self, place: int) -> None:
        """As much of a block as there is room for, its first row before all."""
        self._strips(place)
        self._resize_pages()
        head, end = self._head(place), self._heights.top(place + 1)
        top, height = self.scroll_offset.y, self.size.height
        if head < top or end > top + height:
            row = head if head < top else min(head, end - height)
            self.scroll_to(y=max(row, 0), animate=False)
            self.follows = False

    def _settle_from_end(self, height: int) -> None:
        rows, place = 0, len(self._blocks) - 1
        while place >= 0 and rows < height:
            rows += len(self._strips(place))
            place -= 1

    def _settle_above(self) -> None:
        """Lays out what came into view from above; what was in view stays where it is."""
        place, _ = self._heights.find(self.scroll_offset.y)
        if place >= len(self._blocks) or place in self._laid:
            return
        was = self._heights.height(place)
        grown = len(self._strips(place)) - was
        if grown:
            self._resize_pages()
            self._move(max(self.scroll_offset.y + grown, 0))

    def _strips(self, place: int) -> list[Strip]:
        found = self._laid.get(place)
        if found is not None:
            self._laid.move_to_end(place)
            return found
        block = self._blocks[place]
        before = self._blocks[place - 1] if place else None
        rows: list[Row] = [()] if is_apart(block, before) else []
        rows += rows_of(block, self._look)
        width = self.scrollable_content_region.width
        strips = [self._paint.strip(each, width) for each in rows]
        self._laid[place] = strips
        self._heights.change(place, len(strips))
        while len(self._laid) > _KEPT:
            self._laid.popitem(last=False)
        return strips

    def _shown(self, row: int, count: int) -> list[Strip]:
        """The strips of so many rows."""
        place, inner = self._heights.find(row)
        strips: list[Strip] = []
        while len(strips) < count and place < len(self._blocks):
            strips += self._strips(place)[inner:]
            place, inner = place + 1, 0
        missing = count - len(strips)
        if missing > 0:
            width = self.scrollable_content_region.width
            return strips + [self._paint.strip((), width)] * missing
        return strips[:count]

    def _text(self, row: int) -> str:
        place, inner = self._heights.find(row)
        strips = self._strips(place) if place < len(self._blocks) else []
        return strips[inner].text if inner < len(strips) else ""

    def _resize_pages(self) -> None:
        size = Size(self._look.columns, self._heights.total)
        if size != self.virtual_size:
            self._is_ours = True
            self.virtual_size = size
            self._is_ours = False

    def _move(self, row: int) -> None:
        """Shows another place, without a word of the person's."""
        if row == round(self.scroll_y):
            return
        self.scroll_target_y = row
        self.set_scroll(None, row)
        self.vertical_scrollbar.position = row
        self.refresh()

    def _note_place(self) -> None:
        below = max(self._heights.total - self.scroll_offset.y - self.size.height, 0)
        self.post_message(self.Moved(below))
