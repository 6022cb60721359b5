"""What the REPL mind's code did, what its variables hold, and where a goal begins a turn anew."""

from msgspec.structs import replace

from ouroboros.core.events import Event
from ouroboros.core.events.code import EnvironmentUpdated, IterationStarted, VariablesKept
from ouroboros.core.events.goal import GoalContinued
from ouroboros.core.state.present import Present
from ouroboros.core.state.tree import Held


def apply(state: Present, event: Event) -> None:
    """Takes in one event of the session's own code; a child's is its own."""
    match event:
        case IterationStarted(child=""):
            state.iteration = event.iteration
        case IterationStarted(child=child) if child in state.children:
            state.children[child].iterations = event.iteration
        case EnvironmentUpdated(child=""):
            state.variables = event.metadata
        case VariablesKept(name=""):
            state.held = replace(state.held, is_older=True)
        case VariablesKept(name=name, names=names):
            state.held = Held(name=name, names=names)
        case GoalContinued():  # this turn may take as many as one that words began
            state.goes_on = True
            state.iterated = state.iteration
            state.sub_calls = state.silent = 0
        case _:
            pass
