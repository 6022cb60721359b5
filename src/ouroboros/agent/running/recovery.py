"""What a program that ended in the middle left open: closed, or waiting still."""

from ouroboros.agent.roles import Journal
from ouroboros.agent.running.ending import ended
from ouroboros.core.events import PermissionAnswered
from ouroboros.core.events.question import UserAnswered
from ouroboros.core.parts import ToolCall
from ouroboros.core.state import OpenCall, State

NOT_RUN = "aborted: the program ended before this call ran; it did not run."


def waiting(state: State) -> tuple[ToolCall, ...]:
    """Calls of the model that waited for a yes and had not begun; none that code made."""
    asked = {question.call_id for question in state.approvals.values()}
    return tuple(
        call
        for message in state.history
        for call in message.calls
        if call.id in asked
        and (found := state.calls.get(call.id)) is not None
        and found.phase == "started"
        and not found.within
    )


def close(state: State, journal: Journal) -> list[OpenCall]:
    """Gives the rest its end; the calls that may have taken effect are given back."""
    kept = {call.id for call in waiting(state)}
    for asked in tuple(state.approvals.values()):
        if asked.call_id not in kept:
            journal.record(
                PermissionAnswered(
                    request_id=asked.request_id,
                    call_id=asked.call_id,
                    allowed=False,
                    decider="cancelled",
                )
            )
    unknown: list[OpenCall] = []
    unanswered = set(state.asked.values())
    for request_id, call_id in tuple(state.asked.items()):
        journal.record(UserAnswered(request_id=request_id, call_id=call_id))
    for call_id, call in tuple(state.calls.items()):
        if call_id in kept:
            continue
        # A question that nobody had answered did nothing.
        acted = call.phase == "attempted" and call_id not in unanswered
        if acted:
            unknown.append(call)
        journal.record(ended(call_id, call, NOT_RUN, acted=acted))
    return unknown
