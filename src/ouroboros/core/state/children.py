"""Runs that a run started: how many, and what they cost."""

from ouroboros.core.events import Event
from ouroboros.core.events.fleet import SubagentReplied, SubagentStarted
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in one event of a child."""
    match event:
        case SubagentStarted():
            state.sub_calls += 1
        case SubagentReplied(usage=usage, cost=cost):
            state.spent.add(usage, cost)
        case _:
            pass
