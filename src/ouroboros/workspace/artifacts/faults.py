"""What is wrong with a bundle, and where."""

from ouroboros.core.errors import OuroborosError


class Malformed(OuroborosError):
    """A bundle, or a block of it, that is not taken.

    Attributes:
        why: In words, without the place.
        source: The bundle's file as the person wrote it; empty where it has none.
        block: Counted from 1; 0 for none.
        path: The file that the block is about, as it says.
        line: In the bundle, counted from 1; 0 for none.
    """

    def __init__(
        self,
        why: str,
        *,
        source: str = "",
        block: int = 0,
        path: str = "",
        line: int = 0,
        hint: str = "",
    ) -> None:
        """Makes one line of it."""
        self.why, self.source = why, source
        self.block, self.path, self.line = block, path, line
        places = (
            source,
            f"line {line}" if line else "",
            f"block {block}" if block else "",
            f"{path!r}" if path else "",
        )
        super().__init__(": ".join([*filter(None, places), why]), hint=hint)

    def of(self, source: str) -> "Malformed":
        """The same, with the bundle's file named."""
        return Malformed(
            self.why,
            source=source,
            block=self.block,
            path=self.path,
            line=self.line,
            hint=self.hint,
        )
