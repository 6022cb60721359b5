"""A run that a kill cut off between its last words and its end."""

from ouroboros.core.state import State

_CUT = frozenset({"", "unknown", "length", "overflow", "pause"})


def is_answered(state: State) -> bool:
    """The last reply is whole and calls nothing, and the program ended before it could say so."""
    last = state.history[-1]
    is_whole = last.role == "assistant" and not last.calls and state.stop_reason not in _CUT
    return is_whole and not state.ended and not state.queued
