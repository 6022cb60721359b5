"""A run that goes on until its goal is reached, blocked, or at a limit."""

from typing import TYPE_CHECKING

from ouroboros.core.commands import SetGoal
from ouroboros.faces.slashes.goal import objective

if TYPE_CHECKING:
    from ouroboros.app.ouroboros import Outcome, Session
    from ouroboros.core.state import State
    from ouroboros.core.state.goals import Goal


class Aimed:
    """A session whose first run begins with setting its goal, so that every face sees that."""

    def __init__(self, session: "Session", aim: SetGoal) -> None:
        """Sets nothing yet."""
        self._session = session
        self._aim: SetGoal | None = aim
        self.listen, self.warm, self.send = session.listen, session.warm, session.send

    @property
    def outcome(self) -> "Outcome | None":
        """How the last run ended."""
        return self._session.outcome

    async def run(self, text: str, *, typed: int | None = None) -> "Outcome":
        """Sets the goal, then runs; raises as the session does."""
        aim, self._aim = self._aim, None
        if aim is not None:
            await self._session.send(aim)
        return await self._session.run(text, typed=typed)


def wish(goal: str | None, budget: int | None) -> SetGoal | None:
    """What ``--goal`` and ``--budget`` ask for; raises ``Misuse``."""
    if goal is None and budget is None:
        return None
    return SetGoal(objective="" if goal is None else objective(goal), token_budget=budget)


def standing(state: "State") -> "Goal | None":
    """The session's own goal as it is now."""
    return state.goals.root if state.goals is not None else None


def exit_code(was: "Goal | None", now: "Goal | None", code: int) -> int:
    """A goal that was not reached is no success, whatever the last turn said.

    One that nothing became of since it ``was`` so is none of this run's business.
    """
    if now is None or now == was or code != 0:
        return code
    match now.status:
        case "budget_limited" | "usage_limited":
            return 3
        case "blocked":
            return 1
        case _:
            return code


def aim(state: "State") -> str:
    """What stands beside the mode where a person types: whether there is a goal, and how it stands."""
    goal = standing(state)
    return f", goal {goal.status.replace('_', ' ')}" if goal is not None else ""
