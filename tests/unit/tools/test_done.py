"""The tool that ends the work, and children that are still at theirs."""

import asyncio
from pathlib import Path

import pytest

from ouroboros.app.wiring.children import SessionChildren
from ouroboros.core.commands import Command, Interrupt
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope, Event
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.state import State
from ouroboros.tools.builtin.session import DoneTool
from tests.unit.tools.spine import Spine, text_of


class Run:
    """A run with children that end when they are stopped, but for one that cannot be."""

    def __init__(self, *children: str) -> None:
        self.state = State()
        self.kin = SessionChildren(self.state, self.send)
        for child in children:
            self.take(SubagentStarted(child=child, task="look"))

    def take(self, event: Event) -> None:
        envelope = Envelope(
            id="",
            session="ses_a",
            turn=1,
            seq=self.state.seq + 1,
            ts=0.0,
            type=event.type,
            source="system",
            data=event,
        )
        self.state.apply(envelope)
        self.kin.hear(envelope)

    async def send(self, command: Command) -> None:
        assert isinstance(command, Interrupt)
        if command.child == "stuck":
            raise Misuse("no child of that name is at work")
        ended = SubagentCompleted(child=command.child, reason="cancelled")
        asyncio.get_running_loop().call_later(0.01, self.take, ended)


def spine(folder: Path, run: Run) -> Spine:
    return Spine(folder, tools=(DoneTool(run.kin),))


async def test_without_children_the_work_ends(tmp_path: Path) -> None:
    run = Run("a")
    run.take(SubagentCompleted(child="a", reason="completed"))
    result = await spine(tmp_path, run).call("done", answer="All done.")
    assert (result.status, result.final, text_of(result)) == ("done", True, "All done.")


@pytest.mark.proves("A16")
async def test_children_at_work_refuse_it(tmp_path: Path) -> None:
    run = Run("a", "b")
    result = await spine(tmp_path, run).call("done", answer="All done.")
    assert (result.status, result.final) == ("failed", False)
    assert "a, b" in text_of(result)
    assert "finish_and_close_children" in text_of(result)
    assert tuple(run.state.children) == ("a", "b")


@pytest.mark.proves("A16")
async def test_with_the_flag_they_are_closed_first(tmp_path: Path) -> None:
    run = Run("a", "b")
    words = {"answer": "All done.", "finish_and_close_children": True}
    result = await spine(tmp_path, run).call("done", **words)
    assert (result.status, result.final, run.state.children) == ("done", True, {})


@pytest.mark.proves("A16")
async def test_one_that_cannot_be_closed_refuses_it(tmp_path: Path) -> None:
    run = Run("a", "stuck")
    words = {"answer": "All done.", "finish_and_close_children": True}
    result = await spine(tmp_path, run).call("done", **words)
    assert (result.status, result.final, tuple(run.state.children)) == ("failed", False, ("stuck",))
