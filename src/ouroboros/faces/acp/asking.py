"""A question for a yes, a choice or a plan as an editor puts it, and what its answer means; pure."""

from pathlib import Path
from typing import NamedTuple

from ouroboros.core.commands import AcceptPlan, Approve, Command, Deny, Mode, RefusePlan
from ouroboros.core.events import PermissionRequested
from ouroboros.core.events.question import Question
from ouroboros.faces.acp.frames import Json
from ouroboros.faces.acp.telling import arguments_of, changes, content
from ouroboros.faces.wording.asked import FOR, action_of, choices, grant_of, reasons
from ouroboros.faces.wording.words import one_line

NO = "no"
"""The option that stands for a no."""

_OFFERED = frozenset({"l", "u"})
"""What is written down, here and everywhere; an editor shows each option as a button of its own."""

_PLANS: dict[str, tuple[str, Mode]] = {
    "auto-edit": ("Yes, and edit files without asking", "auto-edit"),
    "ask": ("Yes, and ask before each change", "ask"),
}


class Options(NamedTuple):
    """What may be chosen, and the command that each choice stands for."""

    shown: list[Json]
    commands: dict[str, Command]


def options(event: PermissionRequested) -> Options:
    """Yes, yes for longer, and no; an answer that is none of them is a no."""
    id = event.request_id
    shown = [_option("once", "Yes", "allow_once")]
    commands: dict[str, Command] = {"once": Approve(request_id=id)}
    if "session" in event.scopes:
        covers = grant_of(event)
        what = f": {covers}" if covers else ""
        shown.append(_option("session", f"Yes, {FOR['session']}{what}", "allow_always"))
        commands["session"] = Approve(request_id=id, scope="session")
    for choice in choices(event):
        if choice.letter in _OFFERED:
            words = f"Yes, {FOR[choice.scope]}: {choice.words}"
            shown.append(_option(choice.scope, words, "allow_always"))
            commands[choice.scope] = Approve(request_id=id, scope=choice.scope, rules=choice.rules)
    shown.append(_option(NO, "No", "reject_once"))
    commands[NO] = Deny(request_id=id)
    return Options(shown, commands)


def call(event: PermissionRequested, cwd: Path) -> Json:
    """The call that waits, with why it is asked and what it would change."""
    why = [f"**{event.warning}**"] if event.warning else []
    why += [*reasons(event), *(one_line(each, 400) for each in event.about)]
    shown = [content("\n\n".join(why))] if why else []
    shown += changes(event.detail, cwd)
    return {
        "toolCallId": event.call_id,
        "title": action_of(event),
        "status": "pending",
        "content": shown,
        "rawInput": arguments_of(event.input) or event.input,
    }


def question_options(question: Question) -> list[Json]:
    """The answers that the model offers, and none; ``answer_to`` reads the choice."""
    offered = [
        _option(str(at), each.label, "allow_once") for at, each in enumerate(question.options)
    ]
    return [*offered, _option(NO, "No answer", "reject_once")]


def answer_to(question: Question, option: str | None) -> tuple[str, ...]:
    """The words of the chosen answer; none where nothing was chosen."""
    at = int(option) if option is not None and option.isdecimal() else len(question.options)
    return (question.options[at].label,) if at < len(question.options) else ()


def question_call(call_id: str, question: Question) -> Json:
    """The question as the call that waits."""
    meaning = [f"- **{each.label}**: {each.description}" for each in question.options]
    return {
        "toolCallId": call_id,
        "title": question.question,
        "kind": "other",
        "status": "pending",
        "content": [content("\n".join(meaning))],
    }


def plan_options() -> Options:
    """What may be said to a plan; an answer that is none of them leaves the mode as it is."""
    shown = [_option(name, words, "allow_once") for name, (words, _) in _PLANS.items()]
    commands: dict[str, Command] = {
        name: AcceptPlan(mode=mode) for name, (_, mode) in _PLANS.items()
    }
    shown.append(_option(NO, "No, keep planning", "reject_once"))
    commands[NO] = RefusePlan()
    return Options(shown, commands)


def plan_call(id: str, text: str) -> Json:
    """The plan as the call that waits."""
    return {
        "toolCallId": id,
        "title": "Carry out this plan?",
        "kind": "switch_mode",
        "status": "pending",
        "content": [content(text)],
    }


def _option(id: str, name: str, kind: str) -> Json:
    return {"optionId": id, "name": name, "kind": kind}
