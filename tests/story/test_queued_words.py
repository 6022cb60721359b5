"""Words for later: said when the run has ended, seen, changed, dropped, and kept through a crash."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Dequeue, Interrupt, Queue, Requeue, Steer
from ouroboros.core.errors import Misuse
from ouroboros.core.events import TaskCompleted, ToolStarted, UserMessage
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

SLOW = Turn(tool_calls=(call("shell", command="sleep 0.3"),))
STUCK = Turn(tool_calls=(call("shell", command="sleep 60", timeout=60),))


def said(s: Stage) -> list[str]:
    plain = [event.message for event in s.events(UserMessage) if event.message.kind == "plain"]
    return [message.text for message in plain]


@pytest.mark.deep
@pytest.mark.proves("A23")
async def test_a_steer_is_heard_at_the_next_turn_and_queued_words_after_the_run(
    tmp_path: Path,
) -> None:
    turns = [SLOW, Turn(text="First."), Turn(text="Second."), Turn(text="Third.")]
    async with stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Begin")
            await s.until(ToolStarted)
            for words in ("later", "last", "never"):
                await s.session.send(Queue(text=words))
            await s.session.send(Steer(text="now"))
            later = s.session.state.later
            assert list(later.values()) == ["later", "last", "never"]
            first, second, third = later
            await s.session.send(Dequeue(id=third))
            await s.session.send(Requeue(id=second, text="at last"))
            with pytest.raises(Misuse, match="do not wait"):
                await s.session.send(Requeue(id=third, text="x"))
            assert first in later
        assert said(s) == ["Begin", "now", "later", "at last"]
        assert [event.final for event in s.events(TaskCompleted)] == ["First.", "Second.", "Third."]
        assert s.session.state.later == {}
        heard = [str(m["content"]) for m in s.body(1)["messages"]]
        assert any("now" in text for text in heard)
        assert not any("later" in text for text in heard)


@pytest.mark.deep
@pytest.mark.proves("A23")
async def test_an_interrupt_keeps_the_queue_for_the_end_of_the_next_run(tmp_path: Path) -> None:
    async with stage(tmp_path, [STUCK, Turn(text="One."), Turn(text="Two.")]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Begin")
            await s.until(ToolStarted)
            await s.session.send(Queue(text="later"))
            await s.session.send(Interrupt())
        assert list(s.session.state.later.values()) == ["later"]
        assert said(s) == ["Begin"]
        await s.run("Go on")
        assert said(s) == ["Begin", "Go on", "later"]


@pytest.mark.deep
@pytest.mark.proves("A23")
async def test_the_queue_is_there_after_a_restart_and_a_fork_has_none(tmp_path: Path) -> None:
    async with stage(tmp_path, [STUCK]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Begin")
            await s.until(ToolStarted)
            await s.session.send(Queue(text="later"))
            await s.session.send(Interrupt())
        child = await s.session.fork()
    async with stage(tmp_path, [Turn(text="Hm.")], resume=child) as forked:
        assert forked.session.state.later == {}
    turns = [Turn(text="One."), Turn(text="Two.")]
    async with stage(tmp_path, turns, resume=s.session.id) as again:
        await again.run("Go on")
        assert said(again) == ["Go on", "later"]


@pytest.mark.proves("A23")
async def test_words_for_later_are_said_at_once_where_nothing_runs(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="Yes.")]) as s:
        await s.session.send(Queue(text="Hello"))
        assert said(s) == ["Hello"]
        with pytest.raises(Misuse, match="nothing to say"):
            await s.session.send(Queue(text="  "))
