"""``ouro debug stream`` says what our decoders make of a file, one JSON line each."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ouroboros.app.offline.stream import debug_stream
from ouroboros.testing.replies.event_stream import GARBAGE, event
from tests.cases import every
from tests.wire.recordings import FILES


def run(*paths: Path) -> tuple[int, list[dict[str, object]]]:
    lines: list[str] = []
    code = debug_stream(paths, lines.append)
    return code, [json.loads(line) for line in lines]


@pytest.mark.proves("spine-llm")
def test_each_file_is_one_line() -> None:
    paths = FILES[:3]
    code, lines = run(*paths)
    assert code == 0
    assert [line["id"] for line in lines] == [path.stem for path in paths]
    assert all(list(line) == ["id", "facts"] for line in lines)


@pytest.mark.proves("spine-llm")
def test_a_whole_line(tmp_path: Path) -> None:
    body = (
        'data: {"id":"r","choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
        'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n'
        "data: [DONE]\n\n"
    )
    record = {"id": "one", "protocol": "openai-chat", "encoding": "sse", "response_body": body}
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record))
    raw = {"prompt_tokens": 3, "completion_tokens": 1}
    assert run(path) == (
        0,
        [
            {
                "id": "one",
                "facts": {
                    "text": "Hi",
                    "reasoning": "",
                    "tool_calls": [],
                    "raw_stop_reason": "stop",
                    "raw_usage": raw,
                    "error": None,
                    "stop_reason": "end",
                    "failure": None,
                    "usage": {"input_uncached": 3, "cache_write": 0, "output_text": 1, "raw": raw},
                },
            }
        ],
    )


def test_what_is_no_exchange_is_said_to_be_what_it_is(tmp_path: Path) -> None:
    tape, other = tmp_path / "tape.json", tmp_path / "other.json"
    tape.write_text('{"version": 1, "exchanges": []}')
    other.write_text("{}")
    code, lines = run(tape, other)
    assert code == 1
    assert "`ouro run --replay FILE TASK` plays it" in str(lines[0]["error"])
    assert lines[1]["error"] == "The file names no protocol."


def of(tmp_path: Path, **record: object) -> dict[str, Any]:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"id": "one", **record}))
    code, (line,) = run(path)
    assert code == 0
    facts: Any = line["facts"]
    return facts


@pytest.mark.proves("providers-protocols")
def test_every_way_to_write_a_stream_down(tmp_path: Path) -> None:
    events = [
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {"inputTokens": 1}}},
    ]
    messages = [event(kind, json.dumps(one[kind]).encode()) for one in events for kind in one]
    said = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    line = {"message": {"content": "Hi"}, "done": True, "done_reason": "stop"}
    for protocol, encoding, body, reason in (
        ("bedrock-converse", "base64-eventstream", packed(b"".join(messages)), "end_turn"),
        ("gemini", "json", [said], "STOP"),
        ("gemini", "sse", f"data: {json.dumps(said)}\r\n\r\n", "STOP"),
        ("ollama-chat", "ndjson", json.dumps(line) + "\n", "stop"),
        ("ollama-chat", "json", line, "stop"),
    ):
        facts = of(tmp_path, protocol=protocol, encoding=encoding, response_body=body)
        assert (facts["text"], facts["raw_stop_reason"], facts["stop_reason"]) == ((
            "Hi",
            reason,
            "end",
        ))


@pytest.mark.proves("providers-protocols")
def test_a_damaged_recording_says_so(tmp_path: Path) -> None:
    facts = of(
        tmp_path,
        protocol="bedrock-converse",
        encoding="base64-eventstream",
        response_body=packed(GARBAGE),
    )
    assert facts["failure"] == "transport"
    assert facts["error"] == {"reason": "ChecksumMismatch"}


def packed(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.mark.proves("spine-llm")
@every(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"not json", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe", "not a JSON object"),
        (b'{"protocol":"grpc","encoding":"sse","response_body":""}', "no wire protocol 'grpc'"),
        (b'{"protocol":"openai-chat","encoding":"base64-eventstream"}', "base64-eventstream"),
        (b'{"protocol":"openai-chat","encoding":"sse","response_body":7}', "sse"),
        (b'{"protocol":"openai-chat","encoding":"json"}', "json"),
        (
            b'{"protocol":"bedrock-converse","encoding":"base64-eventstream","response_body":"?"}',
            "not base64",
        ),
        (b'{"protocol":"bedrock-converse","encoding":"carrier pigeon"}', "carrier pigeon"),
    ],
)
def test_an_unusable_file_is_named_and_the_rest_goes_on(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "odd.json"
    if content is not None:
        path.write_bytes(content)
    code, lines = run(path, FILES[0])
    assert code == 1
    assert lines[0]["id"] == "odd.json"
    assert words in str(lines[0]["error"])
    assert list(lines[0]) == ["id", "error"]
    assert lines[1]["id"] == FILES[0].stem


def test_a_folder_is_no_exchange(tmp_path: Path) -> None:
    code, lines = run(tmp_path)
    assert code == 1
    assert "cannot be read" in str(lines[0]["error"])
