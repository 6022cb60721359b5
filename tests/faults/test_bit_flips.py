"""One bit of the database is another one: it is found and said, or it changes nothing that is shown.

The file lies at rest. Whatever the bit, no error of Python comes through, what is shown of a session
is a beginning of what was written, and a loss is told; going on is possible where reading is.
"""

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ouroboros.core.errors import OuroborosError, StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.store import resume
from ouroboros.store.health import examine
from ouroboros.store.lease import Lease
from ouroboros.store.search import search
from ouroboros.store.sessions import list_sessions
from tests.faults.faulted import fresh_seed
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said

EVENTS = numbered([ready(), *(event for turn in range(1, 13) for event in a_turn(turn))])
OTHERS = numbered([ready(), *a_turn(1)], session="ses_2")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("sound")
    keep(home, EVENTS)
    keep(home, OTHERS)
    return home


def flipped(sound: Path, home: Path, bit: int) -> None:
    home.mkdir()
    content = bytearray((sound / "ouroboros.db").read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    (home / "ouroboros.db").write_bytes(content)


def read(home: Path, session: str, written: list[Envelope]) -> list[str]:
    """What is wrong with how a session is shown; an error that says what to do is fine."""
    try:
        found = resume.read(home, session)
    except OuroborosError as told:
        return [] if told.hint else [f"no hint: {told}"]
    if found.envelopes != written[: len(found.envelopes)]:
        return [f"{session} is not what was written"]
    if len(found.envelopes) < len(written) and not found.warnings:
        return [f"{session} lost {len(written) - len(found.envelopes)} events and nobody was told"]
    return []


def gone_on(home: Path) -> list[str]:
    """As a person who resumes the session, writes, and looks again."""
    try:
        with Lease.take(home, SESSION) as lease:
            last = resume.load(home, lease).last
        keep(home, numbered([said("on")], after=last))
        again = resume.read(home, SESSION)
        if again.warnings:  # a harmed index may lose its way as it grows: it is made anew
            with Lease.take(home, SESSION) as lease:
                again = resume.load(home, lease)
    except OuroborosError:
        return []
    if again.warnings or again.last != last + 1:
        return [f"it does not go on after {last}: {again.warnings}"]
    return []


def examined(home: Path) -> list[str]:
    found: list[str] = []
    for look in (examine, list_sessions):
        try:
            look(home)
        except OuroborosError as told:
            found += [] if told.hint else [f"no hint: {told}"]
    found += read(home, SESSION, EVENTS) + read(home, "ses_2", OTHERS) + gone_on(home)
    with suppress(OuroborosError):
        search(home, "question")
    return found


def complaints(sound: Path, folder: Path, bits: list[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for bit in bits:
        home = folder / f"flip{bit}"
        flipped(sound, home, bit)
        try:
            wrong = examined(home)
        except (sqlite3.Error, ValueError, TypeError, LookupError) as bug:
            wrong = [f"{type(bug).__name__}: {bug}"]
        if wrong:
            found[bit] = wrong
        shutil.rmtree(home)
    return found


def anywhere(sound: Path, *, seed: int, count: int) -> list[int]:
    return random.Random(seed).sample(range((sound / "ouroboros.db").stat().st_size * 8), count)


def in_index(sound: Path, *, seed: int, count: int) -> list[int]:
    """Bits of the page that says where the events of a session are."""
    with closing(sqlite3.connect(sound / "ouroboros.db")) as connection:
        ((page,),) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_events_1'"
        ).fetchall()
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
    first = (page - 1) * size * 8
    return random.Random(seed).sample(range(first, first + size * 8), count)


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
def test_a_flipped_bit_is_told_or_harmless(sound: Path, tmp_path: Path) -> None:
    bits = anywhere(sound, seed=1, count=15) + in_index(sound, seed=2, count=15)
    assert complaints(sound, tmp_path, bits) == {}


@pytest.mark.proves("sessions-faults")
def test_a_row_of_the_list_that_is_no_text_is_told(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "home")
    with closing(sqlite3.connect(tmp_path / "home" / "ouroboros.db")) as connection, connection:
        connection.execute("UPDATE sessions SET title = CAST('x' AS BLOB) WHERE id = 'ses_2'")
    with pytest.raises(StoreFailed, match="is damaged"):
        list_sessions(tmp_path / "home")


@pytest.mark.proves("sessions-faults")
def test_a_column_of_another_kind_ends_what_is_believed(sound: Path, tmp_path: Path) -> None:
    for number, value in enumerate(("CAST('x' AS BLOB)", "'../x'", "7")):
        home = tmp_path / str(number)
        shutil.copytree(sound, home)
        with closing(sqlite3.connect(home / "ouroboros.db")) as connection, connection:
            connection.execute("DROP TRIGGER events_are_never_changed")
            where = f"session = '{SESSION}' AND seq = 9"
            connection.execute(f"UPDATE events SET blob = {value} WHERE {where}")
        found = resume.read(home, SESSION)
        assert found.envelopes == EVENTS[:8]
        assert "event 9 could not be read" in found.warnings[0]


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
def test_events_that_only_the_index_has_lost_are_told_and_come_back(
    sound: Path, tmp_path: Path
) -> None:
    came_back = 0
    for bit in in_index(sound, seed=3, count=40):
        home = tmp_path / f"flip{bit}"
        flipped(sound, home, bit)
        try:
            told = resume.read(home, SESSION).warnings
            with Lease.take(home, SESSION) as lease:
                found = resume.load(home, lease)
        except OuroborosError:
            continue
        assert found.envelopes == EVENTS
        assert resume.read(home, SESSION).warnings == ()
        came_back += bool(told)
    assert came_back >= 3


@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize(
    "count",
    [pytest.param(100, marks=pytest.mark.deep), pytest.param(5_000, marks=pytest.mark.soak)],
)
def test_many_flipped_bits_are_told_or_harmless(sound: Path, tmp_path: Path, count: int) -> None:
    seed = fresh_seed()
    bits = anywhere(sound, seed=seed, count=count) + in_index(sound, seed=seed, count=count)
    assert complaints(sound, tmp_path, bits) == {}
