"""One card of the conversation under the keys: marked, moved on from, folded and unfolded."""

from typing import Literal, Protocol

from textual import events

from ouroboros.faces.tui.keys import Keys
from ouroboros.faces.tui.transcript.view import Transcript


class Line(Protocol):
    """The prompt, as it is told that keys are not for it."""

    def lend(self, keys: str) -> None:
        """What keys do for now; nothing where they are its own again."""
        ...


class Marking:
    """Takes keys away from the prompt for as long as a card is marked."""

    def __init__(self, transcript: Transcript, line: Line, keys: Keys) -> None:
        """No card is marked."""
        self._transcript, self._line, self._keys = transcript, line, keys

    def take(self, event: events.Event) -> bool:
        """True for a key that marks a card or means the one that is marked; any other takes the mark away."""
        match event:
            case events.Key(key=key) if self._transcript.marked is None:
                return self._begin(self._keys.action(key, "transcript"))
            case events.Key(key=key):
                return self._press(self._keys.action(key, "card", "transcript"))
            case events.Paste() | events.MouseDown():
                self._leave()
            case _:
                pass
        return False

    def _begin(self, action: str) -> bool:
        self._line.lend("")
        if action in {"mark_above", "mark_below"}:
            self._mark(-1 if action == "mark_above" else 1)
            return True
        return False

    def _press(self, action: str) -> bool:
        match action:
            case "mark_above" | "card_above":
                self._mark(-1)
            case "mark_below" | "card_below":
                self._mark(1)
            case "card_toggle":
                self._transcript.toggle_marked()
            case "page_up" | "page_down" | "unfold" | "side_by_side":
                return False
            case _:
                self._leave()
                return action == "card_leave"
        return True

    def _mark(self, step: Literal[-1, 1]) -> None:
        if self._transcript.mark(step):
            toggle, leave = self._keys.shown("card_toggle"), self._keys.shown("card_leave")
            self._line.lend(f"{toggle} unfolds or folds, {leave} leaves")

    def _leave(self) -> None:
        self._transcript.unmark()
        self._line.lend("")
