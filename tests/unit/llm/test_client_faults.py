"""A client against a server on loopback that goes wrong in every way."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import anyio
import pytest
from msgspec.structs import replace

from ouroboros.core.errors import FailureKind, ModelFailed
from ouroboros.core.parts import Message, Reasoning, Text
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers import find
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew, Failed, Finished, Retrying, StreamEvent
from ouroboros.llm.turns import Fault, FaultKind, ScriptedCall, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import ScriptedServer, serving

KEY = "sk-very-secret-0123456789"
PROVIDERS = ("openai-chat", "openai", "anthropic")
ASKED = Request(
    model="m", messages=(Message(id="u", role="user", parts=(Text(text="hello there"),)),)
)
CALL = ScriptedCall(name="read", arguments={"path": "a"})


class Setup(NamedTuple):
    client: Client
    server: ScriptedServer
    clock: ManualClock


@asynccontextmanager
async def running(
    turns: Sequence[Turn],
    *,
    provider: str = "openai-chat",
    key: str = KEY,
    idle_timeout: float = 5.0,
    repeat: bool = False,
) -> AsyncGenerator[Setup]:
    clock = ManualClock()
    environment = {"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key}
    async with serving(turns, repeat=repeat) as server:
        client = await open_client(
            find(f"{provider}/m", environment=environment, base_url=server.url),
            clock=clock,
            random=lambda: 0.5,
            connection=Connection(idle_timeout=idle_timeout),
            sleep=clock.sleep,
        )
        try:
            yield Setup(client, server, clock)
        finally:
            await client.close()


async def listen(
    client: Client, asked: Request = ASKED
) -> tuple[list[StreamEvent], ModelFailed | None]:
    events: list[StreamEvent] = []
    keep = events.append
    try:
        async with client.stream(asked) as stream:
            async for event in stream:
                keep(event)
    except ModelFailed as error:
        return events, error
    return events, None


def said(events: Sequence[StreamEvent]) -> str:
    last = events[-1]
    assert isinstance(last, Finished)
    return "".join(part.text for part in last.parts if isinstance(part, Text))


def waits(events: Sequence[StreamEvent]) -> list[tuple[int, int, float]]:
    retries = [event for event in events if isinstance(event, Retrying)]
    return [(one.attempt, one.maximum, round(one.delay_seconds, 3)) for one in retries]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_retry_after_is_waited_for(provider: str) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=1)), Turn(text="done")]
    async with running(turns, provider=provider) as (client, server, clock):
        events, error = await listen(client)
        assert error is None
        assert (said(events), waits(events), clock.slept) == ("done", [(1, 4, 1.0)], [1.0])
        assert (len(server.exchanges), server.connections) == (2, 1)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_server_that_stays_broken_ends_after_four_retries(provider: str) -> None:
    turns = [Turn(fault=Fault(kind="server", times=10)), Turn(text="never")]
    async with running(turns, provider=provider) as (client, server, _):
        events, error = await listen(client)
        assert error is not None
        assert (error.failure.kind, error.failure.status) == ("server", 500)
        assert "resume" in error.hint
        assert waits(events) == [(1, 4, 0.2), (2, 4, 0.4), (3, 4, 0.8), (4, 4, 1.6)]
        assert len(server.exchanges) == 5


async def test_a_wait_above_two_minutes_is_told_instead() -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=600))]
    async with running(turns) as (client, server, clock):
        _, error = await listen(client)
        assert error is not None
        assert "600 seconds" in error.hint
        assert (len(server.exchanges), clock.slept) == (1, [])


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", ["cut", "end", "reset"])
async def test_five_broken_streams_are_survived(provider: str, kind: FaultKind) -> None:
    limit = 4 if kind == "reset" else 5
    fault = Fault(kind=kind, times=limit)
    async with running([Turn(text="x", fault=fault), Turn(text="done")], provider=provider) as run:
        events, error = await listen(run.client)
        assert error is None
        assert said(events) == "done"
        assert waits(events) == [
            (number, limit, round(0.2 * 2 ** (number - 1), 3)) for number in range(1, limit + 1)
        ]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_sixth_broken_stream_is_the_last(provider: str) -> None:
    turns = [Turn(text="x", fault=Fault(kind="cut", times=6)), Turn(text="never")]
    async with running(turns, provider=provider) as (client, server, _):
        events, error = await listen(client)
        assert error is not None
        assert error.failure.kind == "transport"
        assert isinstance(events[-1], Failed)
        assert len(server.exchanges) == 6


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", ["cut", "end", "stall"])
async def test_after_visible_words_nothing_is_sent_again(provider: str, kind: FaultKind) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind=kind, after=2))
    async with running([turn], provider=provider, idle_timeout=0.3) as (client, server, _):
        events, error = await listen(client)
        assert error is not None
        assert error.failure.kind == ("timeout" if kind == "stall" else "transport")
        assert [event.text for event in events if isinstance(event, BlockGrew)] == ["H", "e"]
        ending = events[-1]
        assert isinstance(ending, Failed)
        assert [part.text for part in ending.parts if isinstance(part, Text)] == ["He"]
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_after_a_finished_call_nothing_is_sent_again(provider: str) -> None:
    size = len(CALL.json)
    turn = Turn(tool_calls=(CALL, CALL), fault=Fault(kind="cut", after=size + 1))
    async with running([turn, Turn(text="no")], provider=provider) as (client, server, _):
        _, error = await listen(client)
        assert error is not None
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_thoughts_alone_may_be_sent_for_again(provider: str) -> None:
    turns = [
        Turn(reasoning="thinking", chunk=4, fault=Fault(kind="cut", after=4)),
        Turn(text="done"),
    ]
    async with running(turns, provider=provider) as (client, _, _):
        events, error = await listen(client)
        assert error is None
        assert (said(events), waits(events)) == ("done", [(1, 5, 0.2)])


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_error_inside_a_stream_is_typed_and_retried(provider: str) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", in_stream=True)), Turn(text="done")]
    async with running(turns, provider=provider) as (client, _, _):
        events, error = await listen(client)
        assert error is None
        assert (said(events), waits(events)) == ("done", [(1, 5, 0.2)])


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_garbage_in_a_stream_is_a_failure_and_no_crash(provider: str) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind="garbage", after=2, times=9))
    async with running([turn], provider=provider) as (client, _, _):
        events, error = await listen(client)
        assert error is not None
        assert isinstance(events[-1], Failed)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("kind", "seen", "hint"),
    [
        ("auth", "auth", "_API_KEY"),
        ("quota", "quota", "--model"),
        ("model_not_found", "model_not_found", "'m'"),
        ("context_overflow", "context_overflow", "compact"),
        ("content_policy", "content_policy", ""),
    ],
)
async def test_refusals_are_typed_and_not_repeated(
    provider: str, kind: FaultKind, seen: FailureKind, hint: str
) -> None:
    async with running([Turn(fault=Fault(kind=kind))], provider=provider) as (client, server, _):
        events, error = await listen(client)
        assert error is not None
        assert (error.failure.kind, events) == (seen, [])
        assert hint in error.hint
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("in_stream", [False, True])
async def test_a_key_the_server_echoes_is_taken_out(provider: str, *, in_stream: bool) -> None:
    fault = Fault(kind="invalid_request", message=f"Bad key {KEY} here", in_stream=in_stream)
    async with running([Turn(fault=fault)], provider=provider) as (client, server, _):
        events, error = await listen(client)
        assert error is not None
        assert "Bad key [key] here" in error.message
        shown = f"{error!r} {error.hint} {error.failure!r} {events!r} {error.__cause__!r}"
        assert KEY not in shown
        assert KEY in str(server.exchanges[0].headers)


async def test_a_page_instead_of_a_model_is_not_asked_again() -> None:
    fault = Fault(kind="server", status=200, body="<html>", headers={"content-type": "text/html"})
    async with running([Turn(fault=fault)]) as (client, server, _):
        _, error = await listen(client)
        assert error is not None
        assert "web page" in error.message
        assert server.url in error.message
        assert len(server.exchanges) == 1


async def test_a_redirect_is_told_and_not_followed() -> None:
    fault = Fault(kind="server", status=308, body="", headers={"location": "http://elsewhere/v1"})
    async with running([Turn(fault=fault)]) as (client, server, _):
        _, error = await listen(client)
        assert error is not None
        assert "http://elsewhere/v1" in error.message
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_stale_reasoning_is_stripped_once_and_sent_again(provider: str) -> None:
    turns = [
        Turn(reasoning="thought", text="first"),
        Turn(fault=Fault(kind="stale_reasoning")),
        Turn(text="second"),
        Turn(fault=Fault(kind="stale_reasoning", times=2)),
    ]
    async with running(turns, provider=provider) as (client, server, _):
        events, _ = await listen(client)
        last = events[-1]
        assert isinstance(last, Finished)
        assert any(isinstance(part, Reasoning) for part in last.parts)
        reply = Message(id="a", role="assistant", parts=last.parts, origin=client.origin)
        again = Message(id="v", role="user", parts=(Text(text="again"),))
        asked = replace(ASKED, messages=(*ASKED.messages, reply, again))
        events, error = await listen(client, asked)
        assert error is None
        assert (said(events), waits(events)) == ("second", [(1, 1, 0.0)])
        opaque = "signature_1" if provider == "anthropic" else "opaque_1_0"
        with_it, without = (opaque in exchange.body for exchange in server.exchanges[1:3])
        assert (with_it, without) == (provider != "openai-chat", False)
        _, error = await listen(client, asked)
        assert error is not None
        assert error.failure.kind == "stale_reasoning"
        assert len(server.exchanges) == 5


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_cancelling_closes_the_connection(provider: str) -> None:
    turn = Turn(text="abcdefgh" * 50, chunk=1, pace_seconds=0.01)
    async with running([turn], provider=provider, repeat=True) as (client, server, _):
        heard: list[StreamEvent] = []
        keep = heard.append
        with anyio.move_on_after(0.15) as scope:
            async with client.stream(ASKED) as events:
                async for event in events:
                    keep(event)
        assert scope.cancelled_caught
        assert heard
        with anyio.fail_after(5):
            await server.all_closed()


async def test_leaving_early_closes_the_connection_and_the_next_reply_is_whole() -> None:
    turns = [Turn(text="abcdefgh", chunk=1, pace_seconds=0.1), Turn(text="done")]
    async with running(turns) as (client, server, _):
        async with client.stream(ASKED) as events:
            async for _event in events:
                break
        events, error = await listen(client)
        assert error is None
        assert (said(events), server.connections) == ("done", 2)


async def test_a_server_that_is_not_there_is_named() -> None:
    async with running([Turn(text="x")]) as (client, server, _):
        url = server.url
    events, error = await listen(client)
    assert error is not None
    assert url in error.message
    assert "Is the server running?" in error.hint
    assert [one.attempt for one in events if isinstance(one, Retrying)] == [1, 2, 3, 4]
