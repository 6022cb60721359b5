"""How a task of an agent ends where little time is left, or where no bundle can say what it did."""

import json
import os
from pathlib import Path
from typing import override

import anyio
import anyio.lowlevel
import pytest

from ouroboros.app.paws.agents.agents import Agents, Children, Seat, Stop, Wish, run_of
from ouroboros.app.paws.agents.agents import Instance as Agent
from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from tests.story.cli_terminal import Program
from tests.story.test_paws_agent import DEFINITION, ENDS, order, paws, runs, script
from tests.story.test_paws_contest import SHORT, place
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "work")
    (tmp_path / "fixer.agent.md").write_text(DEFINITION)
    made = paws(repository, "agent", "create", "--from", "../fixer.agent.md")
    assert made.returncode == 0, made.stderr
    return repository


class Quiet:
    """A seat that nobody sits at."""

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        del request
        return PermissionResponse(request_id="", behavior="deny", message="nobody is here")

    def tell(self, log: Log) -> None:
        """Nobody hears it."""


class Leaving(Children):
    """Somebody loses patience when the program has just ended."""

    def __init__(self, agent: Agent, agents: Agents, scope: anyio.CancelScope) -> None:
        super().__init__(agent, run_of("", Wish(goal="x"), agents.equipment.clock))
        self._scope = scope

    @override
    async def ended(self, pid: int) -> None:
        self._scope.cancel()


@pytest.mark.proves("O17")
@pytest.mark.deep
async def test_one_that_is_called_off_at_its_very_end_leaves_its_tree_as_it_was(
    repo: Repository, tmp_path: Path
) -> None:
    seat: Seat = Quiet()
    async with place(repo, tmp_path, SHORT) as (agents, agent, words):
        session = await agents.sessions.start()
        wish = Wish(goal="Answer", options=words)
        with anyio.CancelScope() as scope:
            async with agents.sessions.working(session):
                post = (Stop(), Leaving(agent, agents, scope))
                await agents.work(agent, session, wish, seat, post)
                await anyio.lowlevel.checkpoint()
        assert scope.cancelled_caught
    assert list(agent.artifacts.glob("*.dogs.md"))
    assert not (session.tree / "answer").exists()


@pytest.mark.proves("O17")
@pytest.mark.deep
def test_what_no_bundle_can_say_is_told_also_where_there_is_nothing_else(
    repo: Repository,
) -> None:
    linked = paws(repo, *order(repo, runs("ln -s kept link"), ENDS))
    assert "no file was changed" not in linked.stderr
    assert "not put back: link" in linked.stderr
    assert linked.returncode == 0
    told = paws(repo, *order(repo, runs("ln -s kept link"), ENDS), "--json")
    assert json.loads(told.stdout)["left"] == ["link"]


@pytest.mark.proves("O12")
@pytest.mark.deep
def test_one_that_asks_is_stopped_by_a_key_and_waits_for_no_answer(repo: Repository) -> None:
    words = ["paws", *order(repo, runs("touch first"), ENDS, mode="ask")]
    with Program(words, cwd=repo.folder) as program:
        program.sees("[n]o WHY:")
        program.type("\x03")
        program.sees("no file was changed")
        assert program.ends() == 130


@pytest.mark.proves("O12")
@pytest.mark.deep
def test_what_was_typed_before_it_asked_is_no_answer(repo: Repository) -> None:
    session = paws(repo, "session", "start").stdout.strip()
    gate = repo.folder / ".paws/sessions" / session / "worktree/gate"
    os.mkfifo(gate)
    turns = (runs("cat gate"), runs("touch first"), ENDS)
    words = ["paws", *order(repo, *turns, mode="ask"), "--session", session]
    with Program(words, cwd=repo.folder) as program:
        program.sees("Run cat gate")
        program.type("y\n")
        gate.write_text("open\n")
        program.sees("[n]o WHY:")
        program.type("n leave that\n")
        program.sees("success")
        assert program.ends() == 0
    assert not (gate.parent / "first").exists()
    bundles = repo.folder.glob(".paws/agents/instances/fixer/artifacts/*")
    assert [path for path in bundles if "first" in path.read_text()] == []


@pytest.mark.proves("O04")
def test_nothing_is_begun_for_a_task_that_cannot_be_handed_over(repo: Repository) -> None:
    asked = ["--goal", "x", "--context", "none"]
    for words in (["agent", "run", "fixer"], ["run"], ["run", "--best-of", "2"]):
        done = paws(repo, *words, *asked)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert done.stderr.startswith("error: there is no file 'none'\n")
    assert not list(repo.folder.glob(".paws/sessions/*"))


@pytest.mark.proves("O04")
@pytest.mark.deep
def test_words_that_are_no_unicode_are_handed_over_and_a_folder_is_not(
    repo: Repository, tmp_path: Path
) -> None:
    words = ["--model", script(repo, ENDS), "--mode", "full-auto", "--goal"]
    done = paws(repo, "agent", "run", "fixer", *words, os.fsdecode(b"caf\xff"))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    odd = Repository(tmp_path / os.fsdecode(b"caf\xff"))
    for more in ((), ("--best-of", "2")):
        done = paws(odd, "run", *more, *words, "x")
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert "is no UTF-8" in done.stderr
    assert not list(odd.folder.glob(".paws/sessions/*"))
