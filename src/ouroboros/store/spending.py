"""What all sessions of the person have used, by the times of their events.

A row is written in the transaction of its event, so that it is there once and only once; it stays
when the session is deleted, for what was spent is spent.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ouroboros.core.events import AgentMessage, ContextCompacted, Envelope, ToolAttempted
from ouroboros.core.parts import Usage
from ouroboros.store.db import reading

_ASIDE = """
UPDATE {0} SET seq = (SELECT min(0, min(seq)) - 1 FROM {0} AS other WHERE other.session = {0}.session)
WHERE session = ? AND seq = ?
"""
"""A number comes again where damaged events were set aside: what the first one used was used, too."""

_INSERT = "INSERT INTO spending (session, seq, ts, tokens, cost) VALUES (?, ?, ?, ?, ?)"
_ACT = "INSERT INTO actions (session, seq, ts) VALUES (?, ?, ?)"
_ACTIONS = "SELECT ts FROM actions WHERE ts > ? AND session <> ? ORDER BY ts"
_TOTAL = (
    "SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0), "
    "count(*) - count(cost) FROM spending WHERE ts >= ?"
)


class Total(Struct, frozen=True, kw_only=True):
    """What was used; ``cost`` leaves the ``unpriced`` requests out, whose price nobody knows."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0


def record(connection: sqlite3.Connection, envelopes: Sequence[Envelope]) -> None:
    """Notes what these events say was used; in their transaction."""
    rows = [row for each in envelopes if (row := _row(each)) is not None]
    if rows:
        connection.executemany(_ASIDE.format("spending"), [row[:2] for row in rows])
        connection.executemany(_INSERT, rows)
    acts = [
        (each.session, each.seq, each.ts)
        for each in envelopes
        if isinstance(each.data, ToolAttempted) and each.data.unasked and each.data.attempt == 1
    ]
    if acts:
        connection.executemany(_ASIDE.format("actions"), [act[:2] for act in acts])
        connection.executemany(_ACT, acts)


def since(home: Path, *moments: float) -> list[Total]:
    """What was used from each moment on, also by events that a clock dated later than now; blocks.

    Raises:
        StoreFailed: The database cannot be read.
    """
    with reading(home) as connection:
        if connection is None:
            return [Total() for _ in moments]
        found: list[tuple[int, int, float, int]] = [
            connection.execute(_TOTAL, (moment,)).fetchone() for moment in moments
        ]
        return [
            Total(requests=requests, tokens=tokens, cost=cost, unpriced=unpriced)
            for requests, tokens, cost, unpriced in found
        ]


def actions(home: Path, after: float, *, but: str) -> list[float]:
    """When other sessions than ``but`` did something unasked, from a moment on; blocks.

    Raises:
        StoreFailed: The database cannot be read.
    """
    with reading(home) as connection:
        if connection is None:
            return []
        found: list[tuple[float]] = connection.execute(_ACTIONS, (after, but)).fetchall()
        return [ts for (ts,) in found]


def _row(envelope: Envelope) -> tuple[str, int, float, int, float | None] | None:
    event = envelope.data
    match event:
        case AgentMessage(usage=usage, cost=cost, partial=partial):
            if partial and usage is None:
                return None
        case ContextCompacted(usage=usage, cost=cost):
            pass
        case _ if event.type == "subagent.replied":
            usage, cost = _of_child(event)
        case _:
            return None
    tokens = usage.total if usage is not None else 0
    return envelope.session, envelope.seq, envelope.ts, tokens, cost


def _of_child(event: object) -> tuple[Usage | None, float | None]:
    from ouroboros.core.events.fleet import SubagentReplied  # most runs have no children

    assert isinstance(event, SubagentReplied)
    return event.usage, event.cost
