"""Goes on with a goal until it is reached, blocked, paused, or at a limit."""

from typing import TYPE_CHECKING

from ouroboros.agent.roles import Journal
from ouroboros.core.commands import SetGoal
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Event, UserMessage
from ouroboros.core.events.goal import GoalContinued, GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.ids import Ids
from ouroboros.core.limits import IDLE_GOAL_TURNS
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.core.state.goals import Goal, Goals

if TYPE_CHECKING:
    from ouroboros.agent.goals.words import Change

STUCK = "limit_reached:repeated_call"
OUT_OF_ITERATIONS = "limit_reached:max_iterations"
CIRCLES = "the same calls were made again and again, also after a fresh start"
IDLE = "{} turns in a row said that the goal is not reached, and did nothing for it"


class Pursuit:
    """Carries out wishes about the goal, and judges after each turn and each run."""

    def __init__(self, state: State, journal: Journal, ids: Ids) -> None:
        """Changes nothing but by what it puts on record."""
        self._state, self._journal, self._ids = state, journal, ids
        self._untold: Change | None = None

    def handle(self, command: SetGoal) -> None:
        """Sets or changes the goal; raises ``Misuse`` where that does not fit."""
        for event in changes(self._state, command, self._ids):
            self._journal.record(event)
            self._note(event)

    def _note(self, event: Event) -> None:
        """What the next turn is to be told, where the surroundings do not tell it."""
        match event:
            case GoalCreated():
                self._untold = "new"
            case GoalUpdated(cleared=True):
                self._untold = None
            case GoalUpdated(objective=str()) if self._untold != "new":
                self._untold = "objective"
            case GoalUpdated(token_budget=int()) if self._untold is None:
                self._untold = "budget"
            case _:
                pass
        # Before anything is told, the goal is told with it.
        self._untold = self._untold if self._state.told else None

    def before_turn(self) -> None:
        """Tells what the person changed of the goal since it was told last."""
        goals, change = self._state.goals, self._untold
        goal = goals.active if goals is not None else None
        if change is None or goals is None or goal is None:
            return
        self._untold = None
        if self._state.mind == "tools":  # the other mind is told how it stands each time
            from ouroboros.agent.goals import words

            self._say(words.changed(goals, goal, change), steered=False)

    def turned(self) -> None:
        """A turn is over: a goal whose budget is used up is told so, once."""
        goals = self._state.goals
        goal = goals.active if goals is not None else None
        if goals is None or goal is None or goals.left(goal) != 0:
            return
        is_told = goals.use(goal).is_told
        self._limit(goals, goal, "budget_limited")
        if not is_told:
            from ouroboros.agent.goals import words  # most sessions have no goal

            self._say(words.wrap_up(goals, goal, self._state.mind), steered=True)

    def ended(self) -> None:
        """A run is over: what made it end may end the goal as well."""
        goals = self._state.goals
        goal = goals.active if goals is not None else None
        if goals is None or goal is None:
            return
        if self._state.ended == "failed" and goals.failed == "quota":
            self._limit(goals, goal, "usage_limited")
        elif goals.use(goal).idle >= IDLE_GOAL_TURNS:
            self._block(goal, IDLE.format(IDLE_GOAL_TURNS))
        elif goals.use(goal).circles > 1:
            self._block(goal, CIRCLES)

    def has_rested(self) -> bool:
        """The latest run came to an end after which another may begin by itself."""
        goals = self._state.goals
        has_goal = goals is not None and goals.active is not None
        is_cut = self._state.ended in {STUCK, OUT_OF_ITERATIONS}
        return (is_cut and has_goal) or self._state.ended == "completed"

    def is_stuck(self) -> bool:
        """The latest run went in circles; its history is better summarised."""
        return self._state.ended == STUCK

    def is_due(self) -> bool:
        """A turn is to begin by itself, once nothing runs."""
        goals, state = self._state.goals, self._state
        return (
            goals is not None
            and (goal := goals.active) is not None
            and goals.left(goal) != 0
            and state.mode != "plan"
            and not state.queued
        )

    def go_on(self) -> None:
        """Says what begins a turn by itself."""
        from ouroboros.agent.goals import words

        goals = self._state.goals
        goal = goals.active if goals is not None else None
        if goals is not None and goal is not None:
            self._untold = None
            number = goals.use(goal).continued + 1
            self._journal.record(GoalContinued(goal_id=goal.id, number=number))
            self._say(words.continuation(goals, goal, self._state.mind), steered=False)

    def _block(self, goal: Goal, reason: str) -> None:
        self._journal.record(
            GoalUpdated(goal_id=goal.id, status="blocked", reason=reason, by="system")
        )

    def _limit(self, goals: Goals, goal: Goal, status: str) -> None:
        used = goals.use(goal)
        self._journal.record(
            GoalLimited(
                goal_id=goal.id,
                status="usage_limited" if status == "usage_limited" else "budget_limited",
                tokens_used=used.tokens,
                seconds_used=int(used.seconds),
            )
        )

    def _say(self, text: str, *, steered: bool) -> None:
        message = Message(
            id=self._ids.new("msg"), role="user", kind="context", parts=(Text(text=text),)
        )
        self._journal.record(UserMessage(message=message, steered=steered))


def changes(state: State, command: SetGoal, ids: Ids) -> list[Event]:
    """What a wish about the goal comes to.

    Raises:
        Misuse: There is no goal to change, or nothing is said.
    """
    goal = state.goals.root if state.goals is not None else None
    objective = command.objective.strip()
    if objective and not command.edit:
        return _new(goal, objective, command.token_budget, ids)
    if goal is None:
        raise Misuse("this session has no goal", hint="say what it should work towards")
    if command.clear:
        return [GoalUpdated(goal_id=goal.id, cleared=True)]
    if not (objective or command.status or command.token_budget is not None):
        raise Misuse("nothing of the goal is to be changed", hint="say an objective or a budget")
    budget, status = command.token_budget, command.status or None
    used = state.goals.use(goal).tokens if state.goals is not None else 0
    if goal.status == "budget_limited" and status != "paused" and budget is not None:
        status = "active" if not budget or budget > used else None
    wanted = goal.token_budget if budget is None else budget
    if command.status == "active" and wanted and used >= wanted:
        raise Misuse(f"the budget of {wanted:,} tokens is used up", hint="give it a larger one")
    changed = GoalUpdated(
        goal_id=goal.id, objective=objective or None, status=status, token_budget=budget
    )
    return [changed]


def _new(goal: Goal | None, objective: str, budget: int | None, ids: Ids) -> list[Event]:
    before: list[Event] = [GoalUpdated(goal_id=goal.id, cleared=True)] if goal else []
    created = GoalCreated(goal_id=ids.new("goal"), objective=objective, token_budget=budget or None)
    return [*before, created]
