"""What a program that ended in the middle left open: closed, or to be gone on with."""

from collections.abc import Mapping

from ouroboros.agent.context.standing import child_line
from ouroboros.agent.roles import Journal
from ouroboros.agent.running.ending import UNKNOWN, ended
from ouroboros.core.events import PermissionAnswered
from ouroboros.core.events.fleet import SubagentCompleted
from ouroboros.core.events.question import UserAnswered
from ouroboros.core.parts import ToolCall
from ouroboros.core.state import OpenCall, State
from ouroboros.core.state.children import LOST
from ouroboros.core.state.present import Child

NOT_RUN = "aborted: the program ended before this call ran; it did not run."
LEFT = (
    "aborted: the program ended while children worked for this call; it had done nothing else, and "
    "its variables are those of before."
)
_BLOCK = "repl"


def waiting(state: State) -> tuple[ToolCall, ...]:
    """Calls of the model that waited for a yes and had not begun; none that code made."""
    asked = {question.call_id for question in state.approvals.values()}
    return tuple(
        call
        for call in _open(state)
        if call.id in asked and state.calls[call.id].phase == "started"
    )


def repeatable(state: State) -> tuple[ToolCall, ...]:
    """Blocks of code that were cut off while children worked for them, and that did nothing else.

    Running one again starts its children again and repeats no effect; a second time is not tried.
    """
    if state.held.is_older:  # it would be given other variables than it had
        return ()
    return tuple(call for call in _open(state) if _may_repeat(state.calls[call.id]))


def _open(state: State) -> list[ToolCall]:
    if not state.calls:
        return []
    calls = (call for message in state.history for call in message.calls)
    return [call for call in calls if call.id in state.calls and not state.calls[call.id].within]


def _may_repeat(call: OpenCall) -> bool:
    began = call.name == _BLOCK and call.phase == "attempted"
    return began and bool(call.lost) and not (call.acted or call.is_again)


def close(state: State, journal: Journal) -> list[OpenCall]:
    """Gives the rest its end; the calls that may have taken effect are given back."""
    for child, found in tuple(state.lost.items()):
        journal.record(SubagentCompleted(child=child, reason=LOST, final=child_line(found)))
    kept = {call.id for call in (*waiting(state), *repeatable(state))}
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
        status = "unknown-after-crash" if acted else "cancelled"
        text = UNKNOWN if acted else NOT_RUN
        journal.record(ended(call_id, call, text + gone(call.lost), status))
    return unknown


def leave(state: State, journal: Journal) -> None:
    """Ends what could have been repeated: the person wants something else now."""
    for call in repeatable(state):
        found = state.calls[call.id]
        journal.record(ended(call.id, found, LEFT + gone(found.lost), "cancelled"))


def gone(lost: Mapping[str, Child]) -> str:
    """What there is to say of children that ended with the program; empty where there were none."""
    lines = [f"- {name}: {child_line(child)}" for name, child in lost.items()]
    return (
        "\n".join(["\nChildren that ended with it, their answers are lost:", *lines])
        if lines
        else ""
    )
