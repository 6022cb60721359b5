"""A run that a kill cut off between its last words and its end."""

from ouroboros.agent.loop import Run
from ouroboros.core.events import TaskCompleted, UserMessage
from ouroboros.core.state import State

_CUT = frozenset({"", "unknown", "length", "overflow", "pause"})


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
