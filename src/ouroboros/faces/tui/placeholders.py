"""What stands in for the prompt and the cards until they are there."""

from typing import Literal

from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from ouroboros.core.events import Envelope
from ouroboros.core.parts import Media
from ouroboros.core.state import State


class Prompt(Input):
    """A line to type into."""

    DEFAULT_CSS = "Prompt, Prompt:focus { height: 1; border: none; padding: 0 1; }"
    is_at_work: reactive[bool] = reactive(default=False)

    class Said(Message):
        """Words for the model."""

        def __init__(
            self, text: str, how: Literal["steer", "queue"] = "steer", media: tuple[Media, ...] = ()
        ) -> None:
            """Holds them."""
            super().__init__()
            self.text, self.how, self.media = text, how, media

    class Line(Message):
        """A command."""

        def __init__(self, text: str) -> None:
            """Holds it."""
            super().__init__()
            self.text = text

    class Escaped(Message):
        """Escape was pressed."""

        def __init__(self, *, twice: bool) -> None:
            """Says how often."""
            super().__init__()
            self.twice = twice

    class ModeNext(Message):
        """The next mode is wanted."""

    def on_input_submitted(self) -> None:
        """Sends what was typed."""
        text, self.value = self.value, ""
        if text.startswith(("/", "!", "# ")):
            self.post_message(self.Line(text))
        elif text.strip():
            self.post_message(self.Said(text))

    def key_escape(self) -> None:
        """Stops."""
        self.post_message(self.Escaped(twice=False))


class CardSlot(Widget):
    """Where open questions are shown."""

    DEFAULT_CSS = "CardSlot { height: auto; display: none; }"

    def take(self, envelope: Envelope) -> None:
        """Takes in an event."""

    def sync(self, state: State) -> None:
        """Shows what is open."""
