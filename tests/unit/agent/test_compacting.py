"""Programs around a summary, and a history that does not fit the request for one."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from ouroboros.agent.context.cut import Cut
from ouroboros.agent.context.messages import Builder
from ouroboros.agent.mind import ToolMind
from ouroboros.agent.prompts import load
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.events import ContextCompacted
from ouroboros.core.parts import Media, Message, Origin, Text, ToolCall, ToolResult
from ouroboros.core.state import State
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished, StreamEvent
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.ids import SequentialIds
from tests.cases import every

PROMPTS = load()


class Summariser:
    """A model that can read so many messages, and says how many it read."""

    def __init__(self, most: int = 1_000) -> None:
        self.origin = Origin(provider="a", protocol="openai-chat", model="1")
        self.most, self.requests = most, list[Request]()

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        self.requests.append(request)
        if len(request.messages) > self.most:
            raise ModelFailed(Failure(kind="context_overflow", message="too long"))

        async def events() -> AsyncIterator[StreamEvent]:
            text = Text(text=f"read {len(request.messages)}")
            yield Finished(parts=(text,), stop_reason="end", usage=None)

        yield events()


class Hooks:
    """Notes what it is told, and may say no."""

    def __init__(self, why: str = "") -> None:
        self.why, self.heard = why, list[str]()

    async def before(self, cut: Cut) -> str:
        self.heard.append(f"before {cut.trigger} {cut.focus} {len(cut.goes)}")
        return self.why

    async def after(self, cut: Cut, done: ContextCompacted) -> None:
        self.heard.append(f"after {cut.trigger} {done.history[-1].kind}")


def mind(model: Summariser, hooks: Hooks) -> ToolMind:
    async def connect(name: str) -> Speaker:
        raise AssertionError(name)

    speaker = Speaker(name="a/1", model=model, tuning=Tuning(), cost=lambda usage: None)
    return ToolMind(
        lineup=Lineup(speaker, clock=ManualClock(), connect=connect),
        prompts=PROMPTS,
        system=(),
        tools=lambda: (),
        ids=SequentialIds(),
        context=lambda state: None,
        around=hooks,
    )


def long(turns: int) -> State:
    """Words, a call and its result, so many times."""
    state = State()
    for number in range(turns):
        words = Message(id=f"u{number}", role="user", parts=(Text(text=f"do {number}"),))
        call = ToolCall(id=f"c{number}", name="read")
        state.history += [words, Message(id=f"a{number}", role="assistant", parts=(call,))]
        state.results[call.id] = ToolResult(call_id=call.id, name="read")
    return state


async def test_both_hooks_are_told_of_every_summary() -> None:
    hooks = Hooks()
    await mind(Summariser(), hooks).compact(long(2), "manual", "tests")
    assert hooks.heard == ["before manual tests 4", "after manual summary"]


async def test_a_hook_that_says_no_stops_it_before_anything_is_asked() -> None:
    model, hooks = Summariser(), Hooks("the night is for backups")
    with pytest.raises(ModelFailed, match="the night is for backups") as failed:
        await mind(model, hooks).compact(long(2), "proactive")
    assert failed.value.failure.kind == "cancelled"
    assert not failed.value.failure.retryable
    assert (model.requests, len(hooks.heard)) == ([], 1)


@pytest.mark.proves("J03", "codex-6.5", "divergences-a-request-for-a-summary")
@every("most", [60, 21, 5, 4])
async def test_the_oldest_goes_with_its_result_until_the_request_fits(most: int) -> None:
    model = Summariser(most)
    done = await mind(model, Hooks()).compact(long(30), "reactive")
    sizes = [len(request.messages) for request in model.requests]
    assert sizes[0] == 91
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= most
    assert done.history[-1].text.endswith(f"read {sizes[-1]}")
    for request in model.requests:
        called = {call.id for message in request.messages for call in message.calls}
        answered = [
            part.call_id
            for message in request.messages
            for part in message.parts
            if isinstance(part, ToolResult)
        ]
        assert set(answered) == called
        assert request.tools == ()


@pytest.mark.proves("J03", "codex-6.5", "J05")
async def test_where_not_even_one_message_fits_the_record_speaks() -> None:
    done = await mind(Summariser(0), Hooks()).compact(long(3), "reactive")
    assert "could not write a summary" in done.history[-1].text
    assert "last message is met is not known" in done.history[-1].text
    assert [m.text for m in done.history[:-1]] == ["do 0", "do 1", "do 2"]


def test_what_was_said_by_a_mind_with_eyes_is_told_to_one_without() -> None:
    """A model that is sent no images still hears that there was one."""
    state = State(
        history=[
            Message(
                id="u",
                role="user",
                parts=(Media(media_type="image/png", data="AAAA", name="a.png"), Text(text="x")),
            )
        ]
    )
    builder = Builder()
    (seen,) = builder.build(state, 4)
    (blind,) = builder.build(state, 0)
    assert seen == state.history[0]
    assert blind == replace(
        seen,
        parts=(
            Text(text="(The image 'a.png' is left out: you are a model that is sent none.)"),
            Text(text="x"),
        ),
    )
    assert builder.build(state, 4) == (seen,)


@pytest.mark.proves("J02", "codex-6.1")
def test_the_prefix_counts_only_against_the_whole_window() -> None:
    """With ``body_after_prefix`` what the first request held is left out, up to the window's end."""
    tools = mind(Summariser(), Hooks())
    state = long(1)
    state.history[0] = Message(id="u", role="user", parts=(Text(text="x" * 8_000),))
    state.measured_at = len(state.history)
    total = Tuning(window=10_000, fixed_limit=3_000)
    body = replace(total, scope="body_after_prefix")
    for used, is_full in ((2_999, (False, False)), (3_000, (True, False)), (5_004, (True, True))):
        state.measured_tokens = used - 8  # the result of the call is estimated
        assert (tools.would_fill(state, total), tools.would_fill(state, body)) == is_full, used
    wide = replace(body, fixed_limit=None, threshold=1.0)
    state.measured_tokens = 9_491
    assert not tools.would_fill(state, wide)
    state.measured_tokens = 9_492
    assert tools.would_fill(state, wide)


def test_nothing_is_summarised_after_a_final_answer_alone() -> None:
    """The loop asks before a request only; a history without a reply has nothing to sum up."""
    tools = mind(Summariser(), Hooks())
    state = State(history=[Message(id="u", role="user", parts=(Text(text="x" * 80_000),))])
    assert not tools.would_fill(state, Tuning(window=10_000))
