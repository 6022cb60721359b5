"""What is put back at the end of an agent's task is in its bundle first, and nothing else is put back."""

from pathlib import Path
from typing import override

import pytest
from anyio import to_thread

from ouroboros.app.paws.agents.agents import Agents, Children, Stop, Wish, run_of
from ouroboros.app.paws.agents.agents import Instance as Agent
from ouroboros.app.paws.agents.changes import Watched
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from ouroboros.workspace.artifacts.dogs.change import Header
from ouroboros.workspace.artifacts.dogs.reading import read
from tests.story.test_paws_contest import SHORT, place
from tests.unit.workspace.worktrees.repository import Repository


class Quiet:
    """A seat that nobody sits at."""

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        del request
        return PermissionResponse(request_id="", behavior="deny", message="nobody is here")

    def tell(self, log: Log) -> None:
        """Nobody hears it."""


class Editing(Children):
    """Somebody writes a file in the work tree when the program has just ended."""

    def __init__(self, agent: Agent, agents: Agents, path: Path) -> None:
        super().__init__(agent, run_of("", Wish(goal="x"), agents.equipment.clock))
        self._path = path

    @override
    async def ended(self, pid: int) -> None:
        await to_thread.run_sync(self._path.write_text, "late\n")


@pytest.mark.proves("O17", "M26")
@pytest.mark.deep
async def test_what_is_written_after_its_end_is_in_the_bundle_before_it_is_put_back(
    tmp_path: Path,
) -> None:
    repo = Repository(tmp_path / "work")
    async with place(repo, tmp_path, SHORT) as (agents, agent, words):
        session = await agents.sessions.start()
        wish = Wish(goal="Answer", options=words)
        async with agents.sessions.working(session):
            post = (Stop(), Editing(agent, agents, session.tree / "late"))
            done = await agents.work(agent, session, wish, Quiet(), post)
    bundle = await to_thread.run_sync(Path(done.result.output_artifact_path).read_bytes)
    assert done.is_put_back
    found = read(bundle)
    assert sorted(each.path for each in found.changes) == ["answer", "late"]
    assert found.header.source_turn.startswith("ses_")
    assert sorted(each.name for each in session.tree.iterdir()) == [".git", "kept"]


@pytest.mark.proves("O17", "M26")
def test_what_is_written_after_the_handing_over_stays_where_it_is(tmp_path: Path) -> None:
    root, clock = tmp_path / "work", SystemClock()
    root.mkdir()
    (root / "kept").write_text("one\n")
    watched = Watched(root, Settings(), home=tmp_path / "home", owner="agent-1")
    watched.begin(clock)
    (root / "kept").write_text("two\n")
    (root / "new").write_text("new\n")
    watched.hand_over(tmp_path / "out.dogs.md", Header(agent_name="fixer"), clock)
    (root / "kept").write_text("mine\n")
    (root / "late").write_text("late\n")
    assert watched.put_back() == ("kept",)
    watched.close()
    assert sorted(each.name for each in root.iterdir()) == ["kept", "late"]
    assert (root / "kept").read_text() == "mine\n"
