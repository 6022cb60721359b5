"""Calls that wait for the person's words."""

from ouroboros.core.events import Event
from ouroboros.core.events.question import UserAnswered, UserAsked
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in one question or its answer."""
    match event:
        case UserAsked(request_id=request_id, call_id=call_id):
            state.asked[request_id] = call_id
            state.status = "waiting"
        case UserAnswered(request_id=request_id):
            state.asked.pop(request_id, None)
            state.status = "waiting" if state.is_asking else "running"
        case _:
            pass
