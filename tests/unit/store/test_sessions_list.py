"""Sessions are listed, renamed, archived, deleted and searched."""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import SessionBusy, SessionUnknown, StoreFailed
from ouroboros.core.events import (
    Event,
    PermissionAnswered,
    PermissionRequested,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
    TurnStarted,
)
from ouroboros.core.events.fleet import SubagentCompleted, SubagentMessage, SubagentStarted
from ouroboros.core.events.review import ReviewEntered
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.parts import Text
from ouroboros.core.state import fold
from ouroboros.store import resume, sessions
from ouroboros.store.blobs import Blobs
from ouroboros.store.health import Health, examine
from ouroboros.store.lease import Lease, acknowledged
from ouroboros.store.search import search
from ouroboros.store.sessions import Session
from tests.cases import every
from tests.unit.store.samples import a_turn, keep, numbered, ready, said


def asked(number: int) -> PermissionRequested:
    return PermissionRequested(
        request_id=f"req_{number}", call_id="c", tool="shell", action="run", input="ls"
    )


def answered(number: int) -> PermissionAnswered:
    return PermissionAnswered(
        request_id=f"req_{number}", call_id="c", allowed=True, decider="person"
    )


def result(text: str, blob: str = "") -> ToolResulted:
    return ToolResulted(
        call_id="c", name="read", status="done", parts=(Text(text=text),), blob=blob
    )


def status_after(home: Path, events: Iterable[Event]) -> str:
    keep(home, numbered([ready(), *events]))
    return sessions.find(home, "ses_1").status


def files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "blobs").rglob("*") if path.is_file())


def test_no_database_means_no_sessions_and_makes_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert sessions.list_sessions(home) == ()
    assert sessions.latest(home, "/tmp") is None
    assert search(home, "anything") == ()
    with pytest.raises(SessionUnknown, match="'ses_x'"):
        resume.read(home, "ses_x")
    assert not home.exists()


@pytest.mark.proves("I19")
def test_the_list_is_newest_first_with_what_the_events_say(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready("/a"), *a_turn(1), *a_turn(2)], session="ses_a", ts=1000))
    keep(tmp_path, numbered([ready("/b", "A title", "m:1")], session="ses_b", ts=5000))
    first = Session(
        id="ses_b", cwd="/b", model="m:1", title="A title", status="idle", turns=0,
        created=5001, updated=5001,
    )  # fmt: skip
    second = Session(
        id="ses_a", cwd="/a", model="script:x", title="question 1", status="idle", turns=2,
        created=1001, updated=1013,
    )  # fmt: skip
    assert sessions.list_sessions(tmp_path) == (first, second)
    assert sessions.list_sessions(tmp_path, limit=1) == (first,)
    assert sessions.list_sessions(tmp_path, cwd="/a") == (second,)
    assert sessions.latest(tmp_path, "/a") == second
    assert sessions.latest(tmp_path, "/c") is None


@pytest.mark.proves("sessions-continue", "sessions-continue-last")
def test_gone_on_with_is_where_something_was_said_before_what_was_only_opened(
    tmp_path: Path,
) -> None:
    keep(tmp_path, numbered([ready("/a")], session="ses_0", ts=500))
    only = sessions.latest(tmp_path, "/a")
    assert only is not None
    assert only.id == "ses_0"
    keep(tmp_path, numbered([ready("/a"), *a_turn(1)], session="ses_1", ts=1000))
    keep(tmp_path, numbered([ready("/a")], session="ses_2", ts=5000))
    latest = sessions.latest(tmp_path, "/a")
    assert latest is not None
    assert latest.id == "ses_1"
    reviewed = [ready("/a"), ReviewEntered(target="uncommitted", subject="what is new")]
    keep(tmp_path, numbered(reviewed, session="ses_3", ts=2000))
    found = (sessions.latest(tmp_path, "/a"), sessions.latest(tmp_path))
    assert [each and each.id for each in found] == ["ses_3", "ses_3"]


def test_a_row_kept_over_many_commits_is_the_same_as_over_one(tmp_path: Path) -> None:
    events = [
        ready("/a"),
        *a_turn(1),
        asked(1),
        SettingsChanged(model="m:2", title="Mine"),
        asked(2),
        answered(1),
        *a_turn(2),
    ]
    envelopes = numbered(events)
    keep(tmp_path / "one", envelopes)
    for each in envelopes:
        keep(tmp_path / "many", [each])
    assert sessions.list_sessions(tmp_path / "one") == sessions.list_sessions(tmp_path / "many")
    assert sessions.find(tmp_path / "one", "ses_1").title == "Mine"


