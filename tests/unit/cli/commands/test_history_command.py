"""`ouro history`."""

import json
from pathlib import Path

import pytest

from ouroboros.core.events import Event, ToolResulted, ToolStarted
from ouroboros.core.parts import Text
from tests.unit.cli.commands.calling import Ouro
from tests.unit.cli.commands.test_sessions_command import NEW, OLD, keep, work


@pytest.fixture
def past(home: Path) -> None:
    failed: list[Event] = [
        ToolStarted(call_id="call_2", name="grep", arguments='{"pattern":"x"}', title="Look"),
        ToolResulted(call_id="call_2", name="grep", status="failed", parts=(Text(text="No"),)),
    ]
    keep(home, OLD, [*work("/a", "one", "1"), *failed], 1000.0)
    keep(home, NEW, work("/b", "two", "2"), 2000.0)


def calls(ouro: Ouro, *options: str) -> list[tuple[str, str, str]]:
    made = json.loads(ouro("history", "--json", *options).out)
    return [(each["session"], each["tool"], each["result"]) for each in made]


@pytest.mark.proves("D28")
@pytest.mark.usefixtures("past")
def test_calls_of_all_sessions_come_latest_first_and_can_be_chosen_among(ouro: Ouro) -> None:
    first, late = (OLD, "shell", "a ``` b"), (NEW, "shell", "a ``` b")
    broken = (OLD, "grep", "No")
    assert calls(ouro) == [late, broken, first]
    assert calls(ouro, "--tool", "Bash") == [late, first]
    assert calls(ouro, "--session", "a111") == [broken, first]
    assert calls(ouro, "--failed") == [broken]
    assert calls(ouro, "--limit", "2") == [late, broken]
    assert calls(ouro, "--tool", "write") == []


@pytest.mark.proves("D28")
@pytest.mark.usefixtures("past")
def test_a_line_says_where_which_how_and_with_what(ouro: Ouro) -> None:
    lines = [line.split("\t") for line in ouro("history").out.splitlines()]
    assert [line[1:] for line in lines][1] == [
        OLD,
        "grep",
        "failed",
        "0.0 s",
        '{"pattern":"x"}',
    ]
    assert ouro("history", "--session", "nowhere").code == 2
