"""The session's goal, for its model: look at it, set it when asked to, say that it is reached.

Source of the arguments and of the results' form: codex, section 18; the parts of a goal are ours.
"""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.events.goal import GoalCreated, GoalUpdated
from ouroboros.core.ids import Ids
from ouroboros.core.limits import GOAL_CHARACTERS, GOAL_PARTS
from ouroboros.core.parts import Text
from ouroboros.core.state import State
from ouroboros.core.state.goals import Goal, Goals
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Result, ToolContext

type Objective = Annotated[str, Meta(min_length=1, max_length=GOAL_CHARACTERS)]


class GetGoalArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing."""


class CreateGoalArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to work towards."""

    objective: Objective
    token_budget: Annotated[int, Meta(gt=0)] | None = None
    parent: Annotated[
        str, Meta(description="'goal', or the number of a part: adds a part to it")
    ] = ""


class UpdateGoalArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How it stands."""

    status: Literal["complete", "blocked"]
    part: Annotated[str, Meta(description="number of a part; the goal itself without it")] = ""
    reason: str = ""


class GetGoalTool:
    """Shows the goal."""

    name = "get_goal"
    usage = "get_goal(): {goal, parts?, remainingTokens}"
    description = "Get the goal of this session, its status, its parts, and what it has used."
    arguments = GetGoalArguments
    exposure: Exposure = "deferred"
    parallel_safe = True

    def __init__(self, state: State) -> None:
        """Reads ``state`` at each call."""
        self._state = state

    def effect(self, arguments: GetGoalArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del arguments, cwd
        return Effect(kind="none", action="Look at the goal")

    async def run(
        self, arguments: GetGoalArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The goal, or null."""
        del arguments, context
        yield _answer(self._state)


class CreateGoalTool:
    """Sets the goal, or adds a part to it."""

    name = "create_goal"
    usage = "create_goal(objective, token_budget?, parent?)"
    description = (
        "Set a goal that is worked towards over many turns, only when the user asks for one. Fails "
        "when there is a goal. With parent, add a part to it: do so before the work on it starts."
    )
    arguments = CreateGoalArguments
    exposure: Exposure = "deferred"
    parallel_safe = False

    def __init__(self, state: State, ids: Ids) -> None:
        """Reads ``state`` at each call."""
        self._state, self._ids = state, ids

    def effect(self, arguments: CreateGoalArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del cwd
        return Effect(kind="none", action=f"Goal: {arguments.objective[:80]}")

    async def run(
        self, arguments: CreateGoalArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The goal as it is then."""
        objective = arguments.objective.strip()
        if not objective:
            raise ToolFailed("the objective is empty; say what is to be reached")
        goals = self._state.goals
        root = goals.root if goals is not None else None
        parent = ""
        if arguments.parent and goals is not None and root is not None:
            parent = _found(goals, root, "" if arguments.parent == "goal" else arguments.parent).id
            if sum(1 for _ in goals.parts()) >= GOAL_PARTS:
                raise ToolFailed(f"a goal has at most {GOAL_PARTS} parts; do these first")
        elif arguments.parent:
            raise ToolFailed("there is no goal to add a part to; set one without parent")
        elif root is not None:
            raise ToolFailed(
                "cannot create a new goal: this session already has one; use update_goal when it "
                "is complete, or parent to add a part to it"
            )
        context.publish(
            GoalCreated(
                goal_id=self._ids.new("goal"),
                objective=objective,
                token_budget=None if parent else arguments.token_budget,
                parent=parent,
                by="agent",
            )
        )
        yield _answer(self._state)


class UpdateGoalTool:
    """Says that the goal, or a part of it, is reached or blocked."""

    name = "update_goal"
    usage = 'update_goal("complete" | "blocked", part?, reason?)'
    description = (
        "Set the goal, or a part of it, complete when all of it is reached, or blocked when the "
        "same thing was in the way three turns in a row and only the user can remove it."
    )
    arguments = UpdateGoalArguments
    exposure: Exposure = "deferred"
    parallel_safe = False

    def __init__(self, state: State) -> None:
        """Reads ``state`` at each call."""
        self._state = state

    def effect(self, arguments: UpdateGoalArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del cwd
        what = f"part {arguments.part}" if arguments.part else "the goal"
        return Effect(kind="none", action=f"{arguments.status.title()}: {what}")

    async def run(
        self, arguments: UpdateGoalArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The goal as it is then."""
        goals = self._state.goals
        root = goals.root if goals is not None else None
        if goals is None or root is None:
            raise ToolFailed("this session has no goal")
        goal = _found(goals, root, arguments.part)
        below = _open_below(goals, goal)
        if arguments.status == "complete" and below:
            raise ToolFailed(f"{below} of its parts are not complete; finish those first")
        context.publish(
            GoalUpdated(
                goal_id=goal.id, status=arguments.status, reason=arguments.reason, by="agent"
            )
        )
        yield _answer(self._state, report=goal.id == root.id and arguments.status == "complete")


def goal_tools(state: State, ids: Ids) -> dict[str, Callable[[], AnyTool]]:
    """What makes each of them."""
    return {
        "get_goal": lambda: GetGoalTool(state),
        "create_goal": lambda: CreateGoalTool(state, ids),
        "update_goal": lambda: UpdateGoalTool(state),
    }


def _found(goals: Goals, root: Goal, number: str) -> Goal:
    if not number:
        return root
    found = dict(goals.parts()).get(number)
    if found is None:
        raise ToolFailed(f"the goal has no part {number[:40]!r}; get_goal lists them")
    return found


def _open_below(goals: Goals, goal: Goal) -> int:
    children = [each for each in goals.all if each.parent == goal.id]
    return sum((each.status != "complete") + _open_below(goals, each) for each in children)


def _answer(state: State, *, report: bool = False) -> Result:
    goals = state.goals
    goal = goals.root if goals is not None else None
    found: dict[str, object] = {"goal": None, "remainingTokens": None}
    told: str | None = None
    if goals is not None and goal is not None:
        used = goals.use(goal)
        found["goal"] = {
            "threadId": state.session,
            "objective": goal.objective,
            "status": goal.status,
            "tokenBudget": goal.token_budget,
            "tokensUsed": used.tokens,
            "timeUsedSeconds": int(used.seconds),
            "createdAt": int(goal.created),
            "updatedAt": int(goal.updated),
        }
        found["remainingTokens"] = goals.left(goal)
        bound = f" of {goal.token_budget}" if goal.token_budget else ""
        told = (
            f"The goal is reached. Tell the user what it took: tokens used: {used.tokens}{bound}; "
            f"time used: {int(used.seconds)} seconds."
        )
    found["completionBudgetReport"] = told if report else None
    parts = list(goals.parts()) if goals is not None else []
    if parts:
        found["parts"] = [
            {"number": number, "objective": part.objective, "status": part.status}
            for number, part in parts
        ]
    text = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    return Result(parts=(Text(text=text),), value=text.encode(), origin="")
