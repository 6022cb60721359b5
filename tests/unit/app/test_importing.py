"""Sessions read back from files: the same events as before, or a word for each line that is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from ouroboros.app.export.lines import json_lines
from ouroboros.app.past import forking, importing, sessions
from ouroboros.core.errors import Misuse
from ouroboros.core.events import (
    Event,
    PermissionAnswered,
    PermissionRequested,
    PermissionsGranted,
    SettingsChanged,
    TaskCancelled,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.events.session import SessionBranched, SessionImported
from ouroboros.core.parts import Media, Message, Text
from ouroboros.core.state import fold
from ouroboros.store import resume
from tests.cases import every
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready

BIG = UserMessage(
    message=Message(
        id="big",
        role="user",
        parts=(Media(media_type="image/png", data="A" * 200_000), Text(text='ü\u2028\x00\\ "')),
    )
)
PERMITTED: list[Event] = [
    PermissionRequested(
        request_id="r", call_id="k", tool="shell", action="x", input="x", grant="shell(*)"
    ),
    PermissionAnswered(
        request_id="r", call_id="k", allowed=True, decider="person", scope="session"
    ),
    PermissionsGranted(call_id="k", network=True, write=("/",), scope="session"),
    SettingsChanged(mode="full-auto", cwd="/"),
]
EVENTS: list[Event] = [
    ready(cwd="/somewhere"), *a_turn(1), BIG, *a_turn(2), SessionBranched(message_id="ans_1"), *a_turn(3)
]  # fmt: skip


def exported(home: Path, session: str = SESSION) -> str:
    return "".join(json_lines(resume.read(home, session).envelopes))


def written(tmp_path: Path, events: list[Event]) -> Path:
    """An export of these events, from a home of its own."""
    keep(tmp_path / "there", numbered(events))
    path = tmp_path / "session.jsonl"
    path.write_text(exported(tmp_path / "there"), "utf-8", newline="")
    return path


@pytest.mark.proves("Y10", "divergences-lines-of-an-export")
def test_what_was_written_out_is_read_back_equal(tmp_path: Path) -> None:
    path = written(tmp_path, EVENTS)
    made = importing.import_file(tmp_path / "here", path, cwd=tmp_path)
    assert (made.session, made.events, made.lost) == (SESSION, len(EVENTS), 0)
    *same, last = exported(tmp_path / "here").splitlines(keepends=True)
    assert "".join(same) == path.read_text("utf-8")
    assert json.loads(last)["type"] == "session.imported"
    before = fold(numbered(EVENTS))
    after = sessions.describe(resume.read(tmp_path / "here", SESSION).envelopes)
    assert (after.history, after.results, after.tree.nodes.keys()) == (
        before.history, before.results, before.tree.nodes.keys()
    )  # fmt: skip
    (listed,) = sessions.list_sessions(tmp_path / "here")
    assert (listed.cwd, listed.turns) == (str(tmp_path), 3)


def test_a_name_that_is_taken_is_replaced_with_all_that_goes_with_it(tmp_path: Path) -> None:
    path = written(tmp_path, EVENTS)
    home = tmp_path / "there"
    made = importing.import_file(home, path, cwd=tmp_path)
    assert made.session != SESSION == made.was
    old, new = resume.read(home, SESSION).envelopes, resume.read(home, made.session).envelopes
    assert [each.data for each in new[:-1]] == [each.data for each in old]
    assert {each.session for each in new} == {made.session}
    assert not {each.id for each in old} & {each.id for each in new}
    assert len(sessions.list_sessions(home)) == 2


def test_a_fork_that_gets_another_name_is_still_a_fork(tmp_path: Path) -> None:
    home = tmp_path / "there"
    keep(home, numbered([ready(), *a_turn(1)]))
    child = forking.fork(home, SESSION, "ans_1")
    path = tmp_path / "fork.jsonl"
    path.write_text(exported(home, child), "utf-8", newline="")
    made = importing.import_file(home, path, cwd=tmp_path)
    state = sessions.describe(resume.read(home, made.session).envelopes)
    assert (state.parent, state.spent.requests) == (SESSION, 0)


@pytest.mark.proves("Y10")
def test_what_was_allowed_there_is_not_allowed_here(tmp_path: Path) -> None:
    path = written(tmp_path, [ready(), *a_turn(1), *PERMITTED])
    importing.import_file(tmp_path / "here", path, cwd=tmp_path)
    state = sessions.describe(resume.read(tmp_path / "here", SESSION).envelopes)
    assert (state.granted, state.grants, state.remembered) == ([], [], [])
    assert (state.mode, state.cwd) == ("ask", str(tmp_path))
    assert state.sources == ["imported session"]


def test_a_run_that_was_under_way_is_closed(tmp_path: Path) -> None:
    calls = [
        ToolStarted(call_id="k1", name="shell", arguments="{}"),
        ToolStarted(call_id="k2", name="shell", arguments="{}"),
        ToolAttempted(call_id="k2", steps=(), decision="allow"),
    ]
    path = written(tmp_path, [ready(), *a_turn(1)[:3], *calls, PERMITTED[0]])
    importing.import_file(tmp_path / "here", path, cwd=tmp_path)
    found = [each.data for each in resume.read(tmp_path / "here", SESSION).envelopes]
    ended = {each.call_id: each.status for each in found if isinstance(each, ToolResulted)}
    assert ended == {"call_1": "cancelled", "k1": "cancelled", "k2": "unknown-after-crash"}
    assert [type(each) for each in found[-2:]] == [TaskCancelled, SessionImported]


def line(**changes: Any) -> str:
    made: dict[str, Any] = json.loads("".join(json_lines(numbered([ready()]))))
    return json.dumps(made | changes) + "\n"


@pytest.mark.proves("CF27")
def test_each_event_of_an_export_is_a_line_with_its_end() -> None:
    events = numbered([ready(), *a_turn(1)])
    for clean in (None, str.strip):
        lines = list(json_lines(events, clean=clean))
        assert len(lines) == len(events)
        assert [json.loads(line)["seq"] for line in lines if line.endswith("}\n")] == [
            each.seq for each in events
        ]


SECOND = "".join(json_lines(numbered([ready()], after=1)))


@pytest.mark.proves("Y10")
@every(
    ("text", "complaints"),
    [
        ("", ["1: the file is empty"]),
        ("no json\n", ["1: not an event"]),
        (line() + SECOND[:60], ["2: not an event"]),
        (line(seq=2), ["1: it is event 2, and event 1 should come here"]),
        (line() + line(), ["2: it is event 1, and event 2 should come here"]),
        (line(v=9), ["1: event 'evt_ses_1_1' has schema 9"]),
        (line(type="task.unheard"), ["1: unknown event type"]),
        (line(type="model.delta", data={"part": 1}), ["1: 'model.delta' is no event that is kept"]),
        (line(source="user"), ["1: 'session.ready' does not come from 'user'"]),
        (line(session="../../etc"), ["1: There is no session '../../etc'"]),
        (line(session=""), ["1: There is no session ''"]),
        (line(id="a b"), ["1: 'a b' is no event's name"]),
        (line(ts=1e300), ["1: its time or turn cannot be"]),
        (line(ts=-1), ["1: its time or turn cannot be"]),
        (line(turn=2**60), ["1: its time or turn cannot be"]),
        (line(data={}), ["1: not an event"]),
        (line(data={"cwd": 1}), ["1: not an event"]),
        ("x\n" + SECOND + "y\n", ["1: not an event", "3: not an event"]),
        (line() + SECOND.replace("ses_1", "ses_2"), ["2: it is of another session than 'ses_1'"]),
        ("[" * 100_000, ["1: not an event"]),
        (line() + "\n", ["2: not an event"]),
        ("\ufeff" + line(), ["1: not an event"]),
    ],
)
def test_each_line_that_is_no_event_is_named_and_nothing_is_kept(
    tmp_path: Path, text: str, complaints: list[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, "utf-8", newline="")
    with pytest.raises(Misuse) as refused:
        importing.import_file(tmp_path / "here", path, cwd=tmp_path)
    told = refused.value.message.splitlines()
    assert len(told) == len(complaints)
    for words, complaint in zip(told, complaints, strict=True):
        assert words.startswith(f"{path}:{complaint}")
    assert not sessions.list_sessions(tmp_path / "here", archived=True)


def test_bytes_that_are_no_text_and_surrogates_are_refused(tmp_path: Path) -> None:
    for content in (b"\xff\xfe\n", line(id="x").replace('"x"', '"\\ud800"').encode()):
        path = tmp_path / "bad.jsonl"
        path.write_bytes(content)
        with pytest.raises(Misuse, match=":1: "):
            importing.import_file(tmp_path / "here", path, cwd=tmp_path)


def test_only_the_first_ten_complaints_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("x\n" * 1000, "utf-8")
    with pytest.raises(Misuse) as refused:
        importing.import_file(tmp_path / "here", path, cwd=tmp_path)
    assert len(refused.value.message.splitlines()) == importing.SHOWN


def test_a_file_that_is_not_there_or_a_folder_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(Misuse, match="cannot be read"):
            importing.import_file(tmp_path / "here", path, cwd=tmp_path)
