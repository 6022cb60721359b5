"""What is lowered comes out at the server, and what is lifted at the client, in every format."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from ouroboros.core.parts import Origin, Text, ToolCall, ToolSpec
from ouroboros.llm.client import Client
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.http_route import Endpoint, HttpRoute
from ouroboros.llm.protocols import by_name
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import CallReady, Finished, StreamEvent
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every
from tests.unit.llm.fault_ground import FORMATS, asked, listen

pytestmark = pytest.mark.real

TOOLS = tuple(
    ToolSpec(name=name, description="Does it.", schema='{"type":"object","properties":{}}')
    for name in ("shell", "mcp/find.it")
)


@asynccontextmanager
async def running(
    format: str, dialect: Dialect, turn: Turn
) -> AsyncGenerator[tuple[Client, ScriptedServer]]:
    name, model = FORMATS[format]
    async with serving([turn]) as server:
        endpoint = Endpoint(
            origin=Origin(provider="vendor", protocol=name, model=model),
            base_url=server.url,
            dialect=dialect,
            url=lambda path: server.url + path,
        )
        clock = ManualClock()
        route = HttpRoute(endpoint, by_name(name), Http1(), clock=clock)
        client = Client(route, policy=Policy(), sleep=clock.sleep, random=lambda: 0.5)
        try:
            yield client, server
        finally:
            await client.close()


async def exchanged(
    format: str, dialect: Dialect, turn: Turn, *, stream: bool = True
) -> tuple[Sequence[StreamEvent], dict[str, Any]]:
    """The events of one reply, and the body that asked for it."""
    async with running(format, dialect, turn) as (client, server):
        request = replace(asked(format, stream=stream), tools=TOOLS)
        events, error = await listen(client, request)
        assert error is None
        return events, server.exchanges[0].json


def ending(events: Sequence[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def ready(events: Sequence[StreamEvent]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, CallReady)]


@pytest.mark.proves("H19")
@every("format", FORMATS)
@every("chunk", [0, 1])
async def test_any_format_may_lack_tool_calls(format: str, chunk: int) -> None:
    turn = Turn(text="I look.\n```run sh\nls\n```\nSo.", reasoning="Hm.", chunk=chunk)
    events, body = await exchanged(format, Dialect(tools="fenced"), turn)
    call = ToolCall(id="run_1", name="shell", arguments='{"command":"ls","timeout":300}')
    assert ready(events) == [call]
    parts = [part for part in ending(events).parts if isinstance(part, Text | ToolCall)]
    texts = [part.text if isinstance(part, Text) else part for part in parts]
    assert texts == ["I look.\n", call, "So."]
    assert ending(events).stop_reason == "tool_calls"
    assert not {"tools", "toolConfig", "tool_choice"} & body.keys()
    assert "run sh" in str(body)


async def test_a_run_block_calls_a_tool_of_any_name() -> None:
    dialect = Dialect(tools="fenced", tool_names="capitalised")
    _, body = await exchanged("openai-chat", dialect, Turn(text="Hello."))
    assert "\n- sh: " in str(body["messages"][0]["content"])
    told = re.findall(r"- (mcp_find_it_\w+):", str(body))
    turn = Turn(text=f"```run {told[0]}\n{{}}\n```")
    events, _ = await exchanged("openai-chat", dialect, turn)
    assert [call.name for call in ready(events)] == ["mcp/find.it"]
    assert [part.name for part in ending(events).parts if isinstance(part, ToolCall)] == [
        "mcp/find.it"
    ]


@every("stream", [True, False])
@every("format", sorted(FORMATS.keys() - {"invoke-nova"}))
async def test_any_format_calls_tools_by_other_names(format: str, *, stream: bool) -> None:
    calls = (ScriptedCall(name="Bash"), ScriptedCall(name="shell"))
    dialect = Dialect(tool_names="capitalised")
    events, body = await exchanged(format, dialect, Turn(tool_calls=calls), stream=stream)
    assert [call.name for call in ready(events)] == ["shell", "shell"]
    made = [part.name for part in ending(events).parts if isinstance(part, ToolCall)]
    assert made == ["shell", "shell"]
    assert "mcp/find.it" not in str(body)
    assert "mcp_find_it_" in str(body)


async def test_leaving_a_lifted_reply_early_closes_its_connection() -> None:
    turn = Turn(text="abcdefgh" * 50, chunk=1, pace_seconds=0.01)
    async with running("openai-chat", Dialect(tools="fenced"), turn) as (client, server):
        request = replace(asked("openai-chat"), tools=TOOLS)
        async with client.stream(request) as events:
            async for _event in events:
                break
        with anyio.fail_after(60):
            await server.all_closed()


async def test_cancelling_a_lifted_reply_closes_its_connection() -> None:
    turn = Turn(text="abcdefgh" * 500, chunk=1, pace_seconds=0.01)
    async with running("openai-chat", Dialect(tool_names="capitalised"), turn) as (client, server):
        request = replace(asked("openai-chat"), tools=TOOLS)
        heard: list[StreamEvent] = []
        keep = heard.append
        with anyio.CancelScope() as scope:
            async with client.stream(request) as events:
                async for event in events:
                    keep(event)
                    if len(heard) == 5:
                        scope.cancel()
        assert scope.cancelled_caught
        with anyio.fail_after(60):
            await server.all_closed()
