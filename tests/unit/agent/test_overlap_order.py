"""Calls of one reply: which run together, in which order results come, and how they are sent."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from ouroboros.agent.context.messages import Builder
from ouroboros.agent.running.overlap import Overlap
from ouroboros.core.parts import Message, Text, ToolCall, ToolResult
from ouroboros.core.state import OpenCall, State


class Hands:
    """Notes what begins and ends; ``does`` holds what a call waits for."""

    def __init__(self, *alone: str, **does: Callable[[], Awaitable[object]]) -> None:
        self.notes: list[str] = []
        self.state = State()
        self._alone = alone
        self._does = does

    def may_overlap(self, call: ToolCall) -> bool:
        return call.name not in self._alone

    async def do(self, call: ToolCall) -> object:
        self.notes.append(f"{call.name} begins")
        await self._does.get(call.name, anyio.lowlevel.checkpoint)()
        self.notes.append(f"{call.name} ends")
        self.state.results[call.id] = ToolResult(
            call_id=call.id, name=call.name, parts=(Text(text=call.name),)
        )
        return None


def calls(names: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(id=f"id_{name}", name=name, arguments="{}") for name in names)


async def carried_out(hands: Hands, names: str) -> list[str]:
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            overlap = Overlap(tasks, hands, before=lambda: None)
            for call in calls(names):
                overlap.start(call)
    return hands.notes


@pytest.mark.proves("codex-4.2", "divergences-order-of-results")
async def test_a_result_is_recorded_when_it_is_there_and_sent_in_call_order() -> None:
    b_is_done = anyio.Event()

    async def finish_b() -> None:
        b_is_done.set()

    hands = Hands(a=b_is_done.wait, b=finish_b)
    notes = await carried_out(hands, "ab")
    assert notes == ["a begins", "b begins", "b ends", "a ends"]
    assert list(hands.state.results) == ["id_b", "id_a"]
    hands.state.history.append(Message(id="m", role="assistant", parts=calls("ab")))
    _, answers = Builder().build(hands.state)
    assert [part.call_id for part in answers.parts if isinstance(part, ToolResult)] == [
        "id_a",
        "id_b",
    ]


@pytest.mark.proves("A10")
async def test_a_call_that_must_be_alone_waits_and_holds_up_the_rest() -> None:
    notes = await carried_out(Hands("w"), "rwsx")
    at = notes.index
    assert at("r ends") < at("w begins")
    assert at("w ends") < min(at("s begins"), at("x begins"))
    assert max(at("s begins"), at("x begins")) < min(at("s ends"), at("x ends"))


@pytest.mark.proves("codex-4.5", "codex-5.1", "codex-5.2")
async def test_a_call_without_a_result_is_answered_aborted_in_its_place() -> None:
    state = State()
    state.history.append(Message(id="m", role="assistant", parts=calls("abc")))
    for call in calls("caz"):  # nobody made call z
        state.results[call.id] = ToolResult(
            call_id=call.id, name=call.name, parts=(Text(text=call.name),)
        )
    _, answers = Builder().build(state)
    said = [(part.call_id, part.text) for part in answers.parts if isinstance(part, ToolResult)]
    assert said == [("id_a", "a"), ("id_b", "aborted"), ("id_c", "c")]


async def test_a_look_while_a_call_is_open_does_not_settle_what_came_of_it() -> None:
    """Somebody asks in mid-call how full the context is; the next request has the result."""
    state, builder = State(), Builder()
    state.history.append(Message(id="m", role="assistant", parts=calls("a")))
    state.calls["id_a"] = OpenCall(name="a", arguments="{}", phase="attempted")
    _, early = builder.build(state)
    state.results["id_a"] = ToolResult(call_id="id_a", name="a", parts=(Text(text="found"),))
    del state.calls["id_a"]
    _, late = builder.build(state)
    texts = [
        part.text for each in (early, late) for part in each.parts if isinstance(part, ToolResult)
    ]
    assert texts == ["aborted", "found"]
    assert all(
        was is now for was, now in zip(builder.build(state), builder.build(state), strict=True)
    )
