"""A session's row in the list, as a running summary of its events."""

import sqlite3
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from ouroboros.core.events import (
    Envelope,
    PermissionAnswered,
    PermissionRequested,
    SessionReady,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    TurnStarted,
    UserMessage,
)

FRESH_SECONDS = 1.0
"""While only time passes, a row is written this often at most."""

_PREVIEW_CHARACTERS = 200

_UPSERT = """
INSERT INTO sessions (
    id, cwd, model, mode, title, preview, status, waiting, turns, prompts, version, parent,
    taken_over, archived, created, updated
) VALUES (
    :session, coalesce(:cwd, ''), coalesce(:model, ''), coalesce(:mode, ''), coalesce(:title, ''),
    coalesce(:preview, ''), coalesce(:status, 'idle'), max(0, :waiting), coalesce(:turns, 0),
    coalesce(:prompts, '{}'), coalesce(:version, ''), coalesce(:parent, ''),
    coalesce(:taken_over, 0), :archived, :first, :last
) ON CONFLICT (id) DO UPDATE SET
    cwd = coalesce(:cwd, cwd),
    model = coalesce(:model, model),
    mode = coalesce(:mode, mode),
    title = coalesce(:title, title),
    preview = CASE WHEN preview = '' THEN coalesce(:preview, '') ELSE preview END,
    status = coalesce(:status, status),
    waiting = CASE WHEN :answered_all THEN max(0, :waiting) ELSE max(0, waiting + :waiting) END,
    turns = coalesce(:turns, turns),
    prompts = coalesce(:prompts, prompts),
    version = coalesce(:version, version),
    parent = coalesce(:parent, parent),
    taken_over = coalesce(:taken_over, taken_over),
    updated = :last
"""

_RUN_STARTED = """
INSERT INTO runs (session, first_seq, started) SELECT ?, ?, ?
WHERE NOT EXISTS (SELECT 1 FROM runs WHERE session = ? AND ended IS NULL)
"""

_RUN_ENDED = (
    "UPDATE runs SET ended = ?, last_seq = ?, reason = ? WHERE session = ? AND ended IS NULL"
)


class Change(Struct, kw_only=True):
    """What some events of one session change in its row; None leaves a column as it is."""

    session: str
    first: float
    last: float
    cwd: str | None = None
    model: str | None = None
    mode: str | None = None
    title: str | None = None
    preview: str | None = None
    status: str | None = None
    turns: int | None = None
    prompts: str | None = None
    version: str | None = None
    parent: str | None = None
    taken_over: int | None = None
    archived: int = 0
    waiting: int = 0
    answered_all: bool = False

    def take(self, envelope: Envelope) -> None:
        """Takes in one more event."""
        self.last = envelope.ts
        match envelope.data:
            case SessionReady() as event:
                self.cwd, self.model, self.mode = event.cwd, event.model, event.mode
                self.title = event.title or self.title
                self.version = event.version
                self.archived = int(event.apart)
                self.prompts = msgspec.json.encode(event.prompts).decode()
            case SettingsChanged() as event:
                self._change(event)
            case UserMessage(message=message):
                if self.preview is None and message.kind == "plain":
                    self.preview = " ".join(message.text[:_PREVIEW_CHARACTERS].split()) or None
            case TurnStarted(turn=turn):
                self.turns, self.status = turn, "running"
            case PermissionRequested():
                self.waiting += 1
            case PermissionAnswered():
                self.waiting -= 1
            case TaskCompleted(reason=reason):
                self._end("failed" if reason == "failed" else "idle")
            case _:
                self._take_rare(envelope)

    @property
    def is_only_time(self) -> bool:
        """Nothing a person would see in the list but the time of the last event."""
        columns = (self.cwd, self.model, self.mode, self.title, self.preview, self.turns)
        columns += (self.parent,)
        return (
            all(column is None for column in columns)
            and self.status is None
            and not self.waiting
            and not self.answered_all
        )

    def _change(self, event: SettingsChanged) -> None:
        self.cwd = event.cwd or self.cwd
        self.model = event.model or self.model
        self.mode = event.mode or self.mode
        self.title = self.title if event.title is None else event.title

    def _take_rare(self, envelope: Envelope) -> None:
        if envelope.type == "goal.created" and self.preview is None:
            objective: str = getattr(envelope.data, "objective", "")
            self.preview = " ".join(objective[:_PREVIEW_CHARACTERS].split()) or None
        if not envelope.type.startswith(("session.", "task.", "review.")):
            return
        # Imported here: most runs stay on their branch.
        from ouroboros.core.events.review import ReviewEntered
        from ouroboros.core.events.session import SessionForked, SessionImported

        match envelope.data:
            case TaskCancelled():
                self._end("idle")
            case SessionForked(child=child, parent=parent) if child == envelope.session:
                self.parent, self.taken_over = parent, envelope.seq - 1
            case ReviewEntered(subject=subject) if self.preview is None:
                self.preview = f"Review of {subject}"
            case SessionImported(cwd=cwd):
                self.cwd, self.mode = cwd or self.cwd, "ask"
            case _:
                pass

    def _end(self, status: str) -> None:
        self.status, self.waiting, self.answered_all = status, 0, True


