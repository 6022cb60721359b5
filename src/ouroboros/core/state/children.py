"""Runs that a run started: how many, how far they are, and what they cost."""

from ouroboros.core.events import Event
from ouroboros.core.events.fleet import SubagentCompleted, SubagentReplied, SubagentStarted
from ouroboros.core.state.present import Child, Present

LOST = "lost"
"""The reason of a child's end that came with the end of the program."""


def apply(state: Present, event: Event) -> None:
    """Takes in one event of a child."""
    match event:
        case SubagentStarted(child=child, task=task, kind=kind):
            state.sub_calls += 1
            state.children[child] = Child(task=task, kind=kind)
        case SubagentCompleted(child=child, reason="lost") if child in state.lost:
            found = state.lost.pop(child)
            for call in state.calls.values():
                if call.phase == "attempted" and not call.within:
                    call.lost[child] = found
        case SubagentCompleted(child=child):
            state.children.pop(child, None)
        case SubagentReplied(usage=usage, cost=cost):
            state.spent.add(usage, cost)
        case _:
            pass
