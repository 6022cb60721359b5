"""A run that a kill cut off between its last words and its end."""

from ouroboros.core.state import State

_CUT = frozenset({"", "unknown", "length", "overflow", "pause"})


def is_answered(state: State) -> bool:
    """The last reply ends the run, by itself or by a call, and the program ended before it could say so."""
    last = state.history[-1]
    if last.role != "assistant" or state.ended or state.queued:
        return False
    if last.calls:
        return state.finished_by_tool and not state.calls
    return state.stop_reason not in _CUT
