"""A review that a session makes beside its conversation."""

from ouroboros.core.events import Event
from ouroboros.core.events.review import ReviewEntered, ReviewExited
from ouroboros.core.state.growth import say
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in that a review began, or what came of it."""
    match event:
        case ReviewEntered(subject=subject):
            state.reviewing = subject
            state.status = "running"
        case ReviewExited(messages=messages):
            state.reviewing = ""
            state.status = "idle"
            for message in messages:
                say(state, message)
        case _:
            pass
