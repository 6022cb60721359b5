"""A session that opens, its settings, and a run that ends."""

from ouroboros.core.events import SessionReady, SettingsChanged, TaskCancelled, TaskCompleted
from ouroboros.core.state.present import Present


def apply(
    state: Present, event: SessionReady | SettingsChanged | TaskCompleted | TaskCancelled
) -> None:
    """Takes in how a session is opened or set, or how a run ended."""
    if not isinstance(event, SettingsChanged):
        state.grants = [grant for grant in state.grants if grant.scope == "session"]
        state.files.end()
    match event:
        case SessionReady():
            state.cwd, state.model, state.mode = event.cwd, event.model, event.mode
            state.title = event.title or state.title
            state.fallback, state.mind = "", event.mind
            state.browser = event.browser
            state.effort = event.effort or state.effort
            if event.service_tier is not None:
                state.service_tier = event.service_tier
            state.processes.clear()
            state.lost, state.children = state.lost | state.children, {}
        case SettingsChanged():
            _apply_settings(state, event)
        case TaskCompleted(reason=reason):
            state.ended = reason
            state.status = "failed" if reason == "failed" else "idle"
            state.approvals.clear()
        case TaskCancelled():
            state.ended = "cancelled"
            state.status = "idle"
            state.approvals.clear()
    state.acting = state.mode if state.mode != "plan" else state.acting


def _apply_settings(state: Present, event: SettingsChanged) -> None:
    state.mode = event.mode or state.mode
    state.fallback = "" if event.model else state.fallback
    state.model = event.model or state.model
    state.effort = event.effort or state.effort
    if event.service_tier is not None:
        state.service_tier = event.service_tier
    state.personality = event.personality or state.personality
    state.cwd = event.cwd or state.cwd
    state.title = state.title if event.title is None else event.title
