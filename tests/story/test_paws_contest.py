"""Best of N: one task in several work sessions, judged by a command and ranked; the main tree is not touched."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.paws.agents.agents import Agents, Equipment, Instance, Stop
from ouroboros.app.paws.contest import Entry, Size, Task, Told, Wish, contest
from ouroboros.app.paws.planning.document import Estimate, Plan, Step, written
from ouroboros.app.paws.sessions import Sessions, manifest_of
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving
from tests.passing import until
from tests.story.stage import call
from tests.story.test_cli_run import ouro, script
from tests.unit.workspace.worktrees.repository import Repository

type Place = tuple[Agents, Instance, tuple[str, ...]]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.commit("check", **{"check.sh": "echo junk > junk; grep -q right answer\n"})
    return made


def answer(content: str) -> list[Turn]:
    writes = call("write", path="answer", content=content)
    return [Turn(text="I write.", tool_calls=(writes,)), Turn(text=f"wrote {content[:5]!r}")]


ANSWER = Task(goal="Answer")
WRONG = answer("wrong\n")
LONG = answer("right\n" * 10)
SHORT = answer("right\n")
BREAKS = [Turn(fault=Fault(kind="invalid_request"))]


def equipment(sessions: Sessions, home: Path) -> Equipment:
    environment = {**os.environ, "OUROBOROS_HOME": str(home), "OPENAI_API_KEY": "key-for-tests"}
    return Equipment(
        sessions=sessions,
        settings=Settings(),
        home=home,
        environment=environment,
        clock=SystemClock(),
    )


@asynccontextmanager
async def place(repo: Repository, tmp_path: Path, turns: list[Turn]) -> AsyncGenerator[Place]:
    """Agents, and options by which their programs ask a server for these turns."""
    async with serving(turns) as server:
        sessions = await Sessions.at(repo.folder, os.environ)
        agents = Agents(equipment(sessions, tmp_path / "home"))
        agent = await to_thread.run_sync(agents.find, "default")
        words = ("--model=openai-chat/scripted", "--mode=full-auto", f"--base-url={server.url}")
        yield agents, agent, words


async def held(
    repo: Repository, tmp_path: Path, turns: list[Turn], wish: Wish
) -> tuple[list[Entry], list[Told]]:
    """One after the other, so that the server's turns belong to them in their order."""
    heard: list[Told] = []
    async with place(repo, tmp_path, turns) as (agents, agent, words):
        wish = replace(wish, task=replace(wish.task, options=words))
        entries = await contest(agents, agent, wish, Stop(), heard.append)
    return entries, heard


@pytest.mark.proves("N17")
@pytest.mark.deep
async def test_the_answer_that_passes_with_the_least_change_is_the_best(
    repo: Repository, tmp_path: Path
) -> None:
    before = repo.standing()
    wish = Wish(task=ANSWER, count=3, at_once=1, verify="sh check.sh")
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
        *("agent_thought", "tool_call", "tool_result", "agent_thought", "tool_result")
    ]
    made = record.checkpoints["answer"]
    assert made.agent_log_path is not None
    assert made.dogs_artifact_path is not None
    assert entries[0].bundle == str(repo.folder / made.dogs_artifact_path)
    bundle = await to_thread.run_sync(Path(entries[0].bundle).read_text)
    assert "right" in bundle
    lines = (repo.folder / made.agent_log_path).read_text("utf-8").splitlines()
    assert [json.loads(each)["type"] for each in lines] == [each.type for each in record.agent_log]
    await sessions.merge(best.id)
    assert (repo.folder / "answer").read_text() == "right\n"
    assert not (repo.folder / "junk").exists()


@pytest.mark.proves("N17")
@pytest.mark.deep
async def test_one_whose_model_fails_is_last_and_ends_none_of_the_others(
    repo: Repository, tmp_path: Path
) -> None:
    wish = Wish(task=ANSWER, count=2, at_once=1, verify="sleep 60", verify_seconds=0.2)
    entries, _ = await held(repo, tmp_path, [*BREAKS, *SHORT], wish)
    assert [(each.tests, each.reason.partition(":")[0]) for each in entries] == [
        ("timed out", "completed"),
        ("timed out", "failed"),
    ]
    assert len(await (await Sessions.at(repo.folder, os.environ)).all()) == 2


@pytest.mark.proves("N17")
@pytest.mark.deep
async def test_each_is_given_the_bundle_and_held_to_the_plan(
    repo: Repository, tmp_path: Path
) -> None:
    context = tmp_path / "context.md"
    await to_thread.run_sync(context.write_text, "SEEN BY EACH")
    plan = await to_thread.run_sync(planned, tmp_path / "plan.md")
    does = Turn(
        tool_calls=(call("write", path="other", content="x"), call("shell", command=": > y"))
    )
    async with place(repo, tmp_path, [does, Turn(text="Done.")]) as (agents, agent, words):
        task = Task(goal="Answer", context=context, plan=plan, options=words)
        (entry,) = await contest(agents, agent, Wish(task=task, count=1), Stop(), lambda _: None)
        found = await agents.sessions.find(entry.session)
    assert entry.departures == (
        *("not in the plan: change other", "not in the plan: change y"),
        *("planned, not done: change answer", "not in the plan: run : > y"),
        "planned, not done: run sh check.sh",
    )
    made = manifest_of(found).checkpoints["answer"]
    assert made.cats_artifact_path == context.as_posix()


