"""A session read along: each event once, in order, whatever the clock of the files says."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.errors import SessionUnknown
from ouroboros.store import sessions
from ouroboros.store.following import Follower
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said


@pytest.mark.proves("I15")
def test_each_event_is_given_once_and_in_order(tmp_path: Path) -> None:
    events = numbered([ready(), *a_turn(1), *a_turn(2)])
    keep(tmp_path, events[:5])
    follower = Follower(tmp_path, SESSION)
    assert follower.read() == events[:5]
    assert follower.read() == []
    keep(tmp_path, numbered([ready()], session="ses_2"))
    assert follower.read() == []
    keep(tmp_path, events[5:])
    assert follower.read() == events[5:]
    assert Follower(tmp_path, SESSION, after=9).read() == events[9:]


def test_what_was_written_within_the_same_step_of_the_clock_is_not_missed(tmp_path: Path) -> None:
    events = numbered([ready(), said("one"), said("two")])
    keep(tmp_path, events[:2])
    path = tmp_path / "ouroboros.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    before = path.stat()
    follower = Follower(tmp_path, SESSION)
    assert follower.read() == events[:2]
    keep(tmp_path, events[2:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert follower.read() == events[2:]


def test_a_session_that_is_deleted_meanwhile_is_said(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready()]))
    follower = Follower(tmp_path, SESSION)
    assert len(follower.read()) == 1
    sessions.delete(tmp_path, SESSION)
    keep(tmp_path, numbered([ready()], session="ses_2"))
    with pytest.raises(SessionUnknown):
        follower.read()


def test_a_home_without_sessions_has_none_to_follow(tmp_path: Path) -> None:
    with pytest.raises(SessionUnknown):
        Follower(tmp_path, SESSION).read()
