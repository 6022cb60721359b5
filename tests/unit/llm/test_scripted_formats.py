"""What the test server says in the formats of Google, AWS and Ollama, read with other readers than ours."""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
import msgspec
import pytest
from botocore import eventstream

from ouroboros.llm.turns import Fault, FaultKind, ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.server import serving
from tests.cases import every

pytestmark = pytest.mark.real

TURN = Turn(
    reasoning="hm",
    text="Hello",
    chunk=3,
    tool_calls=(ScriptedCall(name="read", arguments={"path": "a"}),),
    usage=ScriptedUsage(input_uncached=11, cache_read=7, output_text=5, reasoning=2),
)
GEMINI = "/v1beta/models/gemini-x:streamGenerateContent"
CLAUDE = "/model/us.anthropic.claude-x%3A0/invoke-with-response-stream"


@asynccontextmanager
async def asking(turn: Turn, path: str) -> AsyncGenerator[httpx2.Response]:
    async with serving([turn]) as server, httpx2.AsyncClient(timeout=60) as client:
        yield await client.post(server.url + path, json={})


class Seen(NamedTuple):
    headers: dict[str, str]
    payload: bytes


def messages(content: bytes) -> list[Seen]:
    buffer: Any = eventstream.EventStreamBuffer()
    buffer.add_data(content)
    return [Seen(one.headers, one.payload) for one in buffer]


@pytest.mark.proves("providers-faults")
async def test_a_converse_stream_is_read_by_botocore() -> None:
    async with asking(TURN, "/model/amazon.nova-x/converse-stream") as answer:
        found = messages(answer.content)
    kinds = [one.headers[":event-type"] for one in found]
    assert kinds[0] == "messageStart"
    assert kinds[-2:] == ["messageStop", "metadata"]
    assert kinds.count("contentBlockStart") == 1
    bodies = [msgspec.json.decode(one.payload) for one in found]
    deltas = [body["delta"] for body in bodies if "delta" in body]
    assert "".join(delta.get("text", "") for delta in deltas) == "Hello"
    assert "".join(delta.get("toolUse", {}).get("input", "") for delta in deltas) == '{"path":"a"}'
    assert bodies[-1]["usage"]["totalTokens"] == 25


async def test_the_chunks_of_an_invocation_hold_the_events_of_the_vendor() -> None:
    async with asking(TURN, CLAUDE) as answer:
        chunks = [msgspec.json.decode(one.payload) for one in messages(answer.content)]
    inner = [msgspec.json.decode(base64.b64decode(chunk["bytes"])) for chunk in chunks]
    assert [inner[0]["type"], inner[-1]["type"]] == ["message_start", "message_stop"]
    assert inner[-1]["amazon-bedrock-invocationMetrics"]["inputTokenCount"] == 11
    assert inner[0]["message"]["model"] == "us.anthropic.claude-x:0"


@pytest.mark.deep
@every("path", ["/model/m/converse-stream", CLAUDE])
async def test_an_exception_of_aws_says_its_kind(path: str) -> None:
    fault = Fault(kind="rate_limit", in_stream=True)
    async with asking(Turn(fault=fault), path) as answer:
        *_, last = messages(answer.content)
    assert last.headers[":message-type"] == "exception"
    assert last.headers[":exception-type"] == "throttlingException"
    async with asking(Turn(fault=Fault(kind="rate_limit")), path) as answer:
        assert answer.status_code == 429
        assert answer.headers["x-amzn-errortype"].startswith("ThrottlingException:http")


@pytest.mark.proves("providers-faults")
async def test_garbage_in_an_event_stream_is_a_wrong_checksum() -> None:
    fault = Fault(kind="garbage", after=2)
    async with asking(Turn(text="Hello", chunk=1, fault=fault), "/model/m/converse-stream") as all:
        with pytest.raises(eventstream.ChecksumMismatch):
            messages(all.content)


@pytest.mark.proves("providers-faults")
@every("alt", ["?alt=sse", ""])
async def test_gemini_streams_events_or_an_array(alt: str) -> None:
    async with asking(TURN, GEMINI + alt) as answer:
        if alt:
            found = [line[6:] for line in answer.text.split("\r\n\r\n") if line]
            chunks: list[Any] = [msgspec.json.decode(line) for line in found]
        else:
            chunks = msgspec.json.decode(answer.content)
    parts = [
        part
        for chunk in chunks
        for part in chunk["candidates"][0].get("content", {}).get("parts", [])
    ]
    assert [part["text"] for part in parts if "text" in part] == ["hm", "Hel", "lo"]
    called = [part for part in parts if "functionCall" in part]
    assert called[0]["functionCall"] == {"name": "read", "args": {"path": "a"}}
    assert "thoughtSignature" in called[0]
    counts = chunks[-1]["usageMetadata"]
    assert (counts["promptTokenCount"], counts["totalTokenCount"]) == (18, 25)
    reasons = [chunk["candidates"][0].get("finishReason") for chunk in chunks]
    assert reasons == [None] * (len(chunks) - 1) + ["STOP"]


@every("alt", ["?alt=sse", ""])
async def test_an_error_of_google_fits_the_way_of_streaming(alt: str) -> None:
    fault = Fault(kind="rate_limit", after=2, in_stream=True, retry_after_seconds=34)
    async with asking(Turn(text="Hello", chunk=1, fault=fault), GEMINI + alt) as answer:
        last = (
            msgspec.json.decode(answer.text.rstrip().rpartition("data: ")[2])
            if alt
            else msgspec.json.decode(answer.content)[-1]
        )
    assert last["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert last["error"]["details"][-1]["retryDelay"] == "34s"


async def test_gemini_does_not_pass_on_a_call_it_cannot_read() -> None:
    broken = Turn(tool_calls=(ScriptedCall(name="read", arguments='{"path"'),))
    async with asking(broken, GEMINI + "?alt=sse") as answer:
        assert "MALFORMED_FUNCTION_CALL" in answer.text
        assert "functionCall" not in answer.text


@pytest.mark.proves("providers-faults")
async def test_ollama_streams_lines_unless_told_not_to() -> None:
    async with asking(TURN, "/api/chat") as answer:
        lines = [msgspec.json.decode(line) for line in answer.content.splitlines()]
        assert answer.headers["content-type"] == "application/x-ndjson"
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert "".join(line["message"]["content"] for line in lines) == "Hello"
    assert (lines[-1]["prompt_eval_count"], lines[-1]["eval_count"]) == (18, 7)
    async with serving([TURN]) as server, httpx2.AsyncClient(timeout=60) as client:
        whole = (await client.post(f"{server.url}/api/chat", json={"stream": False})).json()
    assert whole["message"]["content"] == "Hello"
    assert whole["message"]["tool_calls"] == [
        {"function": {"name": "read", "arguments": {"path": "a"}}}
    ]


@pytest.mark.deep
@every(("kind", "status"), [("auth", 400), ("quota", 429), ("overloaded", 503), ("server", 500)])
async def test_google_has_its_own_statuses(kind: FaultKind, status: int) -> None:
    async with asking(Turn(fault=Fault(kind=kind)), GEMINI + "?alt=sse") as answer:
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, status)
