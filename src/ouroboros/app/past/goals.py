"""What past sessions work towards; every function blocks on the disk."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.app.past import sessions
from ouroboros.core.state import fold
from ouroboros.core.state.goals import Goals
from ouroboros.store.db import explained, open_existing

_SESSIONS = (
    "SELECT session, max(number) AS latest FROM events WHERE type = 'goal.created' "
    "GROUP BY session ORDER BY latest DESC"
)


class Aim(Struct, frozen=True, kw_only=True):
    """A session and its goals; None where it never had one."""

    session: str
    goals: Goals | None


def of(home: Path, cwd: Path, session: str) -> Aim:
    """Of the session of this name, by default the latest of the folder.

    Raises:
        SessionUnknown: There is none.
    """
    from ouroboros.app.wiring.session.past import resolve

    return _aim(home, resolve(home, cwd, session))


def everywhere(home: Path) -> list[Aim]:
    """Of all sessions that have a goal now, the one that was set last first."""
    connection = open_existing(home)
    if connection is None:
        return []
    with closing(connection):
        try:
            ids: list[tuple[str, int]] = connection.execute(_SESSIONS).fetchall()
        except sqlite3.Error as error:
            raise explained(error, home) from error
    found = (_aim(home, id) for id, _ in ids)
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


def _aim(home: Path, session: str) -> Aim:
    return Aim(session=session, goals=fold(sessions.events(home, session).envelopes).goals)
