"""The plan of a piece of work as a document: for people to read, and for a later run to be held to."""

import re
from datetime import UTC, datetime
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.workspace.artifacts import frontmatter
from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.fences import fence_for

VERSION = "1.0"

_STEPS = "json plan-steps"
_FOR_MACHINES = "## Steps for machines"
_SEEN = re.compile(
    r"(?m)^(\d+\. `.*\((?:read|planned)\))\n\n   (`{3,})text\n(?:(?:   .*)?\n)*?   \2$"
)
_ESTIMATE = re.compile(r"(?m)^## Estimate\n\n(?:- .*\n)+\n")
_RESULT_CHARS = 400
_TITLE_CHARS = 100


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a plan.

    Attributes:
        number: From 1, through the whole plan.
        phase: The number of its phase, from 1.
        status: Carried out as it only reads; planned; or not run.
        paths: Files that it is about, below the project where they are there.
        result: What came of it in the rehearsal, shortened.
    """

    number: int
    phase: int
    tool: str
    action: str
    status: Literal["read", "planned", "not run", "failed"]
    paths: tuple[str, ...] = ()
    command: str = ""
    result: str = ""


class Estimate(Struct, frozen=True, kw_only=True):
    """What the work will take; ``most_tokens`` counts what commands that were not run may say.

    ``cost`` is in US dollars for ``tokens``; None where a price is unknown.
    """

    turns: int
    tokens: int
    most_tokens: int
    cost: float | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """A plan.

    Attributes:
        base: The commit it was made on; empty outside of a repository.
        context: Lines about what it stands on.
        phases: Their titles, in order.
        summary: The model's last words.
        diff: What the files would become, as a unified diff.
    """

    goal: str
    agent: str
    persona: str
    model: str
    base: str
    made_at: float
    context: tuple[str, ...]
    phases: tuple[str, ...]
    steps: tuple[Step, ...]
    summary: str
    diff: str
    estimate: Estimate
    risks: tuple[str, ...]


def written(plan: Plan) -> str:
    """The document, version 1.0."""
    head = frontmatter.written({
        "version": VERSION,
        "kind": "plan",
        "goal": plan.goal,
        "agent": plan.agent,
        "model": plan.model,
        "base_commit": plan.base or None,
        "made_at": datetime.fromtimestamp(plan.made_at, UTC).isoformat(timespec="seconds"),
        "estimate": {
            "turns": plan.estimate.turns,
            "tokens": plan.estimate.tokens,
            "most_tokens": plan.estimate.most_tokens,
            "cost_usd": plan.estimate.cost,
        },
    })
    lines = [f"# Plan: {_line(plan.goal)}", "", "## Persona", "", plan.persona.strip(), ""]
    lines += ["## Base context", "", *(f"- {line}" for line in plan.context), ""]
    for number, title in enumerate(plan.phases, start=1):
        lines += [f"## Phase {number}: {_line(title)}", ""]
        lines += [line for step in plan.steps if step.phase == number for line in _step(step)]
    lines += ["## Summary", "", plan.summary.strip() or "The model said nothing.", ""]
    lines += ["## Changes", "", *_fenced("diff", plan.diff or "Nothing would be changed."), ""]
    lines += ["## Estimate", "", *(f"- {line}" for line in _estimated(plan.estimate)), ""]
    risks = plan.risks or ("No step stands out by itself; what the model sees is in the summary.",)
    lines += ["## Risks", "", *(f"- {_line(risk)}" for risk in risks), ""]
    steps = msgspec.json.format(msgspec.json.encode(plan.steps), indent=2).decode()
    lines += [_FOR_MACHINES, "", *_fenced(_STEPS, steps), ""]
    return head + "\n".join(lines)


class Followed(Struct, frozen=True, kw_only=True):
    """What a later run needs of a plan: its goal, its words, its steps.

    ``text`` is without what only people and machines need: what was read, the estimate, the steps again.
    """

    goal: str
    text: str
    steps: tuple[Step, ...]


def read(text: str) -> Followed:
    """A plan that was written.

    Raises:
        Malformed: It is none, is of another version, or its steps are broken; with the line.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        raise Malformed("it is no plan: it has no head between lines of '---'", line=1)
    end = lines.index("---", 1)
    reader = frontmatter.Reader(lines[1:end], 2)
    head = reader.read()
    frontmatter.supported(head.get("version"), line=reader.line("version"))
    goal = head.get("goal")
    if head.get("kind") != "plan" or not isinstance(goal, str) or not goal.strip():
        raise Malformed("it is no plan: its head says no kind 'plan', or no goal", line=2)
    body = "\n".join(lines)
    found = re.search(rf"(?m)^(`{{3,}}){_STEPS}\n([\s\S]*?)\n\1$", body)
    if found is None:
        raise Malformed("the plan has no steps for machines, so it was cut off", line=len(lines))
    try:
        steps = msgspec.json.decode(found[2], type=tuple[Step, ...])
    except msgspec.DecodeError as broken:
        line = body[: found.start()].count("\n") + 1
        raise Malformed(f"the steps of the plan are broken: {broken}", line=line) from broken
    return Followed(
        goal=goal, text=_told(body[len("\n".join(lines[: end + 1])) : found.start()]), steps=steps
    )


def _told(text: str) -> str:
    """What a model is to follow: it has the changes as a diff, and reads files as they are now."""
    phases, summary, rest = text.rstrip().removesuffix(_FOR_MACHINES).partition("\n## Summary\n")
    before, changes, after = rest.rpartition("\n## Changes\n")
    return f"{_SEEN.sub(r'\1', phases)}{summary}{before}{changes}{_ESTIMATE.sub('', after)}".strip()


def _step(step: Step) -> list[str]:
    head = f"{step.number}. `{step.tool}` {_line(step.action)} ({step.status})"
    below = _fenced("text", step.result) if step.result else []
    if step.status == "not run" and step.command and step.command not in step.action:
        below = [*_fenced("sh", step.command), *below]  # whoever follows the plan needs all of it
    return [head, "", *(f"   {line}".rstrip() for line in below), *([""] if below else [])]


def shortened(text: str) -> str:
    """The beginning of a result, and how much of it is left out."""
    more = len(text) - _RESULT_CHARS
    return text if more <= 0 else f"{text[:_RESULT_CHARS]}\n[{more:,} more characters]"


def _fenced(language: str, text: str) -> list[str]:
    fence = fence_for(text.encode("utf-8", "replace")).decode()
    return [f"{fence}{language}", *text.rstrip("\n").split("\n"), fence]


def _estimated(estimate: Estimate) -> list[str]:
    cost = "unknown" if estimate.cost is None else f"${estimate.cost:.4f}"
    most = f", at most {estimate.most_tokens:,}" if estimate.most_tokens > estimate.tokens else ""
    return [
        f"turns: {estimate.turns}",
        f"tokens: {estimate.tokens:,}{most}",
        f"cost: {cost}",
    ]


def _line(text: str) -> str:
    return " ".join(text.split())


def title_of(text: str) -> str:
    """The first line of what a model said, as a title."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    line = _line(first.strip().lstrip("#*-> ").rstrip("*:"))
    return line if len(line) <= _TITLE_CHARS else f"{line[: _TITLE_CHARS - 1]}…"
