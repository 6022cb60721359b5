"""What must hold after any fault, judged from nothing but what lies on the disk and what was shown.

Every driver of a fault asks these questions. None of them uses the product to read the log: the rows
are taken as SQLite has them, from a copy, so that looking changes nothing.
"""

import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    PermissionAnswered,
    PermissionRequested,
    ToolAttempted,
    ToolResulted,
)
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import ToolCall
from tests.leftovers import still_left

WALL_TIME = re.compile(r"Wall time: [0-9.]+ seconds")
CUT_OFF = ("The program ended while this call was running.", "aborted: the program ended")

_ROWS = "SELECT session, seq, crc, blob, body FROM events ORDER BY session, seq"

type Messages = list[dict[str, Any]]


def on_disk(home: Path) -> tuple[dict[str, list[Envelope]], list[str]]:
    """Every event by session, and what is wrong with the file itself."""
    found: dict[str, list[Envelope]] = {}
    if not (home / "ouroboros.db").exists():
        return found, []
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        for path in home.glob("ouroboros.db*"):
            shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder, "ouroboros.db"))) as connection:
            ((sound,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
            wrong = [] if sound == "ok" else [f"the database is not sound: {sound}"]
            if not connection.execute("PRAGMA table_info(events)").fetchall():
                return found, wrong
            for session, seq, crc, blob, body in connection.execute(_ROWS):
                line = body if blob is None else (home / "blobs" / blob[:2] / blob).read_bytes()
                if crc32(line) != crc or (blob and sha256(line).hexdigest() != blob):
                    wrong.append(f"event {seq} of {session} is not what was written")
                    continue
                envelope = decode(line)
                if (envelope.session, envelope.seq) != (session, seq):
                    wrong.append(f"row {seq} of {session} is {envelope.seq} of {envelope.session}")
                found.setdefault(session, []).append(envelope)
    return found, wrong


def of_log(seen: Sequence[Envelope], kept: Sequence[Envelope]) -> list[str]:
    """No gap, nothing twice, and nothing that was acknowledged is lost or changed."""
    numbers = [envelope.seq for envelope in kept]
    if numbers != list(range(1, len(numbers) + 1)):
        return [f"the log has a gap, or a number twice: {numbers}"]
    lost = [e.seq for e in seen if e.seq > len(kept) or kept[e.seq - 1] != e]
    return [f"acknowledged events are lost or changed: {lost}"] if lost else []


def of_calls(kept: Sequence[Envelope], *, is_over: bool) -> list[str]:
    """Every call ends once: at most once at any moment, and at least once when the run is over."""
    called = [
        part.id
        for envelope in kept
        if isinstance(envelope.data, AgentMessage) and not envelope.data.partial
        for part in envelope.data.message.parts
        if isinstance(part, ToolCall)
    ]
    ends = Counter(e.data.call_id for e in kept if isinstance(e.data, ToolResulted))
    found = [f"call {name} ended {count} times" for name, count in ends.items() if count > 1]
    if is_over:
        found += [f"call {name} never ended" for name in called if not ends[name]]
    began = Counter(
        (e.data.call_id, e.data.attempt) for e in kept if isinstance(e.data, ToolAttempted)
    )
    return found + [f"attempt {one} was begun {n} times" for one, n in began.items() if n > 1]


def of_approvals(kept: Sequence[Envelope]) -> list[str]:
    """An answer belongs to one question and one call, is given once, and comes before the act."""
    asked = {e.data.request_id: e for e in kept if isinstance(e.data, PermissionRequested)}
    answers = [e for e in kept if isinstance(e.data, PermissionAnswered)]
    found: list[str] = []
    given = Counter(e.data.request_id for e in answers if isinstance(e.data, PermissionAnswered))
    found += [f"question {name} was answered {n} times" for name, n in given.items() if n > 1]
    for envelope in kept:
        if not isinstance(envelope.data, ToolAttempted):
            continue
        call, seq = envelope.data.call_id, envelope.seq
        questions = [
            name
            for name, one in asked.items()
            if isinstance(one.data, PermissionRequested)
            and one.data.call_id == call
            and one.seq < seq
        ]
        yes = {
            e.data.request_id
            for e in answers
            if isinstance(e.data, PermissionAnswered) and e.data.allowed and e.seq < seq
        }
        found += [
            f"call {call} acted before {name} was allowed" for name in questions if name not in yes
        ]
    return found


def of_effects(effects: Path, kept: Sequence[Envelope]) -> list[str]:
    """Each call leaves one line: none twice, and one for every command that is said to be done."""
    lines = effects.read_text(encoding="utf-8").split() if effects.exists() else []
    counted = Counter(lines)
    found = [
        f"effect {name} is there {times} times" for name, times in counted.items() if times > 1
    ]
    done = sum(
        isinstance(e.data, ToolResulted) and e.data.status == "done" and e.data.name == "shell"
        for e in kept
    )
    if len(counted) < done:
        found.append(f"{done} commands are done and {len(counted)} effects are there")
    return found


def of_files(folder: Path, allowed: Mapping[str, Sequence[bytes | None]]) -> list[str]:
    """Each file is as before or as after an edit (None: it is not there), and no other file is left."""
    found = [
        f"{path.relative_to(folder)} was left"
        for path in folder.rglob("*")
        if path.is_file() and str(path.relative_to(folder)) not in allowed
    ]
    for name, contents in allowed.items():
        path = folder / name
        content = path.read_bytes() if path.exists() else None
        if content not in contents:
            found.append(f"{name} is half-written: {len(content or b'')} bytes")
    return found


def of_request(messages: Messages, twin: Sequence[Messages]) -> list[str]:
    """A request after a fault is one that the uncrashed twin sent, as far as the replies were kept.

    A call that was cut off has words of its own, and of a reply that came in pieces a beginning may
    be all there is.
    """
    mine = [_plain(message) for message in messages]
    if any(_is_same(mine, [_plain(message) for message in other]) for other in twin):
        return []
    return [f"no twin's request equals the resumed one: {mine}"]


def _is_same(mine: Messages, theirs: Messages) -> bool:
    last = max((i for i, one in enumerate(mine) if one["role"] == "assistant"), default=-1)
    if last >= 0 and len(mine) <= len(theirs) and mine[last] != theirs[last]:
        whole, kept = theirs[last], mine[last].get("tool_calls", [])
        theirs = theirs[: last + 1 + len(kept)]
        theirs[last] = {**whole, "tool_calls": whole.get("tool_calls", [])[: len(kept)]}
    return len(mine) == len(theirs) and all(
        one == two or one["content"].startswith(CUT_OFF)
        for one, two in zip(mine, theirs, strict=True)
    )


def of_telling(code: int, told: str) -> list[str]:
    """A run that failed says so in one line; none shows what Python says to a programmer."""
    found = [f"a traceback was shown: {told}"] if "Traceback" in told else []
    errors = [line for line in told.splitlines() if line.startswith("error: ")]
    if code not in {0, -9} and len(errors) != 1:
        found.append(f"it ended with {code} and said {told!r}")
    return found


def of_processes(scratch: Path) -> list[str]:
    """Nothing that the run started is still there."""
    return [f"{pid} is left: {words}" for pid, words in still_left(scratch, descent=False).items()]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, str):
        return {**message, "content": str(content)}
    return {**message, "content": WALL_TIME.sub("Wall time", content)}
