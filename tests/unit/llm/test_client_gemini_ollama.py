"""Google's and Ollama's formats over real connections: streamed, in an array, by lines, or whole."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import ModelFailed
from ouroboros.core.parts import Message, Origin, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.auth import KeyHeader
from ouroboros.llm.client import Client
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.http_route import Endpoint, HttpRoute
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import find
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import BlockGrew, CallReady, Finished, StreamEvent
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import Fault, FaultKind, ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every

pytestmark = pytest.mark.real

TURN = Turn(
    reasoning="thinking",
    text="Hello, {you}\\",
    chunk=2,
    tool_calls=(
        ScriptedCall(name="read", arguments={"path": 'a "}{" \\'}),
        ScriptedCall(name="list"),
    ),
    usage=ScriptedUsage(input_uncached=11, cache_read=7, output_text=5),
)
TOOLS = (ToolSpec(name="read", description="Reads.", schema='{"type":"object"}'),)
ASKED = Request(
    model="m", messages=(Message(id="u", role="user", parts=(Text(text="hi"),)),), tools=TOOLS
)
PROVIDERS = ("google", "ollama")
WAYS = ("stream", "array", "lines", "whole", "told whole")


@asynccontextmanager
async def running(
    way: str, *turns: Turn, order: Any = "sequence"
) -> AsyncGenerator[tuple[Client, ScriptedServer]]:
    """A client of one of the ``WAYS``; an array is what a server without ``alt=sse`` sends."""
    name = "ollama-chat" if way in {"lines", "told whole"} else "gemini"
    async with serving(turns, order=order, repeat=True) as server:

        def address(path: str) -> str:
            return server.url + (path.removesuffix("?alt=sse") if way == "array" else path)

        endpoint = Endpoint(
            origin=Origin(provider="p", protocol=name, model="m"),
            base_url=server.url,
            dialect=Dialect(streams=way not in {"whole", "told whole"}),
            url=address,
            auth=KeyHeader(),
        )
        route = HttpRoute(endpoint, by_name(name), Http1(), clock=SystemClock())
        client = Client(
            route,
            policy=Policy(request_retries=0, stream_retries=0),
            sleep=ManualClock().sleep,
            random=lambda: 0.5,
        )
        try:
            yield client, server
        finally:
            await client.close()


async def hear(client: Client, said: list[str]) -> None:
    async with client.stream(ASKED) as events:
        async for event in events:
            said += [event.text] if isinstance(event, BlockGrew) else []


async def listen(client: Client, asked: Request = ASKED) -> list[StreamEvent]:
    async with client.stream(asked) as events:
        return [event async for event in events]


def ending(events: Sequence[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


@pytest.mark.deep
@pytest.mark.proves("H18")
@every("way", WAYS)
@every("write_bytes", [0, 1, 7])
async def test_a_reply_arrives_in_every_way(way: str, write_bytes: int) -> None:
    async with running(way, replace(TURN, write_bytes=write_bytes)) as (client, server):
        events = await listen(client)
    calls = [
        (event.call.name, event.call.arguments) for event in events if isinstance(event, CallReady)
    ]
    assert [(name, msgspec.json.decode(text)) for name, text in calls] == [
        ("read", {"path": 'a "}{" \\'}),
        ("list", {}),
    ]
    said = {
        kind: "".join(one.text for one in events if isinstance(one, BlockGrew) and one.kind == kind)
        for kind in ("reasoning", "text")
    }
    assert said == {"reasoning": "thinking", "text": "Hello, {you}\\"}
    last = ending(events)
    assert last.stop_reason == "tool_calls"
    assert last.usage is not None
    assert last.usage.input_total == 18
    ids = [part.id for part in last.parts if isinstance(part, ToolCall)]
    assert len(set(ids)) == 2
    assert all(ids)
    assert server.exchanges[0].headers["accept"] == (
        "application/json" if "whole" in way else "text/event-stream"
    )


@pytest.mark.proves("H25")
@every("way", WAYS)
async def test_a_run_of_many_requests_goes_on(way: str) -> None:
    turns = [replace(TURN, write_bytes=0)] * 9 + [Turn(text="done")]
    async with running(way, *turns, order="history") as (client, server):
        messages = list(ASKED.messages)
        last = None
        for number in range(10):
            request = replace(ASKED, messages=tuple(messages), cache_key="k")
            last = ending(await listen(client, request))
            messages.append(
                Message(id=f"a{number}", role="assistant", parts=last.parts, origin=client.origin)
            )
            messages += [
                Message(
                    id=part.id,
                    role="user",
                    parts=(ToolResult(call_id=part.id, name=part.name, parts=(Text(text="ok"),)),),
                )
                for part in last.parts
                if isinstance(part, ToolCall)
            ]
        bodies = [exchange.body for exchange in server.exchanges]
        assert (server.connections, len(bodies)) == (1, 10)
    assert last is not None
    assert [part.text for part in last.parts if isinstance(part, Text) and part.text] == ["done"]
    for earlier, later in pairwise(bodies):
        assert later.startswith(earlier.removesuffix("]}"))


@every("way", ["stream", "array", "lines"])
@every("kind", ["cut", "end", "garbage"])
async def test_a_stream_that_breaks_keeps_what_had_come(way: str, kind: FaultKind) -> None:
    turn = Turn(text="Hello", chunk=1, fault=Fault(kind=kind, after=3))
    async with running(way, turn) as (client, _):
        said: list[str] = []
        with pytest.raises(ModelFailed) as caught:
            await hear(client, said)
    assert "".join(said) == "Hel"
    assert (caught.value.failure.kind, caught.value.failure.retryable) == ("transport", True)


@every("way", ["stream", "array", "lines"])
async def test_an_error_within_a_stream_has_its_kind(way: str) -> None:
    fault = Fault(kind="overloaded", in_stream=True, after=2)
    async with running(way, Turn(text="Hello", chunk=1, fault=fault)) as (client, _):
        with pytest.raises(ModelFailed) as caught:
            await listen(client)
    assert caught.value.failure.kind == "overloaded"


@pytest.mark.proves("providers-history")
async def test_signatures_that_are_refused_are_sent_without_once() -> None:
    call = ToolCall(id="c", name="read", meta={"thoughtSignature": "U3RhbGU="})
    refused = Turn(fault=Fault(kind="stale_reasoning"))
    async with running("stream", refused, Turn(text="done")) as (client, server):
        said = Message(id="a", role="assistant", parts=(call,), origin=client.origin)
        result = Message(id="r", role="user", parts=(ToolResult(call_id="c", name="read"),))
        asked = replace(ASKED, messages=(*ASKED.messages, said, result))
        assert ending(await listen(client, asked)).stop_reason == "end"
        first, second = (exchange.body for exchange in server.exchanges)
    assert '"thoughtSignature":"U3RhbGU="' in first
    assert "U3RhbGU=" not in second
    assert '"thoughtSignature":"skip_thought_signature_validator"' in second


@every("provider", PROVIDERS)
async def test_the_vendors_of_the_table_are_asked_at_their_address(provider: str) -> None:
    async with serving([TURN]) as server:
        choice = find(
            f"{provider}/some:model",
            environment={"GEMINI_API_KEY": "AIza-1", "OLLAMA_HOST": server.url},
            base_url=server.url if provider == "google" else "",
        )
        client = await open_client(
            choice, clock=SystemClock(), random=lambda: 0.5, connection=Connection()
        )
        assert ending(await listen(client, replace(ASKED, model="some:model"))).parts
        await client.close()
        (exchange,) = server.exchanges
    paths = {
        "google": "/v1beta/models/some%3Amodel:streamGenerateContent?alt=sse",
        "ollama": "/api/chat",
    }
    assert exchange.path == paths[provider]
    assert exchange.headers.get("x-goog-api-key") == ("AIza-1" if provider == "google" else None)
    assert "authorization" not in exchange.headers
