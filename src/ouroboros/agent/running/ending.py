"""How a run ends on record: what is open gets its result first."""

from ouroboros.agent.context.messages import ABORTED
from ouroboros.agent.loop import Run
from ouroboros.agent.roles import Journal
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import (
    ErrorRaised,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
    UserMessage,
)
from ouroboros.core.parts import Text
from ouroboros.core.state import State

_CUT = frozenset({"", "unknown", "length", "overflow", "pause"})


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


def is_answered(state: State) -> bool:
    """The last reply is whole and calls nothing, and the program ended before it could say so."""
    last = state.history[-1]
    is_whole = last.role == "assistant" and not last.calls and state.stop_reason not in _CUT
    return is_whole and not state.ended and not state.queued


async def judged(run: Run) -> bool:
    """Ends a run whose last reply is there already, as its own process would have; whether it did."""
    verdict = run.mind.verdict(run.state)
    if isinstance(verdict, TaskCompleted):
        verdict = await run.stopping(verdict)
    match verdict:
        case TaskCompleted():
            await run.closing()
            run.journal.record(verdict)
            return True
        case None:
            return False
        case words:
            run.journal.record(UserMessage(message=words))
            return False
