"""How the bytes of a stream are cut into frames."""

from typing import Protocol

from msgspec import Struct


class Frame(Struct, frozen=True, gc=False):
    """One event of a stream: its kind, where the framing names one, and its JSON text."""

    event: str
    data: str


class Framing(Protocol):
    """Cuts the bytes of a stream into frames, the same ones however the bytes were cut.

    Raises ``ModelFailed`` for bytes that can be no such stream and nothing else.
    """

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        ...

    def end(self) -> list[Frame]:
        """What was left open when the bytes ended."""
        ...
