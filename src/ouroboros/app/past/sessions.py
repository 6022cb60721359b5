"""Past sessions as a face asks for them; every function blocks on the disk."""

import os
from collections.abc import Container
from pathlib import Path

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import SessionUnknown
from ouroboros.core.events import Envelope, UserMessage
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.events.session import SessionBranched, SessionForked, SessionRolledBack
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.state import State, fold
from ouroboros.store import resume, sessions
from ouroboros.store.history import Execution, artifacts, executions
from ouroboros.store.sessions import (
    Session,
    archive,
    delete,
    latest,
    list_sessions,
    put_away,
    unarchive,
)
from ouroboros.tools.registry import canonical

__all__ = [
    "Execution",
    "Session",
    "archive",
    "artifacts",
    "delete",
    "describe",
    "events",
    "executions",
    "find",
    "history",
    "latest",
    "latest_diff",
    "list_sessions",
    "put_away",
    "rename",
    "unarchive",
]

_SHORTEST = 3


def find(home: Path, name: str) -> Session:
    """The session of this name, of a unique beginning or end of it, of this title, or the ``last`` one.

    Raises:
        SessionUnknown: None or more than one is meant.
    """
    if exact := sessions.some(home, [name]):
        return next(iter(exact.values()))
    if name == "last" and (newest := latest(home)):
        return newest
    everything = list_sessions(home, archived=True, limit=1_000_000)
    if not everything:
        named = "" if name == "last" else f"there is no session {name!r}: "
        raise SessionUnknown(
            f"{named}there are no sessions yet", hint="`ouro run` or `ouro chat` starts one"
        )
    if name == "last":
        return everything[0]
    meant = [
        each
        for each in everything
        if len(name) >= _SHORTEST and (each.id.startswith(name) or each.id.endswith(name))
    ]
    meant = meant or [each for each in everything if each.title == name]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise SessionUnknown(
            f"{name!r} could be any of {len(meant)} sessions, such as {meant[0].id} and "
            f"{meant[1].id}",
            hint="add more of its name",
        )
    raise SessionUnknown(
        f"there is no session {name!r}", hint="`ouro sessions list --all` shows every session"
    )


def events(home: Path, session: str) -> resume.Resumed:
    """Every event that can be read, and warnings about those that cannot."""
    return resume.read(home, session)


def history(
    home: Path, *, tool: str = "", session: str = "", failed: bool = False, limit: int
) -> list[Execution]:
    """Tool calls of all sessions or of one, the latest first; as redacted as their events are.

    Args:
        home: Where sessions are kept.
        tool: Only calls of it, in any spelling.
        session: Its name as ``find`` takes it; empty for all.
        failed: Only calls that have a result and did not succeed.
        limit: How many at most.

    Raises:
        SessionUnknown: None or more than one is meant.
    """
    among = (
        [find(home, session)] if session else list_sessions(home, archived=True, limit=1_000_000)
    )
    wanted = canonical(tool) if tool else ""
    known = {each.id for each in among}
    found: list[Execution] = []
    for each in among:
        if len(found) >= limit and found[limit - 1].started > each.updated:
            break
        found += [
            made
            for made in executions(_own(events(home, each.id).envelopes, known))
            if wanted in {"", made.tool} and not (failed and made.status in {None, "done"})
        ]
        found.sort(key=lambda made: made.started, reverse=True)
        del found[limit:]
    return found


def _own(envelopes: list[Envelope], known: Container[str]) -> list[Envelope]:
    """Without what a fork took over from a session that is asked too."""
    for at, envelope in enumerate(envelopes):
        match envelope.data:
            case SessionForked(child=child, parent=parent) if (
                child == envelope.session and parent in known
            ):
                return envelopes[at:]
            case _:
                pass
    return envelopes


def latest_diff(home: Path, session: str) -> str:
    """What the latest run of a session changed; empty when that was nothing."""
    for envelope in reversed(events(home, session).envelopes):
        match envelope.data:
            case TurnDiffed(diff=diff):
                return diff
            case UserMessage(message=message, steered=False) if message.kind == "plain":
                return ""
            case SessionBranched() | SessionRolledBack():
                return ""  # what the turn that was left had changed is not of the latest one here
            case _:
                pass
    return ""


def describe(envelopes: list[Envelope]) -> State:
    """What is true of a session after its events."""
    return fold(envelopes)


def rename(home: Path, session: str, title: str) -> None:
    """Gives a session another title; raises ``SessionBusy`` while it is open."""
    clock = SystemClock()
    sessions.rename(home, session, title, ids=TimeOrderedIds(clock, os.urandom), clock=clock)
