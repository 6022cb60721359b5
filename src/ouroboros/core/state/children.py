"""Runs that a run started: how many, and what they cost."""

from ouroboros.core.events import Event
from ouroboros.core.events.fleet import SubagentCompleted, SubagentReplied, SubagentStarted
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in one event of a child."""
    match event:
        case SubagentStarted(child=child, task=task):
            state.sub_calls += 1
            state.children[child] = task
        case SubagentCompleted(child=child):
            state.children.pop(child, None)
        case SubagentReplied(usage=usage, cost=cost):
            state.spent.add(usage, cost)
        case _:
            pass
