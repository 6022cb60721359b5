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


class Files(Struct, kw_only=True):
    """The checkpoints in order, and what was taken back, the latest last."""

    kept: list[Kept] = field(default_factory=list[Kept])
    undone: list[Undone] = field(default_factory=list[Undone])

    def end(self) -> None:
        """A run is over, or its program is."""
        if self.kept and self.kept[-1].kind == "before":
            self.kept[-1] = msgspec.structs.replace(self.kept[-1], was_cut=True)
