"""Plans that wait for the person, and words that wait for the end of the run."""

from ouroboros.core.events import Event
from ouroboros.core.events.asides import PlanAnswered, PlanProposed, WordsDropped, WordsQueued
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in one of them."""
    match event:
        case PlanProposed(text=text):
            state.proposed = text
        case PlanAnswered():
            state.proposed = ""
        case WordsQueued(id=id, text=text):
            state.later[id] = text
        case WordsDropped(id=id):
            state.later.pop(id, None)
        case _:
            pass
