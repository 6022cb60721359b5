"""A bare server on loopback that keeps what it is asked and answers with bytes prepared by hand."""

import base64
import json
import struct
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import anyio
from anyio.abc import SocketAttribute, SocketStream


class Asked(NamedTuple):
    """One request as it came over the wire."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


class Answer(NamedTuple):
    """What is answered to every request."""

    kind: str
    body: bytes
    status: int = 200


class BareServer:
    """Answers each path with what was prepared for its ending, else with 404."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.url = ""

    async def handle(self, stream: SocketStream) -> None:
        async with stream:
            buffer = bytearray()
            while b"\r\n\r\n" not in buffer:
                buffer += await stream.receive()
            head, _, rest = bytes(buffer).partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, path, _ = lines[0].split(" ")
            pairs = (line.partition(":") for line in lines[1:])
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            body = bytearray(rest)
            while len(body) < int(headers.get("content-length", "0")):
                body += await stream.receive()
            asked = Asked(method, path, headers, bytes(body))
            self.asked.append(asked)
            await stream.send(self._bytes(self.reply(asked)))

    def reply(self, asked: Asked) -> Answer:
        bare = asked.path.partition("?")[0]
        found = next((a for end, a in self.answers.items() if bare.endswith(end)), None)
        return found or Answer("application/json", b'{"error": {"message": "no"}}', 404)

    def _bytes(self, found: Answer) -> bytes:
        head = f"HTTP/1.1 {found.status} X\r\ncontent-type: {found.kind}\r\n"
        head += f"content-length: {len(found.body)}\r\nconnection: close\r\n\r\n"
        return head.encode() + found.body


@asynccontextmanager
async def bare(
    answers: Mapping[str, Answer], kind: type[BareServer] = BareServer
) -> AsyncGenerator[BareServer]:
    server = kind(answers)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        server.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, server.handle)
            yield server
            tasks.cancel_scope.cancel()


def events(*values: Mapping[str, object], named: bool = False, done: bool = False) -> Answer:
    """Server-sent events."""
    text = ""
    for value in values:
        text += (f"event: {value['type']}\n" if named else "") + f"data: {json.dumps(value)}\n\n"
    return Answer("text/event-stream", (text + ("data: [DONE]\n\n" if done else "")).encode())


def aws_frame(event: str, payload: bytes) -> bytes:
    """One message of AWS's event stream, sums and all."""
    headers = b""
    named = {":event-type": event, ":content-type": "application/json", ":message-type": "event"}
    for name, value in named.items():
        headers += struct.pack("!B", len(name)) + name.encode() + b"\x07"
        headers += struct.pack("!H", len(value)) + value.encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack("!I", zlib.crc32(message))


def aws_chunk(value: object) -> bytes:
    """A vendor's own event inside InvokeModel's stream."""
    inner = base64.b64encode(json.dumps(value).encode()).decode()
    return aws_frame("chunk", json.dumps({"bytes": inner}).encode())


CHAT = events(
    {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hello"}}]},
    {
        "id": "c",
        "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
    },
    done=True,
)
RESPONSES = events(
    {"type": "response.created", "response": {"id": "r"}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "message", "id": "i", "role": "assistant", "content": ()},
    },
    {
        "type": "response.output_text.delta",
        "output_index": 0,
        "content_index": 0,
        "item_id": "i",
        "delta": "Hello",
    },
    {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": {
            "type": "message",
            "id": "i",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hello", "annotations": ()}],
        },
    },
    {
        "type": "response.completed",
        "response": {
            "id": "r",
            "status": "completed",
            "usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9},
        },
    },
    named=True,
)
_MESSAGES: list[dict[str, object]] = [
    {"type": "message_start", "message": {"id": "a", "usage": {"input_tokens": 7}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Hello"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 2},
    },
    {"type": "message_stop"},
]
MESSAGES = events(*_MESSAGES, named=True)
GEMINI = events({
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {
        "promptTokenCount": 7,
        "candidatesTokenCount": 2,
        "totalTokenCount": 9,
    },
})
OLLAMA = Answer(
    "application/x-ndjson",
    b'{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}\n'
    b'{"model":"m","message":{"role":"assistant","content":""},"done":true,'
    b'"done_reason":"stop","prompt_eval_count":7,"eval_count":2}\n',
)
CONVERSE = Answer(
    "application/vnd.amazon.eventstream",
    aws_frame("messageStart", b'{"role":"assistant"}')
    + aws_frame("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"Hello"}}')
    + aws_frame("contentBlockStop", b'{"contentBlockIndex":0}')
    + aws_frame("messageStop", b'{"stopReason":"end_turn"}')
    + aws_frame("metadata", b'{"usage":{"inputTokens":7,"outputTokens":2,"totalTokens":9}}'),
)
INVOKE = Answer("application/vnd.amazon.eventstream", b"".join(aws_chunk(one) for one in _MESSAGES))
REPLIES = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/messages": MESSAGES,
    ":streamGenerateContent": GEMINI,
    "/api/chat": OLLAMA,
    "/converse-stream": CONVERSE,
    "/invoke-with-response-stream": INVOKE,
}
"""The same reply, ``Hello`` with 7 tokens in and 2 out, in every wire format."""
