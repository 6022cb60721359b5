"""What a mode wants to be asked about, where no rule speaks."""

from ouroboros.core.commands import Mode
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import origin_of
from ouroboros.safety.paths import Places
from ouroboros.safety.paths.judge import odd_spelling
from ouroboros.safety.rules.values import Intent

_LISTS = frozenset({"ls", "find"})
"""Tools that tell names alone."""


def objection(intent: Intent, mode: Mode, places: Places, verdict: Verdict | None) -> str:
    """Why the mode wants to ask, empty when it does not."""
    match intent.kind:
        case "none" | "look" | "act":
            return ""
        case "read":
            return _of_reading(intent, mode, places) or _of_spelling(intent, mode, places)
        case "write":
            return of_writing(intent, mode, places) or _of_spelling(intent, mode, places)
        case "execute":
            return _of_command(mode, verdict)
        case "fetch" if mode != "full-auto":
            return f"{origin_of(intent.url) or intent.url[:80]} was not asked for anything before"
        case "origin":
            return "page data was read, and this place is new: data could be carried there"
        case "risk" if mode != "full-auto":
            return f"it is risky ({intent.risk or intent.tool})"
        case _:
            return "" if mode == "full-auto" else f"{intent.tool} acts outside the session"


def while_planning(intent: Intent, *, is_safe: bool) -> str:
    """Why plan mode refuses it, empty when it does not; ``is_safe`` is a command that only reads."""
    if intent.tool == "update_plan":
        return (
            "in plan mode the plan is your answer: write it as text. update_plan shows the steps of "
            "work that is under way"
        )
    if intent.kind in {"read", "none", "look", "fetch"} or is_safe:
        return ""
    return "nothing may be changed or run in plan mode"


def of_writing(intent: Intent, mode: Mode, places: Places) -> str:
    """The same for files that would be written."""
    for path in intent.paths:
        protected = places.protected_by(path)
        if protected:
            return f"{path} is protected ({protected} holds control data)"
        if not places.is_inside(path):
            return f"{path} is outside the workspace"
    if not intent.paths:
        return "it does not say which files it writes"
    return "" if mode in {"auto-edit", "full-auto"} else "it changes files"


def _of_command(mode: Mode, verdict: Verdict | None) -> str:
    if verdict is None or verdict.kind == "safe":
        return "" if verdict is not None or mode == "full-auto" else "a command may change anything"
    if verdict.kind == "dangerous":
        return f"it may do lasting harm: {verdict.reason}"
    return "" if mode == "full-auto" else verdict.reason


def _of_spelling(intent: Intent, mode: Mode, places: Places) -> str:
    if mode == "full-auto":
        return ""
    root = places.roots[0]
    odd = (odd_spelling(root, intent.kind, places.below(path)) for path in intent.spelled)
    return next(filter(None, odd), "")


def _of_reading(intent: Intent, mode: Mode, places: Places) -> str:
    for path in intent.paths:
        is_named = mode != "full-auto" and intent.tool not in _LISTS
        if places.is_secret(path) or (is_named and places.may_hold_keys(path)):
            return f"{path} may hold keys"
        if mode != "full-auto" and not places.is_readable(path):
            return f"{path} is outside the workspace"
    return ""
