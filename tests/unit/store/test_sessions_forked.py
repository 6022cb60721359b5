"""Sessions and their forks in the list, in the search and when one of them is deleted."""

from pathlib import Path

import pytest

from ouroboros.app.past import forking
from ouroboros.app.past import sessions as past
from ouroboros.app.past.tree import node_named
from ouroboros.core.commands import Branch, Rewind, Rollback
from ouroboros.core.errors import Misuse, SessionBusy, StoreFailed
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.events.session import SessionBranched, SessionForked
from ouroboros.core.state import State, fold
from ouroboros.store import Lease, copying, resume, sessions
from ouroboros.store.search import search
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said


@pytest.fixture
def home(tmp_path: Path) -> Path:
    events = [ready(), *a_turn(1), *a_turn(2), SessionBranched(message_id="ans_1"), *a_turn(3)]
    keep(tmp_path, numbered(events))
    return tmp_path


def state_of(home: Path, session: str = SESSION) -> State:
    return fold(resume.read(home, session).envelopes)


@pytest.mark.proves("I19")
def test_each_find_names_the_message_to_go_on_after_on_any_branch(home: Path) -> None:
    found = {words: search(home, words) for words in ("question 2", "content 2", "content 3", "hm")}
    assert [each.node for each in found["question 2"]] == ["msg_2"]
    assert [each.node for each in found["content 2"]] == ["ans_2"]
    assert [each.node for each in found["content 3"]] == ["ans_3"]
    assert {each.node for each in found["hm"]} == {"ans_1", "ans_2", "ans_3"}
    moved = forking.move(home, SESSION, Branch(message_id=found["content 2"][0].node))
    assert [message.id for message in moved.history] == ["msg_1", "ans_1", "msg_2", "ans_2"]


@pytest.mark.proves("I19")
def test_what_a_fork_took_over_is_found_once_and_still_when_the_parent_is_gone(home: Path) -> None:
    child = forking.fork_aside(home, SESSION, "ans_2")
    assert [each.session for each in search(home, "content 1")] == [SESSION]
    assert [each.session for each in search(home, "content 3")] == [SESSION]
    gone: list[str] = []
    sessions.delete(home, SESSION, beside=[gone.append])
    assert gone == [SESSION]
    assert [each.session for each in search(home, "content 1")] == [child]
    assert search(home, "content 3") == ()
    (left,) = sessions.list_sessions(home)
    assert (left.id, left.parent) == (child, SESSION)
    assert [message.id for message in state_of(home, child).history] == [
        "msg_1", "ans_1", "msg_2", "ans_2"
    ]  # fmt: skip


def test_calls_of_a_fork_are_listed_once_and_all_when_it_is_asked_alone(home: Path) -> None:
    child = forking.fork_aside(home, SESSION, "ans_2")
    grandchild = forking.fork_aside(home, child, "ans_1")
    made = past.history(home, limit=99)
    assert sorted((each.session, each.id) for each in made) == [
        (SESSION, "call_1"), (SESSION, "call_2"), (SESSION, "call_3")
    ]  # fmt: skip
    assert len(past.history(home, session=child, limit=99)) == 2
    assert len(past.history(home, session=grandchild, limit=99)) == 1


def test_the_diff_of_a_turn_that_was_left_is_not_the_latest(home: Path) -> None:
    more = [*a_turn(4)[:-1], TurnDiffed(diff="+x\n"), a_turn(4)[-1]]
    keep(home, numbered(more, after=resume.read(home, SESSION).last))
    assert past.latest_diff(home, SESSION) == "+x\n"
    forking.move(home, SESSION, Rollback(turns=1))
    assert past.latest_diff(home, SESSION) == ""


@pytest.mark.proves("I19")
def test_files_stay_while_a_fork_names_them_and_variables_are_its_own(home: Path) -> None:
    for kind in ("artifacts", "repl"):
        (home / kind / SESSION).mkdir(parents=True)
        (home / kind / SESSION / "main.variables").write_bytes(b"kept")
    one, two = (forking.fork_aside(home, SESSION, "ans_1") for _ in range(2))
    grandchild = forking.fork_aside(home, one, "ans_1")
    (home / "repl" / SESSION / "main.variables").write_bytes(b"changed")
    assert (home / "repl" / one / "main.variables").read_bytes() == b"kept"
    assert (home / "repl" / grandchild).is_dir()
    file = home / "artifacts" / SESSION / "main.variables"
    sessions.delete(home, SESSION)
    assert (file.exists(), (home / "repl" / SESSION).exists()) == (True, False)
    sessions.delete(home, two)
    assert file.exists()
    sessions.delete(home, one)
    assert not file.exists()
    assert (home / "repl" / grandchild / "main.variables").read_bytes() == b"kept"


def test_a_fork_of_an_open_session_leaves_it_alone(home: Path) -> None:
    with Lease.take(home, SESSION):
        child = forking.fork_aside(home, SESSION, "msg_3")
        with pytest.raises(SessionBusy):
            forking.move(home, SESSION, Rollback(turns=1))
    before = resume.read(home, SESSION).envelopes
    assert not any(isinstance(each.data, SessionForked) for each in before)
    state = state_of(home, child)
    assert (state.parent, state.history[-1].id, state.ended) == (SESSION, "msg_3", "cancelled")


def test_forks_of_forks_name_their_own_parents(home: Path) -> None:
    child = forking.fork_aside(home, SESSION, "ans_3")
    grandchild = forking.fork_aside(home, child, "ans_1")
    parents = {each.id: each.parent for each in sessions.list_sessions(home)}
    assert parents == {SESSION: "", child: SESSION, grandchild: child}
    assert state_of(home, grandchild).parent == child
    assert [message.id for message in state_of(home, grandchild).history] == ["msg_1", "ans_1"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (Branch(message_id="nowhere"), "no message 'nowhere'"),
        (Rewind(message_id="ans_1"), "not something you said"),
        (Rollback(turns=3), "cannot go back 3 turns"),
        (Rollback(turns=0), "cannot go back 0 turns"),
    ],
)
def test_a_wish_that_cannot_be_changes_nothing(
    home: Path, command: Branch | Rewind | Rollback, words: str
) -> None:
    before = resume.read(home, SESSION).last
    with pytest.raises(Misuse, match=words):
        forking.move(home, SESSION, command)
    assert resume.read(home, SESSION).last == before


def test_a_message_goes_by_number_id_or_end_of_id(home: Path) -> None:
    state = state_of(home)
    assert [node_named(state, name) for name in ("1", "msg_2", "ns_3")] == [
        "msg_1",
        "msg_2",
        "ans_3",
    ]
    for name in ("7", "0", "msg_", "s_3", ""):
        with pytest.raises(Misuse):
            node_named(state, name)


def test_a_session_is_made_whole_or_not_at_all(home: Path) -> None:
    with pytest.raises(StoreFailed, match="already"):
        copying.put(home, numbered([ready()]))
    with pytest.raises(StoreFailed):
        copying.put(home, numbered([ready(), said("x")], session="ses_2", after=1))
    assert [each.id for each in sessions.list_sessions(home)] == [SESSION]
