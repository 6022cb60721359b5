"""How a model's context is filled, as numbers that a face can show."""

from typing import Literal

from msgspec import Struct


class Block(Struct, frozen=True, kw_only=True):
    """What one kind of content takes, in tokens."""

    name: str
    tokens: int


class Meter(Struct, frozen=True, kw_only=True):
    """What the next request would hold, by kind of content.

    Attributes:
        used: Tokens of all blocks together.
        source: Who counted: the provider, with what came since estimated, or we alone. How the sum is
            shared out among the blocks is estimated either way.
        limit: Tokens at which the history is summarised; None where it never is.
        window: Tokens that may be used at all.
        is_assumed: Nobody says how large the model's window is.
    """

    model: str
    blocks: tuple[Block, ...]
    used: int
    source: Literal["reported", "estimated"]
    limit: int | None
    window: int
    is_assumed: bool = False

    @property
    def free(self) -> int:
        """Tokens that are left of the window."""
        return max(0, self.window - self.used)
