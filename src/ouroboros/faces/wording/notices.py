"""What happened besides words and calls, as one line each; the same for every plain face."""

from ouroboros.core.events import (
    CacheHit,
    ContextCompacted,
    ErrorRaised,
    Event,
    ModelRetried,
    ModelSwitched,
    PermissionAnswered,
    PermissionBlocked,
    PermissionRemembered,
    PermissionRequested,
    SettingsChanged,
    UserMessage,
)
from ouroboros.core.events.code import Logged
from ouroboros.core.events.guardian import GuardianReviewed, GuardianStopped
from ouroboros.core.events.safety import InputFlagged, OutputBlocked, OutputRedacted
from ouroboros.core.events.session import (
    SessionBranched,
    SessionForked,
    SessionImported,
    SessionRolledBack,
)
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import count, duration, one_line


def notice(event: Event, *, asked: PermissionRequested | None = None) -> Notice | None:
    """The line an event deserves, or none; ``asked`` is the latest question, for its reason."""
    match event:
        case ErrorRaised(message=message, hint=hint):
            return Notice(
                text=f"error: {one_line(message, 600)}", level="error", hint=one_line(hint, 600)
            )
        case ModelRetried():
            return Notice(text=_retried(event), level="warning")
        case ModelSwitched():
            return _switched(event)
        case ContextCompacted():
            return Notice(text=_compacted(event), hint=_LOSSY)
        case CacheHit():
            return Notice(text="Answered from the cache; nothing was sent")
        case PermissionAnswered():
            return _answered(event, asked)
        case PermissionBlocked(tool=tool, reason=reason):
            return Notice(
                text=f"Blocked {one_line(tool)}: {one_line(reason, 400)}", level="warning"
            )
        case SettingsChanged():
            return _changed(event)
        case UserMessage(steered=True, message=message):
            return Notice(text=f"You, while it runs: {one_line(message.text)}")
        case _:
            return _guarded(event)


def _guarded(event: Event) -> Notice | None:
    match event:
        case PermissionRemembered():
            return _remembered(event)
        case Logged(level=level, text=text) if level != "debug":
            return Notice(text=one_line(text, 400), level=level)
        case InputFlagged():
            said = one_line(event.phrase or ", ".join(event.flags))
            return Notice(text=f"Text that looks like an instruction: {said}", level="warning")
        case OutputRedacted():
            return Notice(text=f"Secrets taken out: {_kinds(event)}", level="warning")
        case OutputBlocked():
            return Notice(text=f"Text held back: {_kinds(event)}", level="warning")
        case GuardianReviewed():
            return _reviewed(event)
        case GuardianStopped(in_a_row=row, of_recent=recent):
            text = f"The guardian refused {row} in a row, {recent} of the last: a person is needed"
            return Notice(text=text, level="warning")
        case _:
            return _by_family(event)


def _by_family(event: Event) -> Notice | None:
    """The lines of what most runs never see, loaded by the first of it."""
    if event.type.startswith("session."):
        return _moved(event)
    if event.type.startswith(("checkpoint.", "diff.", "turn.un", "turn.re", "repo.")):
        from ouroboros.faces.wording.files import file_notice

        return file_notice(event)
    if event.type.startswith(("review.", "plan.", "queue.")):
        from ouroboros.faces.wording.asides import aside_notice

        return aside_notice(event)
    if event.type.startswith("goal."):
        from ouroboros.faces.wording.goals import goal_notice

        return goal_notice(event)
    if event.type in {"tab.driver", "browser.started"}:
        return _browsed(event)
    if event.type.startswith("hook."):
        from ouroboros.faces.wording.hooks import hook_notice

        return hook_notice(event)
    return None


def _browsed(event: Event) -> Notice | None:
    from ouroboros.core.events.browser import BrowserStarted, TabDriven

    match event:
        case BrowserStarted(profile=profile, instead_of=wanted) if wanted:
            return Notice(
                text=f"Another browser runs on the profile {one_line(wanted)}, so this one runs on {one_line(profile)}",
                level="warning",
                hint="logins of the one are not in the other; what you log in to there stays there",
            )
        case TabDriven(tab=tab, driver="person"):
            return Notice(text=f"A person drives {one_line(tab)}: the agent waits with it")
        case TabDriven(tab=tab, why=why) if why != "closed":
            return Notice(text=f"{one_line(tab)} is the agent's again")
        case _:
            return None


