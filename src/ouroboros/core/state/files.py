"""Which checkpoints of the files there are, and which turns were taken back."""

import msgspec
from msgspec import Struct, field


class Kept(Struct, frozen=True, kw_only=True, gc=False):
    """A checkpoint in its place between the other events; ``seq`` is that of its event.

    Attributes:
        was_cut: The run ended before it was kept what it had made of the files.
        open_seconds: How long a command had been at work since the one before it.
        written: What code said that it writes in that while.
    """

    seq: int
    checkpoint: str
    tree: str
    kind: str
    call_id: str = ""
    paths: tuple[str, ...] = ()
    was_cut: bool = False
    open_seconds: float = 0.0
    written: tuple[str, ...] = ()


class Undone(Struct, frozen=True, kw_only=True):
    """Turns that were taken back and can be had again, and what stood there before."""

    turns: int
    head: str
    start: str


class Back(Struct, frozen=True, kw_only=True):
    """Files that the person brought back since they said something.

    Attributes:
        paths: The first of them; ``is_more`` where there are others.
        message_id: The words before which they were so; empty where no words are meant.
        head: Where the conversation stood when turns were taken back or had again with them.
    """

    paths: tuple[str, ...]
    is_more: bool = False
    message_id: str = ""
    head: str | None = None


class Files(Struct, kw_only=True):
    """The checkpoints in order, what was taken back, the latest last, and what no model knows yet."""

    kept: list[Kept] = field(default_factory=list[Kept])
    undone: list[Undone] = field(default_factory=list[Undone])
    back: Back | None = None

    def end(self) -> None:
        """A run is over, or its program is."""
        if self.kept and self.kept[-1].kind == "before":
            self.kept[-1] = msgspec.structs.replace(self.kept[-1], was_cut=True)
