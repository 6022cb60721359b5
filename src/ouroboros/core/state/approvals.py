"""What waits for the person's yes, and what they said yes to for longer."""

from ouroboros.core.events import PermissionAnswered, PermissionRemembered, PermissionRequested
from ouroboros.core.state.present import Present


def apply(
    state: Present, event: PermissionRequested | PermissionAnswered | PermissionRemembered
) -> None:
    """Takes in one event of an approval."""
    match event:
        case PermissionRemembered():
            state.remembered += () if event.problem else event.rules
        case PermissionRequested(request_id=request_id):
            state.approvals[request_id] = event
            state.status = "waiting"
        case PermissionAnswered(request_id=request_id):
            asked = state.approvals.pop(request_id, None)
            if asked and event.allowed and event.scope == "session":
                _remember(state, asked, event)
            state.status = "waiting" if state.is_asking else "running"


def _remember(state: Present, asked: PermissionRequested, answer: PermissionAnswered) -> None:
    if answer.rules:
        state.remembered += answer.rules
    elif asked.always and not answer.input:
        state.remembered += asked.always
    elif asked.grant and not answer.input:
        state.granted.append(asked.grant)
