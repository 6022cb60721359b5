"""A session's goal: as lines, and what happens to it as one line each."""

from collections.abc import Iterator

from ouroboros.core.events import Event
from ouroboros.core.events.goal import GoalContinued, GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.state.goals import Goal, Goals
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import count, duration, one_line

_SHOWN = 200
_STATUS = {
    "active": "active",
    "paused": "paused",
    "blocked": "blocked",
    "usage_limited": "stopped: the provider lets nobody use more now",
    "budget_limited": "stopped: its budget is used up",
    "complete": "reached",
}
_MARK = {"complete": "x", "blocked": "!"}


def goal_notice(event: Event) -> Notice | None:
    """The line that an event of a goal deserves."""
    match event:
        case GoalCreated(objective=objective, parent=parent, token_budget=budget):
            bound = f", with {budget:,} tokens" if budget else ""
            word = "Part of the goal" if parent else "Goal"
            return Notice(text=f"{word}: {one_line(objective, _SHOWN)}{bound}")
        case GoalContinued(number=number):
            return Notice(text=f"The goal is not reached: turn {number} begins by itself")
        case GoalLimited(status=status, tokens_used=tokens, seconds_used=seconds):
            used = f"{tokens:,} tokens, {duration(seconds)}"
            text = f"Goal {_STATUS[status]} ({used})"
            return Notice(text=text, level="warning", hint="/goal resume goes on later")
        case GoalUpdated():
            return _updated(event)
        case _:
            return None


def goal_lines(goals: Goals | None) -> Iterator[str]:
    """How the goal stands, with its parts."""
    goal = goals.root if goals is not None else None
    if goals is None or goal is None:
        yield "there is no goal; /goal TEXT sets one"
        return
    used = goals.use(goal)
    yield f"{one_line(goal.objective, _SHOWN)}"
    yield f"{_STATUS[goal.status]}{_why(goal)}"
    bound = f" of {goal.token_budget:,}" if goal.token_budget else ""
    turns = count(used.continued, "turn")
    yield f"used: {used.tokens:,}{bound} tokens, {duration(used.seconds)}, {turns} by itself"
    parts = list(goals.parts())
    if parts:
        done = sum(part.status == "complete" for _, part in parts)
        yield f"parts: {done} of {len(parts)} reached"
    for number, part in parts:
        indent = "  " * number.count(".")
        mark = _MARK.get(part.status, " ")
        yield f"  {indent}[{mark}] {number} {one_line(part.objective, _SHOWN)}{_why(part)}"


def _why(goal: Goal) -> str:
    return f": {one_line(goal.reason, _SHOWN)}" if goal.reason else ""


def _updated(event: GoalUpdated) -> Notice | None:
    if event.cleared:
        return Notice(text="The goal is forgotten")
    if event.status is not None:
        why = f": {one_line(event.reason, 400)}" if event.reason else ""
        level = "warning" if event.status == "blocked" else "info"
        return Notice(text=f"Goal {_STATUS[event.status]}{why}", level=level)
    if event.objective:
        return Notice(text=f"Goal: {one_line(event.objective, _SHOWN)}")
    if event.token_budget is not None:
        bound = f"{event.token_budget:,} tokens" if event.token_budget else "none"
        return Notice(text=f"Budget of the goal: {bound}")
    return None
