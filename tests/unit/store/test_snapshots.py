"""A snapshot and the events after it give what all events give; one that cannot be believed is left aside."""

from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import Event
from ouroboros.core.events.session import SessionBranched, SessionForked, SessionRolledBack
from ouroboros.core.state import fold
from ouroboros.store import resume, sessions, snapshots
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease
from tests.cases import every
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready
from tests.unit.store.test_replay_law import event, words

moves = st.one_of(
    st.builds(SessionBranched, message_id=words),
    st.builds(SessionRolledBack, turns=st.just(1), message_id=words),
    st.builds(SessionForked, message_id=words, child=words),
)
numbers = count()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def restored(home: Path, session: str = SESSION) -> resume.Restored:
    with Lease.take(home, session) as lease:
        return resume.restore(home, lease)


def snapped(home: Path, events: list[Event], at: int, session: str = SESSION) -> bool:
    state = fold(numbered(events, session=session)[:at])
    return snapshots.save(home, session, at, snapshots.encoded(state))


def file(home: Path) -> Path:
    return home / "snapshots" / f"{SESSION}.json"


@pytest.mark.deep
@pytest.mark.proves("I07")
@given(events=st.lists(st.one_of(event, moves), min_size=1, max_size=25), data=st.data())
def test_a_snapshot_and_its_tail_equal_the_whole_replay(
    home: Path, events: list[Event], data: st.DataObject
) -> None:
    session = f"ses_{next(numbers)}"
    keep(home, numbered(events, session=session))
    at = data.draw(st.integers(1, len(events)))
    assert snapped(home, events, at, session)
    found = restored(home, session)
    assert found.folded == len(events) - at
    assert found.state == fold(resume.read(home, session).envelopes)


def kept(tmp_path: Path) -> list[Event]:
    events = [ready(), *a_turn(1), *a_turn(2)]
    keep(tmp_path, numbered(events))
    assert snapped(tmp_path, events, 7)
    return events


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-200] ^= 1
    path.write_bytes(bytes(content))


def of_another_version(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"shape":', b'"shape":1', 1))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.proves("I07")
@every("harm", [torn, flipped, of_another_version, a_folder, Path.unlink])
def test_one_that_cannot_be_read_costs_time_and_nothing_else(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    events = kept(tmp_path)
    assert restored(tmp_path).folded == len(events) - 7
    harm(file(tmp_path))
    found = restored(tmp_path)
    assert (found.folded, found.warnings) == (len(events), ())
    assert found.state == fold(numbered(events))


@every("lost", ["seq = 7", "seq = 3", "seq > 5"])
def test_one_of_a_log_that_is_not_that_log_any_more_is_left_aside(
    tmp_path: Path, lost: str
) -> None:
    kept(tmp_path)
    with closing(open_database(tmp_path)) as connection:
        connection.execute(f"DELETE FROM events WHERE {lost}")
    found = restored(tmp_path)
    assert found.state == fold(resume.read(tmp_path, SESSION).envelopes)
    assert found.state.seq < 7


def test_one_of_events_that_others_took_the_place_of_is_left_aside(tmp_path: Path) -> None:
    kept(tmp_path)
    with closing(open_database(tmp_path)) as connection:
        connection.execute("DELETE FROM events WHERE seq > 6")
    keep(tmp_path, numbered(a_turn(9), after=6))
    found = restored(tmp_path)
    assert (found.folded, found.state.seq) == (12, 12)
    assert found.state == fold(resume.read(tmp_path, SESSION).envelopes)


def test_damage_after_it_is_told_and_set_aside_as_ever(tmp_path: Path) -> None:
    events = kept(tmp_path)
    with closing(open_database(tmp_path)) as connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute("UPDATE events SET body = x'00' WHERE seq = 10")
    found = restored(tmp_path)
    assert found.state == fold(numbered(events)[:9])
    assert "loaded up to event 9" in found.warnings[0]
    assert restored(tmp_path).warnings == ()


def test_none_is_kept_of_events_that_are_not_on_the_disk(tmp_path: Path) -> None:
    events = [ready(), *a_turn(1)]
    keep(tmp_path, numbered(events)[:4])
    assert not snapped(tmp_path, events, 7)
    assert not file(tmp_path).exists()


def test_it_is_private_and_goes_with_its_session(tmp_path: Path) -> None:
    kept(tmp_path)
    assert file(tmp_path).stat().st_mode & 0o777 == 0o600
    sessions.delete(tmp_path, SESSION)
    assert not file(tmp_path).exists()
