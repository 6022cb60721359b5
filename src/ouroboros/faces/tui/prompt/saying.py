"""What the prompt tells the application, and what it needs of it besides the session."""

from contextlib import AbstractContextManager
from typing import Literal, Protocol

from textual.geometry import Offset
from textual.message import Message

from ouroboros.core.parts import Media
from ouroboros.faces.tui.host import Host


class Around(Host, Protocol):
    """The application, with the terminal.

    Attributes:
        cursor_position: Where input methods show what is being composed.
    """

    cursor_position: Offset

    def copy_to_clipboard(self, text: str) -> None:
        """Asks the terminal to keep a text."""
        ...

    def suspend(self) -> AbstractContextManager[None]:
        """Gives the terminal away until the end of the block."""
        ...


class Said(Message, namespace="prompt"):
    """Words for the model: at its next step, or once the run has ended."""

    def __init__(
        self, text: str, how: Literal["steer", "queue"] = "steer", media: tuple[Media, ...] = ()
    ) -> None:
        """Holds them."""
        super().__init__()
        self.text, self.how, self.media = text, how, media


class Line(Message, namespace="prompt"):
    """A line that begins with a slash, ``!`` or ``# ``."""

    def __init__(self, text: str) -> None:
        """Holds it."""
        super().__init__()
        self.text = text


class Escaped(Message, namespace="prompt"):
    """Escape was pressed, and had nothing to close here."""

    def __init__(self, *, twice: bool) -> None:
        """Says how often."""
        super().__init__()
        self.twice = twice


class ModeNext(Message, namespace="prompt"):
    """The next mode is wanted."""
