"""The state as a fold: which subject takes in which event."""

from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    Event,
    ModelSwitched,
    PermissionAnswered,
    PermissionRemembered,
    PermissionRequested,
    PermissionsGranted,
    PlanUpdated,
    SessionReady,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.state import approvals, calls, conversation, run
from ouroboros.core.state.goals import Goals
from ouroboros.core.state.present import Present


class State(Present, kw_only=True):
    """A session's present, changed by ``apply`` alone."""

    def apply(self, envelope: Envelope) -> None:
        """Takes in one durable event; anything else leaves the state as it is."""
        event = envelope.data
        if not event.durable:
            return
        self.seq = envelope.seq
        self.session = envelope.session
        match event:
            case ToolStarted() | ToolAttempted() | ToolResulted():
                calls.apply(self, event)
            case UserMessage() | AgentMessage() | TurnStarted() | ContextCompacted():
                conversation.apply(self, event)
            case PermissionRequested() | PermissionAnswered() | PermissionRemembered():
                approvals.apply(self, event)
            case SessionReady() | SettingsChanged() | TaskCompleted() | TaskCancelled():
                run.apply(self, event)
            case ModelSwitched(new=new):
                self.fallback = "" if new == self.model else new
            case PlanUpdated(steps=steps):
                self.plan = steps
            case PermissionsGranted():
                self.grants.append(event)
            case _:
                _apply_rare(self, event)
        if self.goals is not None:
            self.goals.follow(envelope, self.spent.billable)


def _apply_rare(state: Present, event: Event) -> None:
    """By the family of the event; a run without one never pays for what folds it."""
    match event.type.partition(".")[0]:
        case "iteration" | "env":
            from ouroboros.core.state import code

            code.apply(state, event)
        case "subagent":
            from ouroboros.core.state import children

            children.apply(state, event)
        case "user":
            from ouroboros.core.state import questions

            questions.apply(state, event)
        case "session":
            from ouroboros.core.state import branches

            branches.apply(state, event)
        case "checkpoint" | "turn":
            from ouroboros.core.state import checkpoints

            checkpoints.apply(state, event)
        case "goal":
            from ouroboros.core.state import code

            state.goals = state.goals or Goals(seen=state.spent.billable)
            code.apply(state, event)
        case "plan" | "queue" | "repo":
            from ouroboros.core.state import asides

            asides.apply(state, event)
        case "review":
            from ouroboros.core.state import reviews

            reviews.apply(state, event)
        case "process":
            from ouroboros.core.state import processes

            processes.apply(state, event)
        case _:
            pass


def fold(envelopes: list[Envelope]) -> State:
    """The state after all of these events."""
    state = State()
    for envelope in envelopes:
        state.apply(envelope)
    return state
