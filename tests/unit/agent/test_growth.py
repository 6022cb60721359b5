"""Building a request and judging its size cost the same however much was said before or elsewhere."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from ouroboros.agent.context import tokens
from ouroboros.agent.context.messages import Builder
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ToolResulted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.session import SessionBranched
from ouroboros.core.parts import Message, Text, ToolCall, Usage
from ouroboros.core.state import State


def calls(work: Callable[[], object]) -> int:
    """How many functions of ours, and of others in Python, the work calls."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


class Session:
    """A state that grows by whole turns."""

    def __init__(self) -> None:
        self.state, self.turns = State(), 0

    def record(self, event: Event) -> None:
        seq = self.state.seq + 1
        self.state.apply(
            Envelope(
                id=f"e{seq}",
                session="s",
                turn=self.turns,
                seq=seq,
                ts=0.0,
                type=event.type,
                source=event.source,
                data=event,
            )
        )

    def turn(self) -> None:
        self.turns += 1
        number = self.turns
        words = Message(id=f"u{number}", role="user", parts=(Text(text=f"do {number}"),))
        call = ToolCall(id=f"c{number}", name="read")
        reply = Message(id=f"a{number}", role="assistant", parts=(Text(text="I look."), call))
        self.record(UserMessage(message=words))
        self.record(TurnStarted(turn=number))
        usage = Usage(input_uncached=10 * number)
        self.record(AgentMessage(message=reply, stop_reason="tool_calls", usage=usage))
        text = Text(text="found " * 50)
        self.record(ToolResulted(call_id=call.id, name="read", status="done", parts=(text,)))

    def grow(self, turns: int) -> None:
        for _ in range(turns):
            self.turn()


def cost(session: Session) -> int:
    """Of one more request, when the ones before were built."""
    builder = Builder()
    builder.build(session.state)
    session.turn()

    def work() -> None:
        builder.build(session.state)
        tokens.used(session.state, 0)

    return calls(work)


def test_a_request_costs_no_more_after_a_long_history() -> None:
    short, long = Session(), Session()
    short.grow(3)
    long.grow(2_000)
    assert cost(long) == cost(short)


@pytest.mark.deep
def test_a_request_costs_no_more_beside_many_branches() -> None:
    plain, branched = Session(), Session()
    plain.grow(10)
    branched.grow(10)
    for _ in range(50):
        branched.grow(40)
        branched.record(SessionBranched(message_id="a10"))
    assert len(branched.state.tree.nodes) > 4_000
    assert len(branched.state.history) == len(plain.state.history)
    assert cost(branched) == cost(plain)

    assert calls(lambda: Builder().build(branched.state)) == calls(
        lambda: Builder().build(plain.state)
    )