def _moved(event: Event) -> Notice | None:
    match event:
        case SessionBranched(message_id=""):
            return Notice(text="The conversation begins anew")
        case SessionBranched():
            return Notice(text="The conversation goes on from another message")
        case SessionRolledBack(turns=turns):
            latest = "turn" if turns == 1 else count(turns, "turn")
            return Notice(text=f"The conversation goes on without its latest {latest}")
        case SessionForked(parent="", child=child):
            return Notice(text=f"Another session begins like this one: {one_line(child)}")
        case SessionForked(parent=parent):
            return Notice(text=f"Forked from {one_line(parent)}")
        case SessionImported(origin=origin):
            return Notice(
                text=f"Read from {one_line(origin, 200)}; what was allowed there is not here"
            )
        case _:
            return None


def _kinds(event: OutputRedacted | OutputBlocked) -> str:
    return one_line(", ".join(found.kind for found in event.findings))


def _reviewed(event: GuardianReviewed) -> Notice:
    why = one_line(event.rationale, 400)
    if event.outcome == "allow":
        return Notice(text=f"Allowed by the guardian ({event.risk_level} risk): {why}")
    if event.outcome == "deny":
        text = f"Denied by the guardian ({event.risk_level} risk): {why}"
        return Notice(text=text, level="warning")
    return Notice(text=f"Denied, for the guardian gave no answer: {why}", level="warning")


def _retried(event: ModelRetried) -> str:
    return (
        f"Trying again in {duration(event.delay_seconds)} "
        f"({event.attempt} of {event.maximum}): {one_line(event.reason)}"
    )


def _switched(event: ModelSwitched) -> Notice:
    old, new = one_line(event.old), one_line(event.new)
    if not event.reason:
        return Notice(text=f"Back from {old} to {new}")
    reason = one_line(event.reason, 400)
    return Notice(text=f"{old} failed, {new} takes over: {reason}", level="warning")


_LOSSY = "a summary can leave things out; a new session suits a new task"


def _compacted(event: ContextCompacted) -> str:
    return (
        f"Context summarised: {count(event.messages_summarized, 'message')}, "
        f"{event.old_tokens:,} to {event.new_tokens:,} tokens"
    )


def _answered(event: PermissionAnswered, asked: PermissionRequested | None) -> Notice | None:
    if event.decider == "guardian":
        return None  # its review said more
    if event.allowed:
        scope = " for this session" if event.scope == "session" else ""
        changed = f", as: {one_line(event.input)}" if event.input else ""
        return Notice(text=f"Allowed{scope} by {_who(event)}{changed}")
    words = f": {one_line(event.message)}" if event.message else ""
    if event.decider == "nobody":
        is_meant = asked is not None and asked.request_id == event.request_id
        why = one_line(asked.reason, 400) if asked is not None and is_meant else ""
        other = ", or choose another --mode" if event.rule.startswith("mode ") else ""
        return Notice(
            text=f"Denied: nobody is here to answer{f' ({why})' if why else ''}",
            level="warning",
            hint=f"run it on a terminal, or allow exactly this by a rule of [permissions]{other}",
        )
    if event.decider == "cancelled":
        return Notice(text="Not answered: the run was stopped", level="warning")
    return Notice(text=f"Denied by {_who(event)}{words}", level="warning")


def _remembered(event: PermissionRemembered) -> Notice:
    if event.problem:
        text = f"Not remembered, so the yes counts once: {one_line(event.problem, 400)}"
        return Notice(text=text, level="warning")
    return Notice(text=f"Remembered in {one_line(event.place, 200)}")


def _who(event: PermissionAnswered) -> str:
    names = {"person": "you", "hook": "a hook", "guardian": "the guardian"}
    return names.get(event.decider, "the end of the run")


def _changed(event: SettingsChanged) -> Notice | None:
    tier = event.service_tier
    facts = [
        f"{name}: {one_line(value)}"
        for name, value in (
            ("mode", event.mode),
            ("model", event.model),
            ("effort", event.effort),
            ("personality", event.personality),
            ("service tier", "left to the vendor" if tier == "" else tier),
            ("folder", event.cwd),
            ("title", event.title),
        )
        if value is not None
    ]
    return Notice(text="Now " + ", ".join(facts)) if facts else None
