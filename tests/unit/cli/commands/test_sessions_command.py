"""`ouro sessions` and `ouro export`."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    SessionReady,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import Message, Text, ToolCall, Usage
from ouroboros.store.db import open_database
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from tests.unit.cli.commands.calling import Ouro

OLD, NEW = "ses_0aaa111", "ses_0bbb222"


def keep(home: Path, session: str, events: Sequence[Event], begun: float) -> None:
    lines: list[Line] = []
    for seq, event in enumerate(events, 1):
        envelope = Envelope(
            id=f"evt_{session}_{seq}",
            session=session,
            turn=1,
            seq=seq,
            ts=begun + seq,
            type=event.type,
            source=event.source,
            data=event,
        )
        lines.append(Line(envelope=envelope, encoded=encode(envelope)))
    with closing(open_database(home)) as connection:
        Ledger(home, connection).store(lines)


def work(cwd: str, question: str, answer: str) -> list[Event]:
    call = ToolCall(id="call_1", name="shell", arguments='{"command":"ls"}')
    first = Message(id="msg_2", role="assistant", parts=(Text(text="Looking."), call))
    last = Message(id="msg_3", role="assistant", parts=(Text(text=answer),))
    return [
        SessionReady(cwd=cwd, model="echo", mode="ask", version="1"),
        UserMessage(message=Message(id="msg_1", role="user", parts=(Text(text=question),))),
        TurnStarted(turn=1),
        AgentMessage(message=first, stop_reason="tool_calls", partial=True),
        ToolStarted(call_id="call_1", name="shell", arguments=call.arguments, title="Run ls"),
        AgentMessage(
            message=first,
            stop_reason="tool_calls",
            usage=Usage(input_uncached=10, output_text=5),
            cost=0.5,
        ),
        ToolResulted(call_id="call_1", name="shell", status="done", parts=(Text(text="a ``` b"),)),
        TurnStarted(turn=2),
        AgentMessage(
            message=last, stop_reason="end", usage=Usage(input_uncached=7, output_text=3), cost=0.25
        ),
        TaskCompleted(reason="completed"),
    ]


@pytest.fixture
def past(home: Path, project: Path) -> None:
    keep(home, OLD, work("/elsewhere", "find the \x1b[31mwombat", "It hid."), 1000.0)
    keep(home, NEW, work(str(project), "count the eggs", "Three eggs."), 2000.0)


def names(ouro: Ouro, *options: str) -> list[str]:
    return [each["id"] for each in json.loads(ouro("sessions", "list", "--json", *options).out)]


@pytest.mark.usefixtures("past")
def test_the_list_is_newest_first_and_plain_when_piped(ouro: Ouro) -> None:
    lines = [line.split("\t") for line in ouro("sessions", "list").out.splitlines()]

    assert [(line[0], line[2], line[3]) for line in lines] == [
        (NEW, "idle", "count the eggs"),
        (OLD, "idle", "find the wombat"),
    ]
    assert names(ouro, "--here") == [NEW]
    assert names(ouro, "--limit", "1") == [NEW]


@pytest.mark.proves("I19", "codex-16.4")
@pytest.mark.usefixtures("past")
def test_rename_archive_and_delete(ouro: Ouro, home: Path) -> None:
    assert ouro("sessions", "rename", OLD, "  The\nwombat  ").code == 0
    assert json.loads(ouro("sessions", "show", OLD, "--json").out)["session"]["title"] == (
        "The wombat"
    )
    assert ouro("sessions", "archive", NEW).code == 0
    assert names(ouro) == [OLD]
    assert names(ouro, "--all") == [OLD, NEW]
    assert ouro("sessions", "unarchive", NEW).code == 0
    assert sorted(names(ouro)) == [OLD, NEW]

    refused = ouro("sessions", "delete", OLD)
    assert (refused.code, sorted(names(ouro))) == (2, [OLD, NEW])
    assert ouro("sessions", "delete", OLD, "--yes").code == 0
    assert names(ouro, "--all") == [NEW]


@pytest.mark.usefixtures("past")
def test_show_says_what_it_was_and_cost(ouro: Ouro) -> None:
    shown = ouro("sessions", "show", "last").out

    assert f"id: {NEW}\n" in shown
    assert "tokens: 17 in, 8 out\n" in shown
    assert "cached: unknown\n" in shown
    assert "cost: 0.7500 USD\n" in shown
    assert shown.endswith("\nThree eggs.\n")


@pytest.mark.usefixtures("past")
def test_search_finds_words_and_survives_nonsense(ouro: Ouro) -> None:
    found = json.loads(ouro("sessions", "search", "egg", "--json").out)
    nothing = ouro("sessions", "search", '"foo AND (')

    assert {each["session"] for each in found} == {NEW}
    assert (nothing.code, nothing.out) == (1, "")


@pytest.mark.proves("I19")
@pytest.mark.usefixtures("past")
def test_a_session_goes_by_its_title_unless_two_have_it(ouro: Ouro) -> None:
    assert ouro("sessions", "rename", OLD, "The wombat").code == 0
    assert f"id: {OLD}\n" in ouro("sessions", "show", "The wombat").out
    assert ouro("sessions", "show", "The wom").code == 2
    assert ouro("sessions", "rename", NEW, "The wombat").code == 0
    assert "could be any of 2 sessions" in ouro("sessions", "show", "The wombat").err


@pytest.mark.usefixtures("past")
def test_a_session_goes_by_a_unique_end_or_beginning(ouro: Ouro) -> None:
    assert f"id: {OLD}\n" in ouro("sessions", "show", "a111").out
    ambiguous = ouro("sessions", "show", "ses_0")
    unknown = ouro("sessions", "show", "../../etc/passwd")

    assert ambiguous.code == 2
    assert "could be any of 2 sessions" in ambiguous.err
    assert (unknown.code, unknown.out) == (2, "")
    assert unknown.err.startswith("error: there is no session '../../etc/passwd'\n")


@pytest.mark.proves("I03", "CF27")
@pytest.mark.usefixtures("past")
def test_the_export_holds_every_event(ouro: Ouro, project: Path) -> None:
    lines = ouro("export", NEW).out.splitlines()

    assert [decode(line.encode()).data for line in lines] == work(
        str(project), "count the eggs", "Three eggs."
    )


@pytest.mark.usefixtures("past")
def test_the_markdown_export_reads_like_the_session(ouro: Ouro, tmp_path: Path) -> None:
    target = tmp_path / "out.md"

    assert ouro("export", OLD, "--format", "markdown", "-o", str(target)).code == 0
    assert target.read_text(encoding="utf-8") == (
        "# find the wombat\n"
        "\n*Begun 1970-01-01 00:16 UTC, echo, mode ask, in /elsewhere*\n"
        "\n## You\n\nfind the wombat\n"
        "\n## Ouroboros\n\nLooking.\n"
        '\n### Run ls\n\n```json\n{"command":"ls"}\n```\n'
        "\nshell: done\n\n````\na ``` b\n````\n"
        "\n## Ouroboros\n\nIt hid.\n"
        "\n*Ended 1970-01-01 00:16 UTC: completed.*\n"
    )
    assert ouro("export", OLD, "-o", str(target)).code == 2


@pytest.mark.proves("I19")
def test_without_any_session_nothing_breaks(ouro: Ouro) -> None:
    assert ouro("sessions", "list") == (0, "", "there are no sessions yet\n")
    assert ouro("sessions", "list", "--json").out == "[]\n"
    for name, named in (("last", ""), ("ses_0aaa111", "there is no session 'ses_0aaa111': ")):
        shown = ouro("sessions", "show", name)
        told = shown.err.splitlines()[0]
        assert (shown.code, told) == (2, f"error: {named}there are no sessions yet")
    assert ouro("sessions", "search", "x").code == 1
