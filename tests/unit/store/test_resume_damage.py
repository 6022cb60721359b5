"""What a damaged session loses, what it keeps, and what the person is told."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import SessionUnknown, StoreFailed, StoreNewer
from ouroboros.core.events import Envelope, ToolResulted
from ouroboros.core.parts import Text
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from tests.cases import every
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said

EVENTS = numbered([ready(), *a_turn(1), said("last")])

type Damage = Callable[[sqlite3.Connection, int], object]


def tear(connection: sqlite3.Connection, seq: int) -> None:
    connection.execute("UPDATE events SET body = substr(body, 1, 40) WHERE seq = ?", (seq,))


def flip(connection: sqlite3.Connection, seq: int) -> None:
    (body,) = connection.execute("SELECT body FROM events WHERE seq = ?", (seq,)).fetchone()
    changed = body.replace(b'"v":1', b'"v":0')
    assert changed != body
    connection.execute("UPDATE events SET body = ? WHERE seq = ?", (changed, seq))


def lose(connection: sqlite3.Connection, seq: int) -> None:
    connection.execute("UPDATE events SET body = NULL WHERE seq = ?", (seq,))


def misplace(connection: sqlite3.Connection, seq: int) -> None:
    """The bytes of another event, with their own checksum."""
    connection.execute(
        "UPDATE events SET (body, crc) = (SELECT body, crc FROM events WHERE seq = 1) "
        "WHERE seq = ?",
        (seq,),
    )


def damage(home: Path, how: Damage, seq: int) -> None:
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection, connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        how(connection, seq)


@pytest.mark.proves("sessions-faults", "I08")
@every("how", [tear, flip, lose, misplace])
def test_a_bad_last_event_is_dropped_with_one_warning(tmp_path: Path, how: Damage) -> None:
    keep(tmp_path, EVENTS)
    damage(tmp_path, how, 8)
    found = resume.read(tmp_path, SESSION)
    assert found.envelopes == EVENTS[:7]
    assert len(found.warnings) == 1
    assert "last event of session 'ses_1', number 8," in found.warnings[0]


@pytest.mark.proves("sessions-faults")
@every("how", [tear, flip, lose, misplace])
def test_nothing_after_a_bad_event_is_believed(tmp_path: Path, how: Damage) -> None:
    keep(tmp_path, EVENTS)
    damage(tmp_path, how, 4)
    found = resume.read(tmp_path, SESSION)
    assert found.envelopes == EVENTS[:3]
    assert len(found.warnings) == 1
    assert "up to event 3: event 4 could not be read" in found.warnings[0]
    assert "4 after it were left out" in found.warnings[0]


@pytest.mark.proves("I08")
def test_a_missing_event_is_a_gap(tmp_path: Path) -> None:
    keep(tmp_path, EVENTS)
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        connection.execute("DELETE FROM events WHERE seq = 3")
    found = resume.read(tmp_path, SESSION)
    assert found.envelopes == EVENTS[:2]
    assert "event 3 is missing" in found.warnings[0]


def test_going_on_sets_the_damaged_events_aside_and_the_log_has_no_gap(tmp_path: Path) -> None:
    keep(tmp_path, EVENTS)
    damage(tmp_path, tear, 6)
    with Lease.take(tmp_path, SESSION) as lease:
        found = resume.load(tmp_path, lease)
    assert len(found.warnings) == 1
    onward = numbered([said("on")], after=found.last)
    keep(tmp_path, onward)
    assert resume.read(tmp_path, SESSION) == resume.Resumed(envelopes=EVENTS[:5] + onward)
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection:
        aside = connection.execute("SELECT seq FROM events_set_aside ORDER BY seq").fetchall()
    assert aside == [(6,), (7,), (8,)]


@pytest.mark.parametrize("how", ["missing", "changed"])
def test_an_event_whose_blob_is_lost_is_a_damaged_event(tmp_path: Path, how: str) -> None:
    large = ToolResulted(call_id="c", name="x", status="done", parts=(Text(text="y" * 90_000),))
    keep(tmp_path, numbered([said("one"), large]))
    (blob,) = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    if how == "missing":
        blob.unlink()
    else:
        blob.write_bytes(blob.read_bytes().replace(b"yyy", b"yny"))
    found = resume.read(tmp_path, SESSION)
    assert [each.seq for each in found.envelopes] == [1]
    assert blob.name in found.warnings[0]


def test_an_event_of_a_later_version_is_shown_as_missing_but_never_set_aside(
    tmp_path: Path,
) -> None:
    keep(tmp_path, EVENTS)

    def renamed(connection: sqlite3.Connection, seq: int) -> None:
        (body,) = connection.execute("SELECT body FROM events WHERE seq = ?", (seq,)).fetchone()
        later = body.replace(b'"user.message"', b'"user.thought"')
        connection.execute(
            "UPDATE events SET body = ?, crc = ? WHERE seq = ?", (later, crc32(later), seq)
        )

    damage(tmp_path, renamed, 8)
    assert "'user.thought'" in resume.read(tmp_path, SESSION).warnings[0]
    with Lease.take(tmp_path, SESSION) as lease, pytest.raises(StoreNewer, match="Event 8"):
        resume.load(tmp_path, lease)
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (8,)


def test_an_unknown_session_is_an_error(tmp_path: Path) -> None:
    keep(tmp_path, EVENTS)
    for name in ("ses_2", "../ses_1", ""):
        with pytest.raises(SessionUnknown):
            resume.read(tmp_path, name)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as a power cut leaves it: the last commits are only in the write-ahead file."""
    home = tmp_path_factory.mktemp("live")
    left = tmp_path_factory.mktemp("crashed")
    with closing(open_database(home)) as connection:
        ledger = Ledger(home, connection)
        for each in EVENTS:
            ledger.store([Line(envelope=each, encoded=encode(each))])
        for path in home.iterdir():
            shutil.copy(path, left / path.name)
    (left / "ouroboros.db-shm").unlink()
    return left


@pytest.mark.deep
@pytest.mark.proves("I08")
@given(chance=st.data())
def test_a_cut_write_ahead_file_gives_a_beginning_of_the_log(
    crashed: Path, tmp_path_factory: pytest.TempPathFactory, chance: st.DataObject
) -> None:
    home = tmp_path_factory.mktemp("cut")
    for path in crashed.iterdir():
        shutil.copy(path, home / path.name)
    wal = home / "ouroboros.db-wal"
    size = wal.stat().st_size
    left = chance.draw(st.integers(min_value=size // 2, max_value=size))
    with wal.open("r+b") as file:
        file.truncate(left)
    found: list[Envelope] = []
    try:
        found = resume.read(home, SESSION).envelopes
    except SessionUnknown:
        assert left < size
    assert found == EVENTS[: len(found)]
    assert left < size or found == EVENTS


def test_a_file_that_is_no_database_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    keep(tmp_path, EVENTS)
    for side in ("-wal", "-shm"):
        (tmp_path / f"ouroboros.db{side}").unlink(missing_ok=True)
    path = tmp_path / "ouroboros.db"
    path.write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreFailed, match="is damaged") as caught:
        resume.read(tmp_path, SESSION)
    assert "Move it away" in caught.value.hint


def test_a_database_with_broken_pages_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("x" * 3000) for _ in range(200)]))
    path = tmp_path / "ouroboros.db"
    content = bytearray(path.read_bytes())
    content[60 * 4096 : 200 * 4096] = b"\xff" * (140 * 4096)
    path.write_bytes(content)
    with pytest.raises(StoreFailed, match="is damaged"):
        resume.read(tmp_path, SESSION)
