"""How a run ends on record: what is open gets its result first."""

from ouroboros.agent.context.messages import ABORTED
from ouroboros.agent.roles import Journal
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import (
    CallStatus,
    ErrorRaised,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
)
from ouroboros.core.parts import Text
from ouroboros.core.state import OpenCall, State

UNKNOWN = (
    "The program ended while this call was running. Whether it took effect is unknown: "
    "look before you run it again."
)


def ended(
    call_id: str, call: OpenCall, text: str, status: CallStatus = "cancelled"
) -> ToolResulted:
    """The result of a call that came to no end, in these words."""
    return ToolResulted(
        call_id=call_id,
        name=call.name,
        status=status,
        parts=(Text(text=text),),
        within=call.within,
    )


def end(state: State, journal: Journal, ending: TaskCancelled | TaskCompleted) -> None:
    """Gives every call that is still open its result, then ends the run, unless it has ended."""
    for call_id, call in tuple(state.calls.items()):
        journal.record(ended(call_id, call, ABORTED))
    if not state.ended:
        journal.record(ending)


def crashed(state: State, journal: Journal, bug: Exception) -> None:
    """Ends the run as failed, as far as there still is a record."""
    if not isinstance(bug, StoreFailed):
        message = f"{type(bug).__name__}: {bug}"
        journal.record(ErrorRaised(fault="runtime", kind="bug", message=message))
        end(state, journal, TaskCompleted(reason="failed", final=state.final))
