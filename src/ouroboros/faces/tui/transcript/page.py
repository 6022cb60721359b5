"""Where blocks are written down."""

from typing import Protocol

from ouroboros.faces.tui.transcript.blocks import Block


class Page(Protocol):
    """A list of blocks that somebody looks at."""

    def add(self, block: Block) -> None:
        """Puts a block at the end."""
        ...

    def touch(self, block: Block) -> None:
        """Says that a block has changed."""
        ...
