"""Calls of tools: those that are open, and the answers of those that are not."""

from ouroboros.core.events import ToolAttempted, ToolResulted, ToolStarted
from ouroboros.core.parts import ToolResult
from ouroboros.core.state.present import OpenCall, Present

_ONCE = frozenset({"store", "create_goal", "update_goal", "request_user_input"})
"""Calls of code that touch nothing outside of the session, and are not to be made twice all the same."""


def apply(state: Present, event: ToolStarted | ToolAttempted | ToolResulted) -> None:
    """Takes in one event of a call."""
    match event:
        case ToolStarted(call_id=call_id, name=name, arguments=arguments):
            before = state.calls.get(call_id)
            state.calls[call_id] = OpenCall(
                name=name,
                arguments=arguments,
                phase="started",
                within=event.within,
                is_again=before is not None and before.phase == "attempted",
            )
        case ToolAttempted(call_id=call_id):
            if call_id in state.calls:
                state.calls[call_id].phase = "attempted"
                _note_act(state, state.calls[call_id].within)
        case ToolResulted(call_id=call_id, within=within) if within:
            state.calls.pop(call_id, None)
            state.taint(event.sources)
            _note_act(state, within if event.name in _ONCE else "")
        case ToolResulted(call_id=call_id):
            state.calls.pop(call_id, None)
            state.unread += event.sources
            result = ToolResult(
                call_id=call_id, name=event.name, parts=event.parts, ok=event.status == "done"
            )
            state.results[call_id] = state.tree.answers[call_id] = result
            if event.final:
                state.finished_by_tool = True
                state.final = result.text if event.answer is None else event.answer


def _note_act(state: Present, within: str) -> None:
    """Code acted: that of a child counts for the call that the child works for."""
    if within:
        for call in state.calls.values():
            call.acted = call.acted or not call.within
