"""One reply: which calls it makes, under which ids, and what is kept when it breaks off."""

from ouroboros.agent.speaking.reply import Reply
from ouroboros.core.events import AgentMessage, Event, ModelDelta
from ouroboros.core.parts import Origin, Text, ToolCall
from ouroboros.llm.stream import BlockGrew, BlockStarted, CallReady, Finished, Retrying
from ouroboros.testing.ids import SequentialIds

ORIGIN = Origin(provider="p", protocol="q", model="r")


def reply(*taken: str) -> Reply:
    return Reply(ids=SequentialIds(), origin=ORIGIN, taken=taken, cost=lambda usage: None)


def finished(*calls: ToolCall) -> Finished:
    return Finished(parts=calls, stop_reason="tool_calls")


def message(events: list[Event]) -> AgentMessage:
    (found,) = [event for event in events if isinstance(event, AgentMessage)]
    return found


def test_a_call_with_more_details_at_the_end_is_the_same_call() -> None:
    collected = reply()
    early = ToolCall(id="c1", name="write", arguments="{}")
    collected.take(CallReady(call=early, parts=(early,)))
    assert [call.id for call in collected.ready()] == ["c1"]
    late = ToolCall(id="c1", name="write", arguments='{"a":1}', meta={"status": "completed"})
    ended = message(collected.take(finished(late)))
    assert collected.ready() == []
    assert ended.message.calls == (late,)


def test_a_call_only_the_end_names_is_made_then() -> None:
    collected = reply()
    first, second = ToolCall(id="a", name="read"), ToolCall(id="b", name="read")
    collected.take(CallReady(call=first, parts=(first,)))
    collected.ready()
    ended = message(collected.take(finished(first, second)))
    assert [call.id for call in collected.ready()] == ["b"]
    assert [call.id for call in ended.message.calls] == ["a", "b"]


def test_twin_calls_stay_two() -> None:
    collected = reply()
    twin = ToolCall(id="x", name="read", arguments="{}")
    for _ in range(2):
        collected.take(CallReady(call=twin, parts=(twin, twin)))
    ids = [call.id for call in collected.ready()]
    ended = message(collected.take(finished(twin, twin)))
    assert ids == ["x", "call_1"]
    assert [call.id for call in ended.message.calls] == ids
    assert collected.ready() == []


def test_missing_and_taken_ids_are_replaced() -> None:
    collected = reply("x")
    calls = (ToolCall(id="x", name="a"), ToolCall(id="", name="b"))
    ended = message(collected.take(finished(*calls)))
    assert [call.id for call in collected.ready()] == ["call_1", "call_2"]
    assert [call.id for call in ended.message.calls] == ["call_1", "call_2"]


def test_what_was_said_before_a_break_is_kept_and_every_block_ends() -> None:
    collected = reply()
    collected.take(BlockStarted(part=0, kind="text"))
    collected.take(BlockGrew(part=0, kind="text", text="half"))
    end, kept = collected.close()
    assert end == ModelDelta(phase="end", kind="text", part=0)
    assert isinstance(kept, AgentMessage)
    assert (kept.message.parts, kept.partial) == ((Text(text="half"),), True)


def test_a_retry_voids_what_was_said() -> None:
    collected = reply()
    collected.take(BlockStarted(part=0, kind="text"))
    collected.take(BlockGrew(part=0, kind="text", text="half"))
    collected.take(Retrying(attempt=1, maximum=4, delay_seconds=0.1, reason="cut"))
    assert collected.close() == []
