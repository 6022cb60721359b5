"""A client and a server on loopback in all three wire formats, when nothing goes wrong."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest
from msgspec.structs import replace

import ouroboros
from ouroboros.core.clock import SystemClock
from ouroboros.core.parts import Message, Origin, Part, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.client import Client
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.http_route import Endpoint, HttpRoute
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import Choice, Entry, find
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.script import ScriptRoute
from ouroboros.llm.stream import BlockGrew, CallReady, Finished, StreamEvent
from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.turns import Player, ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every

pytestmark = pytest.mark.real

PROVIDERS = ("openai-chat", "openai", "anthropic")
TURN = Turn(
    reasoning="thinking",
    text="Hello",
    chunk=2,
    tool_calls=(ScriptedCall(name="read", arguments={"path": "a"}), ScriptedCall(name="list")),
    usage=ScriptedUsage(input_uncached=11, cache_read=7, output_text=5),
)
TOOLS = (
    ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{}}'),
    ToolSpec(name="list", description="Lists.", schema='{"type":"object","properties":{}}'),
)


def user(id: str, text: str) -> Message:
    return Message(id=id, role="user", parts=(Text(text=text),))


@asynccontextmanager
async def running(
    turns: Sequence[Turn], provider: str, **more: bool
) -> AsyncGenerator[tuple[Client, ScriptedServer]]:
    order = "history" if more.get("by_history") else "sequence"
    async with serving(turns, order=order, repeat=True) as server:
        client = await open_client(
            find(
                f"{provider}/m",
                environment={"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"},
                base_url=server.url,
            ),
            clock=SystemClock(),
            random=lambda: 0.5,
            connection=Connection(),
        )
        try:
            yield client, server
        finally:
            await client.close()


async def listen(client: Client, asked: Request) -> list[StreamEvent]:
    async with client.stream(asked) as events:
        return [event async for event in events]


def ending(events: Sequence[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    assert not any(isinstance(event, Finished) for event in events[:-1])
    return last


@pytest.mark.deep
@pytest.mark.proves("H18")
@every("provider", PROVIDERS)
@every("stream", [True, False])
@every("write_bytes", [0, 7])
async def test_a_reply_arrives_streamed_or_whole(
    provider: str, write_bytes: int, *, stream: bool
) -> None:
    async with running([replace(TURN, write_bytes=write_bytes)], provider) as (client, _):
        asked = Request(model="m", messages=(user("u", "hi"),), tools=TOOLS, stream=stream)
        events = await listen(client, asked)
    last = ending(events)
    calls = [part for part in last.parts if isinstance(part, ToolCall)]
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("call_1_1", "read", '{"path":"a"}'),
        ("call_1_2", "list", "{}"),
    ]
    assert [event.call for event in events if isinstance(event, CallReady)] == calls
    words: dict[str, str] = {}
    for event in events:
        if isinstance(event, BlockGrew) and event.kind != "call":
            words[event.kind] = words.get(event.kind, "") + event.text
    assert words == {"reasoning": "thinking", "text": "Hello"}
    assert last.stop_reason == "tool_calls"
    assert last.usage is not None
    assert (last.usage.input_total, last.usage.cache_read, last.usage.output_text) == (18, 7, 5)


@pytest.mark.deep
@pytest.mark.proves("H25")
@every("provider", PROVIDERS)
async def test_a_whole_run_of_fifty_requests_uses_one_connection(provider: str) -> None:
    """Each reply goes back into the history, so the server also sees who is to speak next."""
    call = Turn(tool_calls=(ScriptedCall(name="read"),))
    async with running([call] * 49 + [Turn(text="done")], provider, by_history=True) as run:
        client, server = run
        messages = [user("u", "go")]
        last = None
        for number in range(50):
            asked = Request(model="m", messages=tuple(messages), tools=TOOLS, cache_key="session")
            last = ending(await listen(client, asked))
            messages.append(
                Message(id=f"a{number}", role="assistant", parts=last.parts, origin=client.origin)
            )
            results = [
                ToolResult(call_id=part.id, name=part.name, parts=(Text(text="ok"),))
                for part in last.parts
                if isinstance(part, ToolCall)
            ]
            messages.append(Message(id=f"r{number}", role="user", parts=tuple(results)))
        assert last is not None
        assert [part.text for part in last.parts if isinstance(part, Text)] == ["done"]
        assert (server.connections, len(server.exchanges), len(server.gaps)) == (1, 50, 49)
        assert all(gap > 0 for gap in server.gaps)


@pytest.mark.proves("A30", "CF09")
@every("provider", PROVIDERS)
async def test_the_wire_shows_our_own_name_only(provider: str) -> None:
    async with running([TURN], provider) as (client, server):
        await listen(client, Request(model="m", messages=(user("u", "hi"),)))
        headers = dict(server.exchanges[0].headers)
    key = {"x-api-key": "sk-a"} if provider == "anthropic" else {"authorization": "Bearer sk-o"}
    version = {"anthropic-version": "2023-06-01"} if provider == "anthropic" else {}
    del headers["host"], headers["content-length"]
    assert headers == {
        "user-agent": f"ouroboros/{ouroboros.__version__}",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "content-type": "application/json",
        **key,
        **version,
    }


def unmarked(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part if isinstance(part, ToolResult) else replace(part, meta={}) for part in parts)


def bare(events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """The events without what only a vendor can know."""
    plain: list[StreamEvent] = []
    for event in events:
        match event:
            case Finished(parts=parts):
                plain.append(Finished(parts=unmarked(parts), stop_reason=event.stop_reason))
            case CallReady(call=call, parts=parts):
                plain.append(CallReady(call=replace(call, meta={}), parts=unmarked(parts)))
            case _:
                plain.append(event)
    return plain


@every("provider", PROVIDERS)
@every(
    "turn", [TURN, Turn(text="only words"), Turn(tool_calls=TURN.tool_calls), Turn(reasoning="hm")]
)
async def test_the_scripted_model_says_what_a_vendor_would(provider: str, turn: Turn) -> None:
    asked = Request(model="m", messages=(user("u", "hi"),), tools=TOOLS)
    script = Client(
        ScriptRoute(Player([turn]), ManualClock().sleep),
        policy=Policy(),
        sleep=ManualClock().sleep,
        random=lambda: 0.5,
    )
    async with running([turn], provider) as (client, _):
        assert bare(await listen(client, asked)) == bare(await listen(script, asked))


async def test_an_entry_of_ones_own_sends_what_its_wire_format_needs() -> None:
    async with serving([TURN]) as server:
        entry = Entry(
            name="mine", protocol="anthropic-messages", auth="x-api-key", headers={"x-mine": "1"}
        )
        choice = Choice(entry=entry, model="m", base_url=f"{server.url}/v1")
        client = await open_client(
            choice, clock=SystemClock(), random=lambda: 0.5, connection=Connection()
        )
        await listen(client, Request(model="m", messages=(user("u", "hi"),)))
        await client.close()
        headers = server.exchanges[0].headers
    assert (headers["anthropic-version"], headers["x-mine"]) == ("2023-06-01", "1")
    assert "x-api-key" not in headers


@every("provider", PROVIDERS)
async def test_effort_and_limits_reach_the_body(provider: str) -> None:
    async with running([TURN], provider) as (client, server):
        asked = Request(
            model="m", messages=(user("u", "hi"),), effort="high", max_output_tokens=30_000
        )
        await listen(client, asked)
        body = server.exchanges[0].json
    match provider:
        case "openai":
            assert body["max_output_tokens"] == 30_000
            assert "'effort': 'high'" in str(body["reasoning"])
        case "openai-chat":
            assert (body["reasoning_effort"], body["max_completion_tokens"]) == ("high", 30_000)
        case _:
            assert "adaptive" in str(body["thinking"])
            assert body["max_tokens"] == 30_000


class Recorded(NamedTuple):
    """A response that never was on a wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    async def chunks(self) -> AsyncGenerator[bytes]:
        for start in range(0, len(self.body), 16):
            yield self.body[start : start + 16]

    async def read(self, limit: int = 0) -> bytes:
        return self.body[:limit]


