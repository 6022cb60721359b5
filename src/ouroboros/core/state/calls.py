"""Calls of tools: those that are open, and the answers of those that are not."""

from ouroboros.core.events import ToolAttempted, ToolResulted, ToolStarted
from ouroboros.core.parts import ToolResult
from ouroboros.core.state.present import OpenCall, Present


def apply(state: Present, event: ToolStarted | ToolAttempted | ToolResulted) -> None:
    """Takes in one event of a call."""
    match event:
        case ToolStarted(call_id=call_id, name=name, arguments=arguments):
            state.calls[call_id] = OpenCall(
                name=name, arguments=arguments, phase="started", within=event.within
            )
        case ToolAttempted(call_id=call_id):
            if call_id in state.calls:
                state.calls[call_id].phase = "attempted"
        case ToolResulted(call_id=call_id, within=within) if within:
            state.calls.pop(call_id, None)
            state.taint(event.sources)
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
