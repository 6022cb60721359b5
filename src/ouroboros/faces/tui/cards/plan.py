"""A plan that waits for the person's yes."""

from functools import partial
from typing import get_args

from textual.content import Content

from ouroboros.core.commands import AcceptPlan, Mode, RefusePlan
from ouroboros.faces.tui.cards.card import Card
from ouroboros.faces.tui.parts.around import window_of
from ouroboros.faces.tui.parts.select import Pick
from ouroboros.faces.tui.screens.edit import EditScreen
from ouroboros.faces.tui.screens.whole import WholeScreen
from ouroboros.faces.wording.rows import Row
from ouroboros.faces.wording.text.markdown import markdown_rows

PLAN = "plan"
_MODES: tuple[Mode, ...] = get_args(Mode.__value__)
_WORDS: dict[Mode, str] = {
    "ask": "ask before each effect",
    "auto-edit": "change files unasked",
    "full-auto": "ask nothing",
}
_LETTERS: dict[Mode, str] = {"ask": "a", "auto-edit": "f", "full-auto": "u"}


class PlanCard(Card):
    """Yes in a mode, yes with changes, no with words to plan on by, or just no."""

    kind = "Plan"

    def __init__(self, plan: str, acting: Mode) -> None:
        """``acting`` is the mode that there was before planning."""
        super().__init__(PLAN)
        self.plan = plan
        self._acting = acting

    def draw(self) -> None:
        """The beginning of the plan."""
        title = ("Carry out this plan?", "bold")
        self.show(Content.assemble(title), partial(plan_rows, self.plan))

    def begin(self) -> None:
        """All answers, the mode of before first."""
        modes = sorted(_WORDS, key=lambda mode: mode != self._acting)
        picks = [
            Pick(
                mode,
                f"Yes, in mode {mode}: {_WORDS[mode]}",
                "y" if not at else _LETTERS[mode],
                short=mode,
            )
            for at, mode in enumerate(modes)
        ]
        picks += [
            Pick("edit", "Yes, with changes of mine", "e", short="edit"),
            Pick("on", "No, and say how to plan on", "n", short="no"),
            Pick("drop", "No; leave it", "x", short="leave"),
            Pick("whole", "See all of it", "i", short="all"),
        ]
        self.ask(picks)

    def take(self, step: str, name: str) -> None:
        """Follows a choice."""
        match name:
            case "edit":
                window_of(self).push_screen(EditScreen("The plan", self.plan), self._edited)
            case "on":
                self.ask_words("What should the plan do otherwise? (Esc: back)", "", step="on")
            case "drop":
                self.say(RefusePlan())
            case "whole":
                screen = WholeScreen("The plan", partial(plan_rows, self.plan))
                window_of(self).push_screen(screen, lambda _: self._back())
            case _:
                mode: Mode = next(each for each in _MODES if each == name)
                self.say(AcceptPlan(mode=mode))

    def take_words(self, step: str, text: str) -> None:
        """Why not."""
        self.say(RefusePlan(text=text.strip()))

    def _edited(self, text: str | None) -> None:
        if text is not None and text.strip():
            self.say(AcceptPlan(text="" if text == self.plan else text))
        else:
            self._back()

    def _back(self) -> None:
        self.answers.focus()


def plan_rows(plan: str, width: int) -> list[Row]:
    """The plan as it reads."""
    return markdown_rows(plan, width, colours=16)