class Tape:
    """Another transport: plays one answer."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.sent: list[HttpRequest] = []

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[Recorded]:
        self.sent.append(request)
        yield Recorded(200, {"content-type": "application/x-lines"}, self.body)

    async def warm(self, url: str) -> None:
        """Is always warm."""

    async def close(self) -> None:
        """Is never open."""


class Lines:
    """Another framing: one JSON object per line."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, chunk: bytes) -> list[Frame]:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        return [Frame("", line.decode()) for line in lines]

    def end(self) -> list[Frame]:
        return [Frame("", self.rest.decode())] if self.rest else []


@pytest.mark.proves("H06")
async def test_wire_format_address_key_and_framing_are_each_replaceable() -> None:
    body = (
        b'{"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n'
        b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
    )
    tape = Tape(body)
    endpoint = Endpoint(
        origin=Origin(provider="mine", protocol="openai-chat", model="m"),
        base_url="http://mine",
        dialect=Dialect(),
        url=lambda path: f"http://mine/odd{path}?x=1",
        headers={"x-mine": "yes"},
    )
    route = HttpRoute(endpoint, by_name("openai-chat"), tape, clock=ManualClock(), framing=Lines)
    client = Client(route, policy=Policy(), sleep=ManualClock().sleep, random=lambda: 0.5)
    last = ending(await listen(client, Request(model="m", messages=(user("u", "hi"),))))
    assert (last.parts, last.stop_reason) == ((Text(text="Hi"),), "end")
    assert tape.sent[0].url == "http://mine/odd/chat/completions?x=1"
    assert tape.sent[0].headers["x-mine"] == "yes"
    assert "authorization" not in tape.sent[0].headers
