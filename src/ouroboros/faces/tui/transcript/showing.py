"""Brings kept pictures to a terminal that can show them, one after the other."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from anyio import to_thread

from ouroboros.faces.tui.transcript.blocks import Block, Picture
from ouroboros.faces.tui.transcript.graphics import Way, cells_for, transmitted
from ouroboros.faces.tui.transcript.page import Page

_FIRST = 4_096
_MOST = 200


class Showing:
    """Gives each picture its number, and its cells once the terminal has it."""

    def __init__(self, way: Way, page: Page, write: Callable[[str], None]) -> None:
        """``write`` puts a sequence on the terminal between two frames."""
        self._way, self._page, self._write = way, page, write
        self._numbers = count(_FIRST)
        self._last: Picture | None = None

    def next(self, blocks: Sequence[Block]) -> Picture | None:
        """The latest block, if it is a picture that was not asked for before and can be shown here."""
        last = blocks[-1] if blocks else None
        if self._way == "off" or not isinstance(last, Picture) or last is self._last:
            return None
        self._last = last
        return last

    async def show(self, block: Picture, home: Path, columns: int) -> None:
        """Sends one picture; what cannot be shown stays a path."""
        from ouroboros.app.thumbnails import thumbnail

        found = await to_thread.run_sync(thumbnail, home, block.path)
        number = next(self._numbers)
        if found is None or number >= _FIRST + _MOST:
            return
        across, down = cells_for(found.width, found.height, max(columns - 4, 1))
        for piece in transmitted(number, found.content, across, down):
            self._write(piece)
        block.number, block.columns, block.rows = number, across, down
        self._page.touch(block)
