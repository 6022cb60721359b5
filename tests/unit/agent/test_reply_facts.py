"""A reply while it arrives: what of it becomes a fact."""

import os

from ouroboros.agent.speaking.reply import Reply
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Failure
from ouroboros.core.events import AgentMessage, ModelDelta, ModelRetried
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.parts import Origin, Reasoning, Text, ToolCall, Usage
from ouroboros.llm.stream import BlockGrew, BlockStarted, CallReady, Failed, Retrying

ORIGIN = Origin(provider="p", protocol="openai-chat", model="m")
CALL = ToolCall(id="c1", name="read", arguments='{"path":"a"}')


def fresh(*taken: str) -> Reply:
    ids = TimeOrderedIds(SystemClock(), os.urandom)
    return Reply(ids=ids, origin=ORIGIN, taken=set(taken), cost=lambda usage: 0.5)


def test_a_block_that_is_open_at_a_retry_gets_its_end() -> None:
    reply = fresh()
    reply.take(BlockStarted(part=0, kind="text"))
    facts = reply.take(Retrying(attempt=1, maximum=4, delay_seconds=0.0, reason="busy"))
    assert [type(fact) for fact in facts] == [ModelDelta, ModelRetried]
    assert facts[0] == ModelDelta(phase="end", kind="text", part=0)


def test_a_call_that_acts_early_is_kept_with_what_came_before_it() -> None:
    reply = fresh()
    reply.take(BlockStarted(part=0, kind="text"))
    reply.take(BlockGrew(part=0, kind="text", text="I look."))
    said = (Reasoning(text="Hm.", meta={"signature": "S"}), Text(text="I look."))
    reply.take(CallReady(call=CALL, parts=(*said, CALL)))
    (partial,) = reply.partial()
    assert isinstance(partial, AgentMessage)
    assert partial.message.parts == (*said, CALL)


def test_an_id_of_an_earlier_call_is_not_given_twice() -> None:
    reply = fresh("c1")
    reply.take(CallReady(call=CALL, parts=(CALL,)))
    (given,) = reply.ready()
    assert given.id != "c1"
    (partial,) = reply.partial()
    assert isinstance(partial, AgentMessage)
    assert partial.message.calls == (given,)


def test_what_a_broken_reply_used_is_counted() -> None:
    reply = fresh()
    usage = Usage(input_uncached=90, output_text=10)
    failure = Failure(kind="transport", message="cut")
    assert reply.take(Failed(failure=failure, parts=(Text(text="Half"),), usage=usage)) == []
    (kept,) = reply.close()
    assert isinstance(kept, AgentMessage)
    assert (kept.partial, kept.usage, kept.cost) == (True, usage, 0.5)
