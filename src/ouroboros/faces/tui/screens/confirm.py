"""Small questions in the middle of the screen: really, and by what name."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ouroboros.app.text import plain
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.parts.typing import Words


class Confirm(ModalScreen[str]):
    """Something that cannot be taken back: gives ``yes`` or None; Enter alone takes the careful answer."""

    DEFAULT_CSS = """
    Confirm { align: center middle; }
    Confirm Vertical { width: 60; max-width: 100%; height: auto; border: round $error;
        background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", show=False)]

    def __init__(self, words: str, yes: str) -> None:
        """``yes`` is what would be done, as words."""
        super().__init__()
        self._words, self._yes = words, yes

    def compose(self) -> ComposeResult:
        """The question, no and yes."""
        with Vertical():
            yield Static(plain(self._words), markup=False)
            yield Select([Pick("no", "No", "n"), Pick("yes", self._yes, "y")])

    def on_mount(self) -> None:
        """Takes the keys."""
        self.query_one(Select).focus()

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """The answer."""
        event.stop()
        self.dismiss("yes" if event.name == "yes" else None)

    def action_no(self) -> None:
        """No."""
        self.dismiss(None)


class Naming(ModalScreen[str]):
    """A line to type; None when it is left."""

    DEFAULT_CSS = """
    Naming { align: center middle; }
    Naming Vertical { width: 60; max-width: 100%; height: auto; border: round $primary;
        background: $surface; padding: 0 1; }
    Naming Input { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, words: str, text: str = "", *, secret: bool = False) -> None:
        """Begins with ``text``; a ``secret`` one is not shown."""
        super().__init__()
        self._words, self._text, self._secret = words, text, secret

    def compose(self) -> ComposeResult:
        """What is asked for, and the line."""
        with Vertical():
            yield Static(plain(self._words), markup=False)
            yield Words(self._text, secret=self._secret)

    def on_mount(self) -> None:
        """Takes the keys."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes it."""
        event.stop()
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Leaves it as it was."""
        self.dismiss(None)