@pytest.mark.proves("I18")
@every(
    ("events", "status"),
    [
        ([], "idle"),
        ([TurnStarted(turn=1), asked(1)], "waiting"),
        ([TurnStarted(turn=1), asked(1), asked(2), answered(1)], "waiting"),
        ([TurnStarted(turn=1), asked(1), answered(1)], "interrupted"),
        ([TurnStarted(turn=1), TaskCompleted(reason="completed")], "idle"),
        ([TurnStarted(turn=1), TaskCompleted(reason="failed")], "failed"),
        ([TurnStarted(turn=1), asked(1), TaskCancelled()], "idle"),
    ],
)
def test_the_status_follows_the_events(tmp_path: Path, events: list[Event], status: str) -> None:
    assert status_after(tmp_path, events) == status


@pytest.mark.proves("I18")
def test_a_running_session_is_running_while_its_owner_lives(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), TurnStarted(turn=1)]))
    with Lease.take(tmp_path, "ses_1"):
        assert sessions.find(tmp_path, "ses_1").status == "running"
    assert sessions.find(tmp_path, "ses_1").status == "interrupted"


def test_runs_and_agents_have_rows(tmp_path: Path) -> None:
    keep(
        tmp_path,
        numbered([
            ready(),
            *a_turn(1),
            TurnStarted(turn=2),
            ready(),
            TurnStarted(turn=3),
            SubagentStarted(child="ses_child", task="look"),
            SubagentMessage(child="ses_child", text="found"),
            SubagentCompleted(child="ses_child", reason="completed"),
        ]),
    )
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection:
        runs = connection.execute("SELECT first_seq, last_seq, reason FROM runs").fetchall()
        edges = connection.execute("SELECT parent, child, status FROM agent_edges").fetchall()
        words = connection.execute("SELECT sender, receiver, body FROM agent_messages").fetchall()
    assert runs == [(3, 7, "completed"), (8, 8, "interrupted"), (10, None, "")]
    assert edges == [("ses_1", "ses_child", "completed")]
    assert words == [("ses_child", "ses_1", b"found")]


def named(home: Path) -> None:
    clock = SystemClock()
    sessions.rename(home, "ses_1", "Named", ids=TimeOrderedIds(clock, os.urandom), clock=clock)


def test_renaming_is_an_event_so_that_the_fold_knows_it(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), *a_turn(1)]))
    named(tmp_path)
    assert sessions.find(tmp_path, "ses_1").title == "Named"
    assert fold(resume.read(tmp_path, "ses_1").envelopes).title == "Named"
    with Lease.take(tmp_path, "ses_1"), pytest.raises(SessionBusy):
        named(tmp_path)


def test_archived_sessions_leave_the_list_and_come_back(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready("/a")]))
    sessions.archive(tmp_path, "ses_1")
    assert sessions.list_sessions(tmp_path) == ()
    assert sessions.latest(tmp_path, "/a") is None
    assert [each.status for each in sessions.list_sessions(tmp_path, archived=True)] == ["archived"]
    sessions.unarchive(tmp_path, "ses_1")
    assert [each.status for each in sessions.list_sessions(tmp_path)] == ["idle"]


