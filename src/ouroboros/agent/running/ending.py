"""How a run ends on record: what is open gets its result first."""

from ouroboros.agent.context.messages import ABORTED
from ouroboros.agent.roles import Journal
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import ErrorRaised, TaskCancelled, TaskCompleted, ToolResulted
from ouroboros.core.parts import Text
from ouroboros.core.state import State


def end(state: State, journal: Journal, ending: TaskCancelled | TaskCompleted) -> None:
    """Gives every call that is still open its result, then ends the run, unless it has ended."""
    for call_id, call in tuple(state.calls.items()):
        journal.record(
            ToolResulted(
                call_id=call_id,
                name=call.name,
                status="cancelled",
                parts=(Text(text=ABORTED),),
                within=call.within,
            )
        )
    if not state.ended:
        journal.record(ending)


def crashed(state: State, journal: Journal, bug: Exception) -> None:
    """Ends the run as failed, as far as there still is a record."""
    if not isinstance(bug, StoreFailed):
        message = f"{type(bug).__name__}: {bug}"
        journal.record(ErrorRaised(fault="runtime", kind="bug", message=message))
        end(state, journal, TaskCompleted(reason="failed", final=state.final))