@pytest.mark.proves("N17")
@pytest.mark.deep
async def test_a_stop_ends_those_at_work_and_begins_no_other(
    repo: Repository, tmp_path: Path
) -> None:
    waits = [*SHORT[:1], Turn(text="Too late.", delay_seconds=300)]
    heard: list[Told] = []
    found: list[list[Entry]] = []
    async with place(repo, tmp_path, waits) as (agents, agent, words):
        task = Task(goal="Answer", options=words)
        wish = Wish(task=task, count=2, at_once=1, verify="true")
        began = anyio.Event()

        async def run() -> None:
            def tell(told: Told) -> None:
                heard.append(told)
                began.set()

            found.append(await contest(agents, agent, wish, Stop(), tell))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await began.wait()
            assert await agents.stop("default")
    (entries,) = found
    assert [(each.number, bool(each.session), each.tests) for each in entries] == [
        (1, True, "not run"),
        (2, False, "not run"),
    ]
    assert not any(each.is_good for each in entries)
    assert "stopped" in entries[0].final
    assert entries[1].problem == "it was stopped before it began"
    assert "answer" in manifest_of(await agents.sessions.find(entries[0].session)).checkpoints


@pytest.mark.proves("N17")
@pytest.mark.deep
async def test_a_stop_ends_the_command_that_judges(repo: Repository, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    found: list[list[Entry]] = []
    stop = Stop()
    async with place(repo, tmp_path, SHORT) as (agents, agent, words):
        task = Task(goal="Answer", options=words)
        wish = Wish(task=task, count=1, verify=f"touch {begun}; sleep 300; true")

        async def run() -> None:
            found.append(await contest(agents, agent, wish, stop, lambda _: None))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await until(begun.exists)
                stop.soon.set()
    ((entry,),) = found
    assert (entry.reason, entry.tests, entry.is_good) == ("completed", "stopped", False)


def planned(path: Path) -> Path:
    steps = (
        Step(number=1, phase=1, tool="write", action="x", status="planned", paths=("answer",)),
        Step(number=2, phase=1, tool="shell", action="x", status="not run", command="sh check.sh"),
    )
    plan = Plan(
        goal="Answer",
        agent="default",
        persona="",
        model="",
        base="",
        made_at=0.0,
        context=(),
        phases=("All",),
        steps=steps,
        summary="",
        diff="",
        estimate=Estimate(turns=1, tokens=1, most_tokens=1),
        risks=(),
    )
    path.write_text(written(plan), "utf-8")
    return path


@pytest.mark.proves("N17")
@pytest.mark.deep
def test_from_the_command_line(repo: Repository, tmp_path: Path) -> None:
    words = named(repo, tmp_path)
    done = ouro(*words, "--mode", "full-auto", "--verify", "sh check.sh", cwd=repo.folder)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("1.", "tests passed", "+1 -0 in 1 file"),
        ("2.", "tests passed", "+1 -0 in 1 file"),
    ]
    assert f"paws session merge {rows[0][1]}" in done.stderr
    for wrong in (
        ("--goal", "x", "--verify", "true"),
        ("--best-of", "2"),
        ("--goal", "x", "--best-of", "1"),
        ("--goal", "x", "--best-of", "2", "--session", "y"),
    ):
        assert (ouro("paws", "run", *wrong, cwd=repo.folder).returncode, wrong) == (2, wrong)


@pytest.mark.proves("N17")
@pytest.mark.deep
def test_where_none_passes_the_exit_code_says_so(repo: Repository, tmp_path: Path) -> None:
    words = (*named(repo, tmp_path), "--mode", "full-auto", "--verify", "false", "--json")
    failed = ouro(*words, cwd=repo.folder)
    assert failed.returncode == 1
    told = json.loads(failed.stdout)
    assert [each["tests"] for each in told] == ["failed", "failed"]
    assert {str(Path(each["bundle"]).parent) for each in told} == {
        str(repo.folder / ".paws/agents/instances/fixer/artifacts")
    }


def named(repo: Repository, tmp_path: Path) -> tuple[str, ...]:
    """The words for two tries of an agent that has a name, and writes the right answer."""
    writes = {"name": "write", "arguments": {"path": "answer", "content": "right\n"}}
    model = script(tmp_path, {"text": "I write.", "tool_calls": [writes]}, {"text": "Done."})
    definition = tmp_path / "fixer.agent.md"
    definition.write_text("---\nname: fixer\ntools: [{name: write}]\n---\nYou answer.\n")
    made = ouro("paws", "agent", "create", "--from", str(definition), cwd=repo.folder)
    assert made.returncode == 0, made.stderr
    words = ("paws", "run", "--goal", "Answer", "--agent", "fixer", "--best-of", "2")
    return (*words, "--model", model)
