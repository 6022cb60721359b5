"""Longer text that is changed on the whole screen."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from ouroboros.faces.tui.screens.frame import BACK, Framed


class EditScreen(Framed[str]):
    """Gives the changed text; None when it is left."""

    DEFAULT_CSS = """
    EditScreen TextArea { height: 1fr; border: none; padding: 0; }
    EditScreen TextArea:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        Binding("ctrl+s", "take", "Take it", show=False, priority=True),
    ]
    KEYS = "Ctrl-S takes it   Esc leaves it as it was"

    def __init__(self, title: str, text: str) -> None:
        """Begins with ``text``."""
        super().__init__()
        self._title, self._text = title, text

    def body(self) -> ComposeResult:
        """The text."""
        yield TextArea(self._text, soft_wrap=True, show_line_numbers=False, compact=True)

    def begin(self) -> None:
        """At its beginning."""
        self.entitle(self._title)
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.focus()

    def action_take(self) -> None:
        """Gives the text as it is now."""
        self.dismiss(self.query_one(TextArea).text)
