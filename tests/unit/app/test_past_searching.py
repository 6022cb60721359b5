"""Past sessions are found by what was said in them: each once, of the folder and the list that is meant."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.app.past import sessions
from ouroboros.app.past.forking import fork_aside
from ouroboros.app.past.searching import talks
from ouroboros.core.errors import StoreFailed
from tests.unit.store.samples import a_turn, keep, numbered, ready, said


def told(home: Path, session: str, *words: str, cwd: str = "/tmp", title: str = "") -> None:
    events = [ready(cwd, title), *(said(text, at) for at, text in enumerate(words))]
    keep(home, numbered(events, session=session, ts=1000.0 * len(session)))


def ids(home: Path, words: str, **wish: object) -> list[str]:
    limit, cwd, archived = wish.get("limit", 9), wish.get("cwd"), wish.get("archived", False)
    assert isinstance(limit, int)
    assert isinstance(archived, bool)
    assert cwd is None or isinstance(cwd, str)
    found = talks(home, words, cwd=cwd, archived=archived, limit=limit)
    return [each.session.id for each in found]


@pytest.mark.proves("I11")
def test_one_that_says_a_word_often_leaves_room_for_the_others(tmp_path: Path) -> None:
    told(tmp_path, "ses_often", *["needle"] * 30)
    for number in range(5):
        told(tmp_path, f"ses_{number}", f"a needle in the hay, a long line of it, {number}")
    assert sorted(ids(tmp_path, "needle", limit=6)) == [
        *(f"ses_{n}" for n in range(5)),
        "ses_often",
    ]
    found = talks(tmp_path, "hay 3", limit=6)
    assert [(each.session.id, each.node) for each in found] == [("ses_3", "msg_0")]
    assert "3" in found[0].excerpt


@pytest.mark.proves("I11")
def test_only_the_folder_and_the_list_that_are_meant_are_searched(tmp_path: Path) -> None:
    told(tmp_path, "ses_here", "the needle", cwd="/here")
    told(tmp_path, "ses_there", "the needle", cwd="/there")
    told(tmp_path, "ses_away", "the needle", cwd="/here")
    sessions.archive(tmp_path, "ses_away")
    assert ids(tmp_path, "needle", cwd="/here") == ["ses_here"]
    assert sorted(ids(tmp_path, "needle")) == ["ses_here", "ses_there"]
    assert ids(tmp_path, "needle", archived=True) == ["ses_away"]
    assert ids(tmp_path, "needle", archived=True, cwd="/there") == []
    assert [each.id for each in sessions.put_away(tmp_path)] == ["ses_away"]


@pytest.mark.proves("I11")
def test_a_title_and_a_part_of_the_name_are_found_where_nothing_was_said(tmp_path: Path) -> None:
    told(tmp_path, "ses_said", "about the parser")
    told(tmp_path, "ses_goal")
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        connection.execute("UPDATE sessions SET preview = 'Mend the párser' WHERE id = 'ses_goal'")
    assert ids(tmp_path, "parser") == ["ses_said", "ses_goal"]
    assert ids(tmp_path, "parser", limit=1) == ["ses_said"]
    assert ids(tmp_path, "goal") == ["ses_goal"]
    assert ids(tmp_path, "nothing of it") == []


@pytest.mark.proves("I11")
def test_a_fork_is_found_by_what_its_put_away_parent_said(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), *a_turn(1)]))
    child = fork_aside(tmp_path, "ses_1", "ans_1")
    assert ids(tmp_path, "hm") == ["ses_1"]
    sessions.archive(tmp_path, "ses_1")
    assert ids(tmp_path, "hm") == [child]
    assert ids(tmp_path, "hm", archived=True) == ["ses_1"]


@pytest.mark.proves("I11")
def test_nothing_is_read_of_sessions_that_are_not_shown(tmp_path: Path) -> None:
    told(tmp_path, "ses_good", "the needle")
    told(tmp_path, "ses_broken", "the hay")
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        connection.execute("UPDATE sessions SET turns = 'many' WHERE id = 'ses_broken'")
    assert ids(tmp_path, "needle") == ["ses_good"]
    assert sessions.find(tmp_path, "ses_good").id == "ses_good"
    with pytest.raises(StoreFailed):
        ids(tmp_path, "hay")


@pytest.mark.proves("I11")
def test_the_last_one_is_the_latest_that_is_not_put_away(tmp_path: Path) -> None:
    told(tmp_path, "ses_1", "one")
    told(tmp_path, "ses_22", "two")
    assert sessions.find(tmp_path, "last").id == "ses_22"
    sessions.archive(tmp_path, "ses_22")
    assert sessions.find(tmp_path, "last").id == "ses_1"
    sessions.archive(tmp_path, "ses_1")
    assert sessions.find(tmp_path, "last").id == "ses_22"


@pytest.mark.proves("sessions-continue-last")
def test_the_last_one_is_not_one_that_was_only_opened(tmp_path: Path) -> None:
    told(tmp_path, "ses_only_opened")
    assert sessions.find(tmp_path, "last").id == "ses_only_opened"
    told(tmp_path, "ses_1", "one")
    assert sessions.find(tmp_path, "last").id == "ses_1"
