"""What a person does about the context: look at it, take notes, have instructions written."""

import json
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app import notes
from ouroboros.core.context import Meter
from ouroboros.core.events import ToolAttempted
from ouroboros.faces.wording.meter import meter_lines
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.cli_terminal import Program
from tests.story.stage import call, stage
from tests.story.test_cli_run import ouro, script

USAGE = ScriptedUsage(input_uncached=3_000, output_text=100)


def git(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.mark.deep
@pytest.mark.proves("J11")
async def test_the_meter_adds_up_to_what_the_provider_counted(tmp_path: Path) -> None:
    work = git(tmp_path / "work")
    (work / "AGENTS.md").write_text("Be brief. " * 100)
    (work / "n.md").write_text("the number is 42\n" * 100)
    turns = [
        Turn(text="Look.", tool_calls=(call("shell", command="seq 300"),), usage=USAGE),
        Turn(text="one", usage=ScriptedUsage(input_uncached=5_000, output_text=10)),
    ]
    async with stage(tmp_path, turns, context={"window": 10_000}) as s:
        empty = s.session.meter()
        assert [block.name for block in empty.blocks] == ["system prompt", "tools"]
        assert (empty.source, empty.is_assumed) == ("estimated", False)
        await s.run("Mind @n.md")
        meter = s.session.meter()
    assert (meter.used, meter.source) == (5_010, "reported")
    assert sum(block.tokens for block in meter.blocks) == meter.used
    assert (meter.window, meter.limit, meter.free) == (9_500, 7_600, 4_490)
    names = [block.name for block in meter.blocks]
    for name in ("instructions", "surroundings", "mentioned", "your words", "replies"):
        assert name in names
    assert "tool results" in names


async def test_a_look_at_the_meter_while_a_command_runs_keeps_its_output(tmp_path: Path) -> None:
    turns = [
        Turn(
            tool_calls=(call("shell", command="until [ -e go ]; do sleep 0.02; done; echo found"),)
        ),
        Turn(text="ok"),
    ]
    async with stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        await s.until(ToolAttempted)
        s.session.meter()
        assert not s.results
        (s.cwd / "go").touch()
    assert "found" in s.body()["messages"][-1]["content"]


@pytest.mark.proves("J13")
async def test_notes_are_told_with_the_next_words_and_counted(tmp_path: Path) -> None:
    work, home = git(tmp_path / "work"), tmp_path / "home"
    async with stage(tmp_path, [Turn(text="one"), Turn(text="two")]) as s:
        await s.run("First")
        before = {block.name for block in s.session.meter().blocks}

        def note() -> None:
            for place in ("project", "local"):
                notes.add(f"mind the {place}", place, work, home, limit=32_768)

        await to_thread.run_sync(note)
        await s.run("Second")
        assert "- mind the project" in str(s.body()["messages"][-2:])
        assert "- mind the local" in str(s.body()["messages"][-2:])
        after = {block.name for block in s.session.meter().blocks}
        assert after - before == {"instructions", "notes"}


@pytest.mark.proves("J11")
def test_the_table_has_room_in_40_columns() -> None:
    words: dict[str, Any] = {
        "model": "provider/a-model",
        "blocks": [
            {"name": "system prompt", "tokens": 1_234},
            {"name": "images", "tokens": 999_999},
        ],
        "used": 1_001_233,
        "source": "reported",
        "limit": 1_520_000,
        "window": 1_900_000,
        "is_assumed": True,
    }
    lines = list(meter_lines(msgspec.convert(words, Meter)))
    assert max(map(len, lines)) < 40
    assert lines[1] == "1,001,233 of 1,900,000 tokens, reported"
    assert lines[3] == "  images                999,999   53 %"
    assert lines[4].split() == ["free", "898,767", "47", "%"]


@pytest.mark.deep
@pytest.mark.proves("J13")
def test_a_chat_shows_its_context_and_takes_notes(tmp_path: Path) -> None:
    work = git(tmp_path / "work")
    model = script(tmp_path, {"text": "One."}, {"text": "Two."})
    with Program(["chat", "--model", model], cwd=work, columns=40, lines=40) as program:
        program.sees("ask> ")
        program.type("/context\r")
        program.sees("summarised at")
        program.type("# tests need a database\r")
        program.sees("Where is 'tests need a database'")
        assert not (work / "AGENTS.md").exists()
        program.type("/note project\r")
        program.sees("Noted in")
        program.type("# and a cat\r")
        program.sees("Noted in", times=2)
        program.type("#123 is it broken?\r")
        program.sees("One.")
        program.type("\x04")
        assert program.ends() == 0
    assert (work / "AGENTS.md").read_text() == "- tests need a database\n- and a cat\n"
    session = json.loads(ouro("sessions", "list", "--json", cwd=work).stdout)[0]["id"]
    log = ouro("export", session, "--format", "jsonl", cwd=work).stdout
    assert "and a cat" in log
    assert "#123 is it broken?" in log


@pytest.mark.deep
@pytest.mark.proves("J11")
def test_the_meter_can_be_read_by_programs(tmp_path: Path) -> None:
    done = ouro("chat", "--model", "echo", cwd=tmp_path, given="hello\n/context --json\n")
    told = done.stdout + done.stderr
    line = next(line for line in told.splitlines() if line.strip().startswith('{"model"'))
    meter = msgspec.json.decode(line.strip(), type=Meter)
    assert sum(block.tokens for block in meter.blocks) == meter.used


@pytest.mark.deep
@pytest.mark.proves("J10", "J06", "I10")
def test_a_chat_is_summarised_on_demand_and_says_what_that_costs(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "One."}, {"text": "The sum."}, {"text": "Two."})
    given = "/compact\nhello\n/compact the parser\nand now?\n"
    done = ouro("chat", "--model", model, cwd=tmp_path, given=given)
    assert done.returncode == 0
    assert "there is nothing to summarise yet" in done.stderr
    assert "Context summarised: 3 messages" in done.stderr
    assert "hint: a summary can leave things out" in done.stderr
    session = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)[0]["id"]
    log = ouro("export", session, "--format", "jsonl", cwd=tmp_path).stdout
    assert log.count("The sum.") == 1
    tree = ouro("sessions", "tree", session, cwd=tmp_path).stdout.splitlines()
    assert tree[2] == "*   3 summary: The sum."


