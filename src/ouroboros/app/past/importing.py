"""A session read back from the JSON lines that an export wrote; the file may come from anybody."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.running.branching import closings
from ouroboros.app.past.forking import enveloped, renamed
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse, SessionUnknown
from ouroboros.core.events import Envelope, ToolResulted
from ouroboros.core.events.schema import Unreadable, decode
from ouroboros.core.events.session import SessionImported
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.state import fold
from ouroboros.store import copying, sessions
from ouroboros.store.blobs import BlobLost, Blobs
from ouroboros.store.layout import Layout

LINE_BYTES = 256 * 1_048_576
"""The longest line; an event with a picture or a whole output is large."""

SHOWN = 10
CUT_OFF = "aborted: the session was written out before this call ended."

_ID = re.compile(r"[\x21-\x7e]{1,200}")
_LATEST = 253_402_300_799.0  # the end of the year 9999
_LARGEST = 2**53


class Imported(Struct, frozen=True, kw_only=True):
    """A session that was read.

    Attributes:
        session: Its name here.
        was: Its name in the file.
        lost: Whole outputs that were cut for the model and are not here.
    """

    session: str
    was: str
    events: int
    lost: int = 0


def import_file(home: Path, path: Path, *, cwd: Path) -> Imported:
    """Makes a session of a file; blocking.

    It keeps its name where that is free. What was allowed in it is not allowed here, what it says
    counts as text from outside, and it goes on in ``cwd``.

    Raises:
        Misuse: The file cannot be read, or a line of it is not the next event of one session.
        StoreFailed: The session cannot be kept.
    """
    try:
        with path.open("rb") as file:
            read = read_lines(iter(lambda: file.readline(LINE_BYTES + 1), b""), str(path))
    except OSError as error:
        raise Misuse(
            f"{str(path)!r} cannot be read: {error.strerror or error}", hint="name an export"
        ) from error
    kept = keep(home, under_free_name(home, read), origin=path.name, cwd=cwd)
    return replace(kept, was=read[0].session)


def under_free_name(home: Path, read: list[Envelope]) -> list[Envelope]:
    """The same events under their own name, or a new one where there is a session of that; blocking."""
    if not _is_taken(home, read[0].session):
        return read
    ids = TimeOrderedIds(SystemClock(), os.urandom)
    return renamed(read, ids.new("ses"), ids)


def keep(home: Path, read: list[Envelope], *, origin: str, cwd: Path) -> Imported:
    """Makes a session of these events, which ``origin`` had; blocking.

    Raises:
        StoreFailed: It cannot be kept, or there is one of its name.
    """
    clock = SystemClock()
    ids = TimeOrderedIds(clock, os.urandom)
    state = fold(read)
    ends = (
        *closings(state, "exported", text=CUT_OFF),
        SessionImported(origin=origin, cwd=str(cwd)),
    )
    copying.put(home, [*read, *enveloped(state, ends, ids, clock.now())])
    name = read[0].session
    return Imported(session=name, was=name, events=len(read), lost=_lost(home, read))


def read_lines(lines: Iterable[bytes], name: str) -> list[Envelope]:
    """The events of one session, numbered from 1 on, each on a line.

    Raises:
        Misuse: Some lines are not; the message has the first of them as ``name:number: reason``.
    """
    envelopes: list[Envelope] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            envelopes.append(_checked(line, number, envelopes))
        except Unreadable as wrong:
            problems.append(f"{name}:{number}: {wrong}")
            if len(problems) == SHOWN:
                break
    if not envelopes and not problems:
        problems.append(f"{name}:1: the file is empty")
    if problems:
        raise Misuse(
            "\n".join(problems),
            hint="a session is written out by `ouro export SESSION`, line by line",
        )
    return envelopes


def _checked(line: bytes, expected: int, before: list[Envelope]) -> Envelope:
    if len(line) > LINE_BYTES:
        raise Unreadable(f"the line is longer than {LINE_BYTES:,} bytes")
    envelope = decode(line)
    if not envelope.data.durable or envelope.type != envelope.data.type:
        raise Unreadable(f"{envelope.type!r} is no event that is kept")
    if envelope.source != envelope.data.source:
        raise Unreadable(f"{envelope.type!r} does not come from {envelope.source!r}")
    if envelope.seq != expected:
        raise Unreadable(f"it is event {envelope.seq}, and event {expected} should come here")
    if before and envelope.session != before[0].session:
        raise Unreadable(f"it is of another session than {before[0].session!r}")
    try:
        Layout(Path()).lock(envelope.session)
    except SessionUnknown as wrong:
        raise Unreadable(str(wrong)) from wrong
    if not _ID.fullmatch(envelope.id):
        raise Unreadable(f"{envelope.id[:40]!r} is no event's name")
    if not 0 <= envelope.ts <= _LATEST or not 0 <= envelope.turn < _LARGEST:
        raise Unreadable("its time or turn cannot be")
    return envelope


def _is_taken(home: Path, session: str) -> bool:
    try:
        sessions.find(home, session)
    except SessionUnknown:
        return False
    return True


def _lost(home: Path, envelopes: list[Envelope]) -> int:
    blobs, lost = Blobs(home), 0
    for name in {each.data.blob for each in envelopes if isinstance(each.data, ToolResulted)} - {
        ""
    }:
        try:
            blobs.get(name)
        except BlobLost:
            lost += 1
    return lost
