"""The tools of a session's goal, made when a model looks for them."""

from collections.abc import Callable
from functools import partial

from ouroboros.core.clock import SystemClock
from ouroboros.core.ids import Ids, TimeOrderedIds
from ouroboros.core.state import State
from ouroboros.tools.registry import AnyTool

NAMES = ("create_goal", "get_goal", "update_goal")


def makers(state: State | None = None, ids: Ids | None = None) -> dict[str, Callable[[], AnyTool]]:
    """What makes each; without a session behind them they are only listed."""
    return {name: partial(_made, name, state, ids) for name in NAMES}


def _made(name: str, state: State | None, ids: Ids | None) -> AnyTool:
    from ouroboros.tools.builtin.goals import goal_tools  # most sessions have no goal

    made = goal_tools(state or State(), ids or TimeOrderedIds(SystemClock(), bytes))
    return made[name]()
