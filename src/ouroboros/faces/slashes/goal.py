"""``/goal``: what the session works towards, over many turns."""

from typing import Literal

from ouroboros.core.commands import SetGoal
from ouroboros.core.errors import Misuse
from ouroboros.core.limits import GOAL_CHARACTERS
from ouroboros.faces.slashes.control import Control, Say
from ouroboros.faces.slashes.table import Seat, number
from ouroboros.faces.wording.goals import goal_lines

_STATUS: dict[str, Literal["active", "paused"]] = {"pause": "paused", "resume": "active"}


async def goal(seat: Seat, rest: str) -> Control:
    """Shows the goal, sets one, or changes it; work on it begins once nothing else runs."""
    if not rest:
        seat.say(*goal_lines(seat.session.state.goals))
        return "stay"
    await seat.session.send(wish(rest))
    goals, state = seat.session.state.goals, seat.session.state
    is_due = goals is not None and goals.active is not None and state.mode != "plan"
    return Say(text="") if is_due and not seat.session.running else "stay"


def wish(words: str) -> SetGoal:
    """What the words after ``/goal`` ask for.

    Raises:
        Misuse: A budget is no number, an option is written, or the objective is empty or too long.
    """
    verb, _, more = words.partition(" ")
    more = more.strip()
    if verb in _STATUS and not more:
        return SetGoal(status=_STATUS[verb])
    if verb == "clear" and not more:
        return SetGoal(clear=True)
    if verb == "budget":
        budget = number(more.replace(",", "").replace("_", ""))
        if budget is None:
            raise Misuse(f"{more[:40]!r} is no number of tokens", hint="/goal budget 200000")
        return SetGoal(token_budget=budget)
    if verb.startswith("--"):
        raise Misuse(f"/goal takes no options such as {verb[:40]!r}", hint="/goal budget 200000")
    if verb == "edit":
        return SetGoal(objective=objective(more), edit=True)
    return SetGoal(objective=objective(words))


def objective(text: str) -> str:
    """A text that may be a goal; raises ``Misuse``."""
    text = text.encode("utf-8", "replace").decode().strip()
    if not text:
        raise Misuse("the goal is empty", hint="say what is to be reached")
    if len(text) > GOAL_CHARACTERS:
        raise Misuse(
            f"the goal has {len(text):,} characters, and {GOAL_CHARACTERS:,} are allowed",
            hint="put the details into a file and name it",
        )
    return text