def record(
    connection: sqlite3.Connection, envelopes: Iterable[Envelope], written: Mapping[str, float]
) -> dict[str, float]:
    """Brings the rows of all sessions these events belong to up to date.

    Args:
        connection: In a transaction.
        envelopes: In the order of their numbers within each session.
        written: Up to which event's time a session's row is known to be, by session.

    Returns:
        The same for the rows that were written now.
    """
    changes: dict[str, Change] = {}
    for envelope in envelopes:
        change = changes.get(envelope.session)
        if change is None:
            change = Change(session=envelope.session, first=envelope.ts, last=envelope.ts)
            changes[envelope.session] = change
        change.take(envelope)
        if envelope.type in _LASTING:
            _record_lasting(connection, envelope)
    due = [change for change in changes.values() if _is_due(change, written)]
    if due:
        connection.executemany(_UPSERT, [msgspec.structs.asdict(change) for change in due])
    return {change.session: change.last for change in due}


def _is_due(change: Change, written: Mapping[str, float]) -> bool:
    if not change.is_only_time or change.session not in written:
        return True
    return not 0 <= change.last - written[change.session] < FRESH_SECONDS


_LASTING = frozenset((
    "session.ready",
    "turn.started",
    "task.completed",
    "task.cancelled",
    "subagent.started",
    "subagent.completed",
    "subagent.message",
))


def _record_lasting(connection: sqlite3.Connection, envelope: Envelope) -> None:
    session, seq, ts = envelope.session, envelope.seq, envelope.ts
    match envelope.data:
        case TurnStarted():
            connection.execute(_RUN_STARTED, (session, seq, ts, session))
        case TaskCompleted(reason=reason):
            connection.execute(_RUN_ENDED, (ts, seq, reason, session))
        case TaskCancelled():
            connection.execute(_RUN_ENDED, (ts, seq, "cancelled", session))
        case SessionReady():
            connection.execute(_RUN_ENDED, (ts, seq - 1, "interrupted", session))
        case _:
            _record_family(connection, envelope)


def _record_family(connection: sqlite3.Connection, envelope: Envelope) -> None:
    """Imported late: a run without children never pays for these events."""
    from ouroboros.core.events.fleet import (
        SubagentCompleted,
        SubagentMessage,
        SubagentStarted,
    )

    match envelope.data:
        case SubagentStarted(child=child):
            connection.execute(
                "INSERT OR IGNORE INTO agent_edges (parent, child, started, status) "
                "VALUES (?, ?, ?, 'running')",
                (envelope.session, child, envelope.ts),
            )
        case SubagentCompleted(child=child, reason=reason):
            connection.execute(
                "UPDATE agent_edges SET ended = ?, status = ? WHERE parent = ? AND child = ?",
                (envelope.ts, reason, envelope.session, child),
            )
        case SubagentMessage(child=child, text=text):
            connection.execute(
                "INSERT INTO agent_messages (sender, receiver, sent, body) VALUES (?, ?, ?, ?)",
                (child, envelope.session, envelope.ts, text.encode()),
            )
        case _:
            pass
