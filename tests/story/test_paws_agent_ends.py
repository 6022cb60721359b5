"""How a task of an agent ends where little time is left, or where no bundle can say what it did."""

import json
from pathlib import Path
from typing import override

import anyio
import anyio.lowlevel
import pytest

from ouroboros.app.paws.agents.agents import Agents, Children, Seat, Stop, Wish, run_of
from ouroboros.app.paws.agents.agents import Instance as Agent
from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from tests.story.test_paws_agent import ENDS, order, paws, runs
from tests.story.test_paws_contest import SHORT, place
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "work")
    (tmp_path / "fixer.agent.md").write_text("---\nname: fixer\n---\nYou mend.\n")
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


def test_what_no_bundle_can_say_is_told_also_where_there_is_nothing_else(
    repo: Repository,
) -> None:
    linked = paws(repo, *order(repo, runs("ln -s kept link"), ENDS))
    assert "no file was changed" not in linked.stderr
    assert "not put back: link" in linked.stderr
    assert linked.returncode == 0
    told = paws(repo, *order(repo, runs("ln -s kept link"), ENDS), "--json")
    assert json.loads(told.stdout)["left"] == ["link"]