def test_deleting_takes_everything_but_what_another_session_names(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    own, shared = blobs.put(b"own output"), blobs.put(b"shared output")
    large = "wide " * 30_000
    keep(tmp_path, numbered([ready(), said("secretword"), result(large), result("", own)]))
    keep(tmp_path, numbered([result("", shared)], after=4))
    keep(tmp_path, numbered([ready(), result("", shared)], session="ses_2"))
    assert len(files(tmp_path)) == 3
    assert search(tmp_path, "secretword") != ()
    sessions.delete(tmp_path, "ses_1")
    assert files(tmp_path) == [shared]
    assert search(tmp_path, "secretword") == ()
    assert [each.id for each in sessions.list_sessions(tmp_path)] == ["ses_2"]
    with pytest.raises(SessionUnknown):
        resume.read(tmp_path, "ses_1")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"secretword" not in kept
    assert not (tmp_path / "locks" / "ses_1.lock").exists()


def test_deleting_takes_its_folders_and_leaves_those_of_others_and_what_is_known_of_files(
    tmp_path: Path,
) -> None:
    for session in ("ses_1", "ses_2"):
        keep(tmp_path, numbered([ready()], session=session))
        for kind in ("artifacts", "repl"):
            folder = tmp_path / kind / session / "inside"
            folder.mkdir(parents=True)
            (folder / "main.variables").write_text("secretword")
    (tmp_path / "taint.jsonl").write_text("known")
    sessions.delete(tmp_path, "ses_1")
    left = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*.variables")}
    assert left == {("artifacts", "ses_2"), ("repl", "ses_2")}
    assert not (tmp_path / "artifacts" / "ses_1").exists()
    assert not (tmp_path / "repl" / "ses_1").exists()
    assert (tmp_path / "taint.jsonl").read_text() == "known"


@pytest.mark.proves("sessions-half-deleted-sessions")
def test_of_a_session_whose_deletion_was_broken_off_nothing_is_missed(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), said("one")]))
    named(tmp_path)
    assert acknowledged(tmp_path, "ses_1") == 3

    def refuses(session: str) -> None:
        raise StoreFailed(session)

    with pytest.raises(StoreFailed):
        sessions.delete(tmp_path, "ses_1", beside=[refuses])
    assert (tmp_path / "locks" / "ses_1.lock").exists()
    assert examine(tmp_path) == Health()


@pytest.mark.proves("sessions-half-deleted-sessions")
def test_what_is_added_beside_a_run_is_missed_when_it_is_gone(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), said("one")]))
    named(tmp_path)
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        connection.execute("DELETE FROM events WHERE seq = 3")
    assert examine(tmp_path).missing == {"ses_1": 1}


def test_new_events_after_a_deletion_are_found(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("first")]))
    assert search(tmp_path, "first") != ()
    sessions.delete(tmp_path, "ses_1")
    keep(tmp_path, numbered([said("second")], session="ses_2"))
    assert [each.session for each in search(tmp_path, "second")] == ["ses_2"]


def test_an_open_session_is_not_deleted(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("mine")]))
    with Lease.take(tmp_path, "ses_1"), pytest.raises(SessionBusy):
        sessions.delete(tmp_path, "ses_1")
    assert len(resume.read(tmp_path, "ses_1").envelopes) == 1


@every("act", [sessions.archive, sessions.delete, sessions.find])
def test_an_unknown_session_is_named_in_the_error(tmp_path: Path, act: object) -> None:
    keep(tmp_path, numbered([said("one")]))
    assert callable(act)
    with pytest.raises(SessionUnknown, match="'\\.\\./ouroboros'"):
        act(tmp_path, "../ouroboros")


@pytest.mark.proves("I19")
def test_search_finds_words_beginnings_and_accents_in_what_was_said(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(title="Kitchen"), said("Fix the CAFÉ parser"), *a_turn(7)]))
    keep(tmp_path, numbered([said("nothing here")], session="ses_2"))
    for words, seqs in {
        "parser": [2],
        "cafe pars": [2],
        "kitchen": [1],
        "content 7": [7],
        "parser nothing": [],
        "hm": [5],
    }.items():
        assert [found.seq for found in search(tmp_path, words)] == seqs, words


@pytest.mark.deep
def test_search_reads_on_from_where_it_stopped(tmp_path: Path) -> None:
    many = [said(f"needle {number}") for number in range(8500)]
    keep(tmp_path, numbered(many))
    assert len(search(tmp_path, "needle", limit=20_000)) == 8500
    keep(tmp_path, numbered([said("needle again")], after=8500))
    assert len(search(tmp_path, "needle", limit=20_000)) == 8501
    assert len(search(tmp_path, "needle", limit=20_000)) == 8501


@pytest.fixture(scope="module")
def some_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    keep(home, numbered([ready(), said('foo AND "bar" NEAR(')]))
    return home


@pytest.mark.deep
@given(words=st.text() | st.sampled_from(['"foo AND (', "foo*", "^", "a:b", "\0", "NOT", "-", "'"]))
def test_no_query_is_wrong(some_home: Path, words: str) -> None:
    for found in search(some_home, words):
        assert found.session == "ses_1"


def test_nonsense_that_was_said_is_found(some_home: Path) -> None:
    assert [found.seq for found in search(some_home, '"foo AND (')] == [2]
