"""What past sessions work towards; every function blocks on the disk."""

from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.app.past import sessions
from ouroboros.core.state import fold
from ouroboros.core.state.goals import Goals
from ouroboros.store.having import sessions_with


class Aim(Struct, frozen=True, kw_only=True):
    """A session and its goals; None where it never had one."""

    session: str
    goals: Goals | None


def of(home: Path, session: str) -> Aim:
    """Of the session of this id."""
    return Aim(session=session, goals=fold(sessions.events(home, session).envelopes).goals)


def everywhere(home: Path) -> list[Aim]:
    """Of all sessions that have a goal now, the one that was set last first."""
    ids = sessions_with(home, "goal.created")
    found = (of(home, id) for id in ids)
    return [aim for aim in found if aim.goals is not None and aim.goals.root is not None]


def plain(aim: Aim) -> dict[str, object]:
    """The same for machines."""
    goals = aim.goals
    goal = goals.root if goals is not None else None
    found: dict[str, object] = {"session": aim.session, "goal": None}
    if goals is None or goal is None:
        return found
    used = goals.use(goal)
    found["goal"] = {
        **msgspec.to_builtins(goal),
        "tokens_used": used.tokens,
        "seconds_used": int(used.seconds),
        "continued": used.continued,
        "parts": [
            {"number": number, "objective": part.objective, "status": part.status}
            for number, part in goals.parts()
        ],
    }
    return found
