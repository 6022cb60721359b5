"""Which blocks of code are run again after a kill: those that only asked children, once."""

import pytest

from ouroboros.agent.running.recovery import close, leave, repeatable
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    SessionReady,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
)
from ouroboros.core.events.code import IterationStarted, VariablesKept
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Message, Text, ToolCall
from ouroboros.core.state import State
from tests.cases import every


class Story:
    """Folds events and keeps them."""

    def __init__(self) -> None:
        self.state, self.events = State(), list[Event]()

    def record(self, event: Event) -> None:
        self.events.append(event)
        seq = self.state.seq + 1
        self.state.apply(
            Envelope(
                id=f"e{seq}",
                session="s",
                turn=1,
                seq=seq,
                ts=float(seq),
                type=event.type,
                source=event.source,
                data=event,
            )
        )

    async def settle(self) -> None:
        """All is there."""

    def results(self) -> list[tuple[str, str]]:
        return [
            (event.status, "".join(p.text for p in event.parts if isinstance(p, Text)))
            for event in self.events
            if isinstance(event, ToolResulted) and not event.within
        ]


CHILD = SubagentStarted(child="sub_1", task="Look at it")
ENDED = SubagentCompleted(child="sub_1", reason="completed")
READY = SessionReady(cwd="/w", model="m", mode="ask", version="1", resumed=True)


def attempted(id: str, name: str, within: str = "") -> list[Event]:
    return [
        ToolStarted(call_id=id, name=name, arguments="{}", within=within),
        ToolAttempted(call_id=id, steps=(), decision="allow"),
    ]


def cut_off(*events: Event, name: str = "repl") -> Story:
    """A call was under way, this happened in it, and the program ended."""
    story = Story()
    call = ToolCall(id="c1", name=name, arguments="{}")
    message = Message(id="m1", role="assistant", parts=(call,))
    begun = (
        TurnStarted(turn=1),
        AgentMessage(message=message, stop_reason="tool_use"),
        *attempted("c1", name),
    )
    for event in (*begun, *events, READY):
        story.record(event)
    return story


def looked(name: str) -> Event:
    return ToolResulted(call_id="c1.2", name=name, status="done", within="c1")


def test_a_block_whose_children_were_cut_off_may_be_run_again_once() -> None:
    story = cut_off(CHILD, IterationStarted(iteration=3, child="sub_1"), looked("read"))
    assert close(story.state, story) == []
    assert [call.id for call in repeatable(story.state)] == ["c1"]
    assert story.events[-1] == SubagentCompleted(
        child="sub_1", reason="lost", final="Look at it (in iteration 3)"
    )
    for event in (*attempted("c1", "repl"), CHILD, READY):
        story.record(event)
    (unknown,) = close(story.state, story)
    assert (unknown.name, repeatable(story.state)) == ("repl", ())
    ((status, text),) = story.results()
    assert status == "unknown-after-crash"
    assert "- sub_1: Look at it (begun)" in text


@pytest.mark.proves("I12")
@every(
    "more",
    [
        attempted("c1.1", "write", "c1"),
        attempted("sub.1", "openTab", "a block of the child"),
        [looked("store")],
        [looked("update_goal")],
        [ENDED],
        [VariablesKept(name="a"), VariablesKept(name="")],
    ],
    ids=["wrote", "a child acted", "stored", "set a goal", "no child", "older variables"],
)
def test_a_block_that_did_something_else_is_not(more: list[Event]) -> None:
    story = cut_off(CHILD, *more)
    close(story.state, story)
    assert repeatable(story.state) == ()
    assert story.results()[0][0] == "unknown-after-crash"


def test_another_call_is_not() -> None:
    story = cut_off(CHILD, name="spawn")
    close(story.state, story)
    assert repeatable(story.state) == ()


def test_it_is_ended_when_the_person_wants_something_else() -> None:
    story = cut_off(CHILD)
    close(story.state, story)
    leave(story.state, story)
    ((status, text),) = story.results()
    assert status == "cancelled"
    assert "- sub_1: Look at it (begun)" in text
    assert (story.state.calls, story.state.lost) == ({}, {})
