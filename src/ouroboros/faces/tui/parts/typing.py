"""A few lines to type into: Enter takes them, Esc leaves them."""

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

_NEWLINE = frozenset({"shift+enter", "ctrl+j", "alt+enter", "ctrl+enter"})


class Lines(TextArea):
    """As tall as its text, up to the room there is."""

    DEFAULT_CSS = """
    Lines { height: auto; min-height: 1; max-height: 8; border: none; padding: 0; }
    Lines:focus { border: none; }
    """

    @dataclass
    class Taken(Message):
        """Enter was pressed."""

        lines: "Lines"
        text: str

        @property
        def control(self) -> "Lines":
            """Whose it is."""
            return self.lines

    @dataclass
    class Left(Message):
        """Esc was pressed."""

        lines: "Lines"

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        """Begins with ``text``, at its end."""
        super().__init__(text, id=id, soft_wrap=True, show_line_numbers=False, compact=True)
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    def begin(self, text: str) -> None:
        """Other text, to be gone on with at its end."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    async def on_key(self, event: events.Key) -> None:
        """Enter and Esc are no part of the text."""
        match event.key:
            case "enter":
                self.post_message(self.Taken(self, self.text))
            case "escape":
                self.post_message(self.Left(self))
            case key if key in _NEWLINE:
                self.insert("\n")
            case _:
                return
        event.stop()
        event.prevent_default()


class Words(Input):
    """One line to type into; its cursor stands still, and costs nothing while nobody types."""

    DEFAULT_CSS = "Words, Words:focus { border: none; height: 1; padding: 0; }"

    def __init__(
        self, text: str = "", *, asking: str = "", secret: bool = False, id: str | None = None
    ) -> None:
        """Begins with ``text``; ``asking`` stands in its place; a ``secret`` one is not shown."""
        super().__init__(text, placeholder=asking, password=secret, id=id, compact=True)
        self.cursor_blink = False
