"""What may be answered to a question for a yes, in the words of every face."""

from typing import NamedTuple

from ouroboros.app.text import spelled
from ouroboros.core.commands import Scope
from ouroboros.core.events import PermissionAnswered, PermissionRequested
from ouroboros.faces.wording.words import one_line

FOR: dict[Scope, str] = {
    "session": "until this session ends",
    "local": "in this project, for you alone",
    "project": "in this project, for everybody",
    "user": "everywhere",
    "policy": "everywhere, as a beginning of commands",
}
IN: dict[Scope, str] = {
    "session": "session",
    "local": "you, here",
    "project": "all, here",
    "user": "everywhere",
    "policy": "prefix",
}
_LETTERS: dict[Scope, str] = {"local": "l", "project": "p", "user": "u", "policy": "c"}
_DECIDERS = {
    "person": "",
    "nobody": "because nobody was here",
    "hook": "by a hook",
    "guardian": "by the guardian",
    "cancelled": "because the run was stopped",
}


class Choice(NamedTuple):
    """A yes that is written down: the letter for it, where, and what."""

    letter: str
    scope: Scope
    rules: tuple[str, ...]
    words: str


def choices(event: PermissionRequested) -> tuple[Choice, ...]:
    """Small letters remember this very thing, capitals what begins alike."""
    found: list[Choice] = []
    for scope in event.scopes:
        letter = _LETTERS.get(scope)
        if letter is None:
            continue
        if scope == "policy":
            found.append(Choice(letter, scope, (), spelled(" ".join(event.amendment))))
            continue
        found.append(Choice(letter, scope, (), spelled(", ".join(event.rules))))
        if event.wider:
            words = spelled(", ".join(event.wider))
            found.append(Choice(letter.upper(), scope, event.wider, words))
    return tuple(found)


def action_of(event: PermissionRequested) -> str:
    """What is asked for, on one line."""
    return one_line(spelled(event.action))


def grant_of(event: PermissionRequested, limit: int = 60) -> str:
    """What a yes for the session would cover, on one line; empty where that cannot be said."""
    covers = ", ".join(map(_covered, event.always)) or event.grant
    return one_line(spelled(covers), limit)


def _covered(rule: str) -> str:
    """A rule as a person reads it: ``pytest ...`` for a beginning, a folder for edits."""
    content = rule.partition("(")[2].removesuffix(")")
    if content.endswith("/**"):
        return f"edits in {content.removeprefix('/').removesuffix('/**')}"
    return f"{content.removesuffix(':*')} ..." if content.endswith(":*") else content


def reasons(event: PermissionRequested) -> list[str]:
    """Why it is asked: what may be harmed is not among it."""
    found = [one_line(event.reason, 600)] if event.reason not in {"", event.warning} else []
    if event.rule and event.rule not in event.reason:
        found.append(f"asked by {one_line(event.rule, 120)}")
    if event.sources:
        some = ", ".join(one_line(each, 80) for each in event.sources[:3])
        more = f" and {len(event.sources) - 3} more" if len(event.sources) > 3 else ""
        found.append(f"after reading {some}{more}")
    return found


def verdict(event: PermissionAnswered) -> str:
    """How a question was answered: yes or no, by whom, for how long."""
    if event.decider == "cancelled":
        return f"not answered, {_DECIDERS['cancelled']}"
    words = ["yes" if event.allowed else "no"]
    if event.allowed and event.scope != "once":
        words.append(FOR[event.scope])
    words.append(_DECIDERS[event.decider])
    if event.message:
        words.append(f"“{one_line(event.message, 120)}”")
    return ", ".join(filter(None, words))