WRITES = {
    "text": "I write it.",
    "tool_calls": [{"name": "write", "arguments": {"path": "AGENTS.md", "content": "# Here\n"}}],
}


@pytest.mark.deep
@pytest.mark.proves("J13")
def test_init_lets_the_model_write_the_file_once(tmp_path: Path) -> None:
    work = git(tmp_path / "work")
    model = script(tmp_path, WRITES, {"text": "Written."})
    done = ouro("init", "--model", model, "--mode", "auto-edit", cwd=work)
    assert (done.returncode, done.stdout) == (0, "Written.\n")
    assert (work / "AGENTS.md").read_text() == "# Here\n"
    again = ouro("init", "--model", model, cwd=work)
    assert (again.returncode, "AGENTS.md is there already" in again.stderr) == (2, True)
    denied = ouro("init", "--improve", "--model", model, "--non-interactive", cwd=work)
    assert (denied.returncode, "nobody was here to approve" in denied.stderr) == (0, True)
    assert (work / "AGENTS.md").read_text() == "# Here\n"


@pytest.mark.deep
@pytest.mark.proves("D31", "J13")
def test_a_chat_writes_instructions_by_an_ordinary_turn(tmp_path: Path) -> None:
    """What was read of the project may have led to the file, so that somebody has to allow it."""
    work = git(tmp_path / "work")
    (work / "CLAUDE.md").write_text("mine")
    model = script(tmp_path, WRITES, {"text": "Written."})
    given = "/init\n/init improve\n"
    done = ouro("chat", "--model", model, "--mode", "auto-edit", cwd=work, given=given)
    assert "CLAUDE.md is there already" in done.stderr
    assert "nobody is here to answer" in done.stderr
    assert not (work / "AGENTS.md").exists()
    session = json.loads(ouro("sessions", "list", "--json", cwd=work).stdout)[0]["id"]
    log = ouro("export", session, "--format", "jsonl", cwd=work).stdout
    assert log.count("what every agent that works here has to know") == 1
    assert "edits of CLAUDE.md; do not write it anew" in log


@pytest.mark.deep
@pytest.mark.proves("D31")
def test_a_short_command_is_said_as_the_words_it_stands_for(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "Nothing found."})
    given = "/security-review the login form\n"
    done = ouro("chat", "--model", model, cwd=tmp_path, given=given)
    assert "Nothing found." in done.stdout
    session = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)[0]["id"]
    events = [
        json.loads(line) for line in ouro("export", session, cwd=tmp_path).stdout.splitlines()
    ]
    (said,) = [
        event["data"]["message"]["parts"][0]["text"]
        for event in events
        if event["type"] == "user.message" and "kind" not in event["data"]["message"]
    ]
    assert "could be attacked" in said
    assert "Look at this most: the login form" in said
    assert [event["type"] for event in events].count("turn.started") == 1
