"""Sessions that go on from elsewhere, and sessions that begin as a part of another."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ouroboros.agent.running.branching import closings, moved, node_of
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Branch, Rewind, Rollback
from ouroboros.core.errors import SessionBusy
from ouroboros.core.events import Envelope, Event
from ouroboros.core.events.session import SessionForked
from ouroboros.core.ids import Ids, TimeOrderedIds
from ouroboros.core.state import State, fold
from ouroboros.store import copying, resume, sessions

FORKED = "aborted: the session was forked before this call ended."


def fork(home: Path, session: str, node: str) -> str:
    """Makes another session of all that was said up to a message, and gives its id; blocking.

    The other one may be open meanwhile. A run that was under way there is cut off here.

    Raises:
        Misuse: There is no such message.
        SessionUnknown: There is no such session.
        StoreFailed: The new one cannot be kept.
    """
    clock = SystemClock()
    ids = TimeOrderedIds(clock, os.urandom)
    read = resume.read(home, session).envelopes
    until = node_of(fold(read), node).until or len(read)
    child = ids.new("ses")
    kept = renamed(read[:until], child, ids)
    state = fold(kept)
    ends = closings(state, "forked", text=FORKED)
    events = (*ends, SessionForked(message_id=node, child=child, parent=session))
    copying.copy_variables(home, session, child)
    copying.put(home, [*kept, *enveloped(state, events, ids, clock.now())])
    return child


def fork_aside(home: Path, session: str, node: str) -> str:
    """The same of a session that is not open here; it is told of its fork unless somebody has it open."""
    child = fork(home, session, node)
    with suppress(SessionBusy):  # the fork itself names the session that it comes from
        _record(home, session, lambda _: (SessionForked(message_id=node, child=child),))
    return child


def move(home: Path, session: str, command: Branch | Rewind | Rollback) -> State:
    """Lets a session that is not open go on from elsewhere; gives what is true then. Blocking.

    Raises:
        Misuse: There is no such message, or there are not so many turns.
        SessionBusy: It is open; it can be told there.
    """
    return _record(
        home, session, lambda state: (*closings(state, "branched"), moved(state, command))
    )


def renamed(envelopes: Sequence[Envelope], session: str, ids: Ids) -> list[Envelope]:
    """The same events as those of another session."""
    made: list[Envelope] = []
    for each in envelopes:
        event = each.data
        if isinstance(event, SessionForked) and event.child == each.session:
            event = replace(event, child=session)
        made.append(replace(each, id=ids.new("evt"), session=session, data=event))
    return made


def enveloped(state: State, events: Iterable[Event], ids: Ids, now: float) -> list[Envelope]:
    """Events as the next ones of a session."""
    return [
        Envelope(
            id=ids.new("evt"),
            session=state.session,
            turn=state.turn,
            seq=seq,
            ts=now,
            type=event.type,
            source=event.source,
            data=event,
        )
        for seq, event in enumerate(events, start=state.seq + 1)
    ]


def _record(home: Path, session: str, made: Callable[[State], Iterable[Event]]) -> State:
    clock = SystemClock()
    ids = TimeOrderedIds(clock, os.urandom)
    state = State()

    def next_ones(envelopes: list[Envelope]) -> list[Envelope]:
        for each in envelopes:
            state.apply(each)
        more = enveloped(state, made(state), ids, clock.now())
        for each in more:
            state.apply(each)
        return more

    sessions.extend(home, session, next_ones)
    return state
