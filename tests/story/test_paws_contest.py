"""Best of N: one task in several work sessions, judged by a command and ranked; the main tree is not touched."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.paws.contest import Entry, Size, Told, Wish, contest
from ouroboros.app.paws.sessions import Sessions, manifest_of
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving
from tests.story.stage import call
from tests.story.test_cli_run import ouro, script
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.commit("check", **{"check.sh": "echo junk > junk; grep -q right answer\n"})
    return made


def answer(content: str) -> list[Turn]:
    writes = call("write", path="answer", content=content)
    return [Turn(text="I write.", tool_calls=(writes,)), Turn(text=f"wrote {content[:5]!r}")]


WRONG = answer("wrong\n")
LONG = answer("right\n" * 10)
SHORT = answer("right\n")
BREAKS = [Turn(fault=Fault(kind="invalid_request"))]


async def held(
    repo: Repository, tmp_path: Path, turns: list[Turn], wish: Wish
) -> tuple[list[Entry], list[Told]]:
    """One after the other, so that the server's turns belong to them in their order."""
    heard: list[Told] = []
    async with serving(turns) as server:
        settings = {"base_url": server.url, "mode": "full-auto", "model": "openai-chat/scripted"}
        environment = {name: os.environ[name] for name in ("PATH", "HOME")}
        engine = Ouroboros(
            msgspec.convert(settings, Settings), home=tmp_path / "home", environment=environment
        )
        entries = await contest(
            await Sessions.at(repo.folder, os.environ),
            engine,
            wish,
            clock=SystemClock(),
            environment=os.environ,
            tell=heard.append,
        )
    return entries, heard


async def test_the_answer_that_passes_with_the_least_change_is_the_best(
    repo: Repository, tmp_path: Path
) -> None:
    before = repo.standing()
    wish = Wish(goal="Answer", count=3, at_once=1, verify="sh check.sh")
    entries, heard = await held(repo, tmp_path, [*WRONG, *LONG, *SHORT], wish)
    assert [(each.tests, each.final, each.size) for each in entries] == [
        ("passed", "wrote 'right'", Size(files=1, added=1)),
        ("passed", "wrote 'right'", Size(files=1, added=10)),
        ("failed", "wrote 'wrong'", Size(files=1, added=1)),
    ]
    assert [each.is_good for each in entries] == [True, True, False]
    assert len([each for each in heard if each.entry is None]) == 3
    assert repo.standing() == before
    sessions = await Sessions.at(repo.folder, os.environ)
    best = await sessions.find(entries[0].session)
    assert not await sessions.unsaved(best)
    record = manifest_of(best)
    assert [(each.type, each.content) for each in record.agent_log][:1] == [
        ("human_prompt", "Answer")
    ]
    assert [each.type for each in record.agent_log][1:] == [
        *("agent_thought", "tool_call", "tool_result", "agent_thought")
    ]
    made = record.checkpoints["answer"]
    assert made.agent_log_path is not None
    lines = (repo.folder / made.agent_log_path).read_text("utf-8").splitlines()
    assert [json.loads(each)["type"] for each in lines] == [each.type for each in record.agent_log]
    await sessions.merge(best.id)
    assert (repo.folder / "answer").read_text() == "right\n"
    assert not (repo.folder / "junk").exists()


async def test_one_whose_model_fails_is_last_and_ends_none_of_the_others(
    repo: Repository, tmp_path: Path
) -> None:
    wish = Wish(goal="Answer", count=2, at_once=1, verify="sleep 60", verify_seconds=0.2)
    entries, _ = await held(repo, tmp_path, [*BREAKS, *SHORT], wish)
    assert [(each.tests, each.reason.partition(":")[0]) for each in entries] == [
        ("timed out", "completed"),
        ("timed out", "failed"),
    ]
    assert len(await (await Sessions.at(repo.folder, os.environ)).all()) == 2


def test_from_the_command_line_with_exit_codes(repo: Repository, tmp_path: Path) -> None:
    writes = {"name": "write", "arguments": {"path": "answer", "content": "right\n"}}
    model = script(tmp_path, {"text": "I write.", "tool_calls": [writes]}, {"text": "Done."})
    words = ("paws", "run", "--goal", "Answer", "--best-of", "2", "--model", model)
    done = ouro(*words, "--mode", "full-auto", "--verify", "sh check.sh", cwd=repo.folder)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("1.", "tests passed", "+1 -0 in 1 file"),
        ("2.", "tests passed", "+1 -0 in 1 file"),
    ]
    assert f"paws session merge {rows[0][1]}" in done.stderr
    failed = ouro(*words, "--mode", "full-auto", "--verify", "false", "--json", cwd=repo.folder)
    assert failed.returncode == 1
    assert [each["tests"] for each in json.loads(failed.stdout)] == ["failed", "failed"]
    for wrong in (
        ("--goal", "x", "--verify", "true"),
        ("--best-of", "2"),
        ("--goal", "x", "--best-of", "1"),
        ("--goal", "x", "--best-of", "2", "--session", "y"),
    ):
        assert ouro("paws", "run", *wrong, cwd=repo.folder).returncode == 2
