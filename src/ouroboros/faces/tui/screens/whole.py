"""Long text on the whole screen."""

from collections.abc import Mapping

from textual import events
from textual.app import ComposeResult

from ouroboros.faces.tui.parts.pager import Lay, Pager
from ouroboros.faces.tui.screens.frame import Framed


class WholeScreen(Framed[str]):
    """Shows all of a text; gives the letter that was pressed, if it is one of the answers."""

    def __init__(self, title: str, lay: Lay, *, answers: Mapping[str, str] | None = None) -> None:
        """``answers`` are letters and what they mean."""
        super().__init__()
        self._title, self._lay, self._answers = title, lay, dict(answers or {})

    def body(self) -> ComposeResult:
        """The text."""
        yield Pager(self._lay, id="text")

    def begin(self) -> None:
        """Says which keys there are."""
        self.entitle(self._title)
        answers = "".join(f"{letter} {words}   " for letter, words in self._answers.items())
        self.show_keys(f"{answers}Up, Down, PageUp, PageDown   q, Esc back")
        self.query_one(Pager).focus()

    def on_key(self, event: events.Key) -> None:
        """An answer."""
        if event.key == "q":
            event.stop()
            self.dismiss(None)
        elif event.character in self._answers and event.character:
            event.stop()
            self.dismiss(event.character)
