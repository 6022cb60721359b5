"""Plans that wait for the person, words that wait for the run's end, folders that came in."""

from ouroboros.core.events import Event
from ouroboros.core.events.asides import PlanAnswered, PlanProposed, WordsDropped, WordsQueued
from ouroboros.core.events.session import RepoLoaded
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
        case RepoLoaded(path=path) if path not in state.visited:
            state.visited.append(path)
        case _:
            pass
