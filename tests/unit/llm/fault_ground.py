"""Every wire format against a server on loopback: what the tests of faults stand on."""

import socket
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import pytest

from ouroboros.core.errors import ModelFailed
from ouroboros.core.parts import Message, Origin, Text, ToolCall, ToolSpec
from ouroboros.llm.auth import KeyHeader
from ouroboros.llm.auth.credential import Credential
from ouroboros.llm.client import Client
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.http_route import Endpoint, HttpRoute
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import Finished, Retrying, StreamEvent
from ouroboros.llm.transport import Transport
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.raw import Answer, RawServer, raw_serving
from ouroboros.testing.server import ScriptedServer, serving
from tests.passing import LoopClock

KEY = "sk-very-secret-0123456789"

FORMATS = {
    "openai-chat": ("openai-chat", "m"),
    "openai-responses": ("openai-responses", "m"),
    "anthropic-messages": ("anthropic-messages", "m"),
    "gemini": ("gemini", "gemini-x"),
    "gemini-array": ("gemini", "gemini-x"),
    "bedrock-converse": ("bedrock-converse", "amazon.nova-x"),
    "invoke-claude": ("bedrock-invoke-stream", "anthropic.claude-x"),
    "invoke-nova": ("bedrock-invoke-stream", "amazon.nova-x"),
    "ollama-chat": ("ollama-chat", "m"),
}
"""What a test calls a format, its name, and a model that is spoken to in it.

A server that does not know ``alt=sse`` streams Gemini's replies as an array.
"""

FEW = [
    pytest.param(name, marks=() if name in {"gemini", "bedrock-converse"} else pytest.mark.deep)
    for name in FORMATS
]
"""For faults below the formats: a text format and a binary one, and all of them in the deep run."""

SOME = ("openai-chat", "bedrock-converse")
"""For what the client does whatever the format is."""

CALL = ScriptedCall(name="read", arguments={"path": "a"})
TOOLS = (ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{}}'),)


class Setup[Server](NamedTuple):
    client: Client
    server: Server
    clock: ManualClock


def asked(format: str, *, stream: bool = True) -> Request:
    hello = Message(id="u", role="user", parts=(Text(text="hello there"),))
    return Request(model=FORMATS[format][1], messages=(hello,), tools=TOOLS, stream=stream)


def client_for(
    format: str,
    url: str,
    clock: ManualClock,
    *,
    idle_timeout: float = 5.0,
    transport: Transport | None = None,
) -> Client:
    name, model = FORMATS[format]
    endpoint = Endpoint(
        origin=Origin(provider="vendor", protocol=name, model=model),
        base_url=url,
        dialect=Dialect(),
        url=lambda path: url + (path.partition("?")[0] if format == "gemini-array" else path),
        auth=KeyHeader("bearer", Credential(KEY, "a test")),
        idle_timeout=idle_timeout,
        explain=lambda failure: f"hint: {failure.kind}",
    )
    route = HttpRoute(endpoint, by_name(name), transport or Http1(), clock=clock)
    return Client(route, policy=Policy(), sleep=clock.sleep, random=lambda: 0.5)


@contextmanager
def nobody() -> Generator[str]:
    """An address where no server answers, and that no other test is given meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@asynccontextmanager
async def running(
    turns: Sequence[Turn], format: str, *, idle_timeout: float = 5.0, repeat: bool = False
) -> AsyncGenerator[Setup[ScriptedServer]]:
    """A client and a server that plays turns."""
    clock = ManualClock()
    async with serving(turns, repeat=repeat) as server:
        client = client_for(format, server.url, clock, idle_timeout=idle_timeout)
        try:
            yield Setup(client, server, clock)
        finally:
            await client.close()


@asynccontextmanager
async def facing(
    answers: Sequence[Answer], turn: Turn, format: str, *, idle_timeout: float = 5.0
) -> AsyncGenerator[Setup[RawServer]]:
    """A client and a server whose answers are made of bytes; it notes the time of the event loop."""
    clock = ManualClock()
    async with raw_serving(answers, turn, clock=LoopClock()) as server:
        client = client_for(format, server.url, clock, idle_timeout=idle_timeout)
        try:
            yield Setup(client, server, clock)
        finally:
            await client.close()


async def listen(client: Client, request: Request) -> tuple[list[StreamEvent], ModelFailed | None]:
    events: list[StreamEvent] = []
    keep = events.append
    try:
        async with client.stream(request) as stream:
            async for event in stream:
                keep(event)
    except ModelFailed as error:
        return events, error
    return events, None


def said(events: Sequence[StreamEvent]) -> str:
    last = events[-1]
    assert isinstance(last, Finished)
    return "".join(part.text for part in last.parts if isinstance(part, Text))


def calls(events: Sequence[StreamEvent]) -> list[tuple[str, str]]:
    last = events[-1]
    assert isinstance(last, Finished)
    return [(part.name, part.arguments) for part in last.parts if isinstance(part, ToolCall)]


def waits(events: Sequence[StreamEvent]) -> list[tuple[int, int, float]]:
    retries = [event for event in events if isinstance(event, Retrying)]
    return [(one.attempt, one.maximum, round(one.delay_seconds, 3)) for one in retries]
