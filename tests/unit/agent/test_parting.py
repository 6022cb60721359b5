"""The end of a run whose model says nothing more while children are at work."""

import os

import pytest
from anyio.lowlevel import checkpoint

from ouroboros.agent.running.hooked import NoHooks
from ouroboros.agent.running.parting import Parting
from ouroboros.core.clock import SystemClock
from ouroboros.core.events import Event, TaskCompleted
from ouroboros.core.events.code import Logged
from ouroboros.core.events.fleet import SubagentCompleted
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.parts import Message
from tests.unit.tools.test_done import Run

DONE = TaskCompleted(reason="completed", final="All done.")


class Record:
    """Keeps what is said to the person."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def record(self, event: Event) -> None:
        assert isinstance(event, Logged)
        self.said.append(event.text)

    async def settle(self) -> None:
        """Nothing is on a disk."""


def parting(run: Run, record: Record) -> Parting:
    ids = TimeOrderedIds(SystemClock(), os.urandom)
    return Parting(run.state, record, ids, children=run.kin, hooks=NoHooks())


@pytest.mark.proves("A16")
async def test_the_model_is_told_once_who_is_at_work_and_then_they_are_ended() -> None:
    run, record = Run("a", "stuck"), Record()
    end = parting(run, record)
    told = await end.stopping(DONE)
    assert isinstance(told, Message)
    assert told.kind == "nudge"
    assert "a: look (begun)\nstuck: look (begun)" in told.text
    assert "finish_and_close_children" in told.text
    assert await end.stopping(DONE) == DONE
    await end.close(checkpoint)
    assert record.said == [
        "a child was ended with the run: a: look (begun)",
        "a child could not be ended with the run: stuck: look (begun)",
    ]
    assert tuple(run.state.children) == ("stuck",)


@pytest.mark.proves("A16")
async def test_a_run_without_them_or_at_a_limit_ends_at_once() -> None:
    run, record = Run("a"), Record()
    limit = TaskCompleted(reason="limit_reached:max_turns", final="")
    assert await parting(run, record).stopping(limit) == limit
    run.take(SubagentCompleted(child="a", reason="completed"))
    end = parting(run, record)
    assert await end.stopping(DONE) == DONE
    await end.close(checkpoint)
    assert record.said == []


async def test_the_next_run_is_told_anew() -> None:
    run, record = Run("a"), Record()
    assert isinstance(await parting(run, record).stopping(DONE), Message)
    assert isinstance(await parting(run, record).stopping(DONE), Message)
