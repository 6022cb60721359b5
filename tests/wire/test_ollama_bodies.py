"""Whole request bodies as Ollama wants them, and how much context they ask for."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from ouroboros.core.parts import Media, Message, Origin, Reasoning, Text, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every
from tests.wire.test_request_bodies import CONVERSATION, ORIGIN, PICTURE, SCHEMA

OTHER = Origin(provider="other", protocol="wire", model="model")


def built(request: Request, dialect: Dialect | None = None) -> dict[str, Any]:
    body = by_name("ollama-chat").build_body(request, dialect or Dialect(), ORIGIN)
    assert list(json.loads(body))[-1] == "messages"
    return json.loads(body)


def told(text: str) -> Message:
    return Message(id="1", role="user", parts=(Text(text=text),))


def context(*messages: Message, **fields: Any) -> int:
    return built(Request(model="m", messages=messages, **fields))["options"]["num_ctx"]


@pytest.mark.proves("providers-protocols", "H05")
def test_a_conversation() -> None:
    assert built(CONVERSATION) == {
        "model": "model",
        "stream": True,
        "truncate": False,
        "shift": False,
        "think": True,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Reads.",
                    "parameters": json.loads(SCHEMA),
                },
            }
        ],
        "options": {"num_ctx": 32_768},
        "messages": [
            {"role": "system", "content": "You are terse.\n\nThe folder is /tmp."},
            {"role": "user", "content": "What is this?", "images": ["QUJD"]},
            {
                "role": "assistant",
                "content": "Looking.",
                "thinking": "I should look.",
                "tool_calls": [
                    {"function": {"name": "read", "arguments": {"z": "b", "a": 1}}},
                    {"function": {"name": "shot", "arguments": {}}},
                ],
            },
            {"role": "tool", "tool_name": "read", "content": "no such file"},
            {"role": "tool", "tool_name": "shot", "content": "[image/png attached below]"},
            {"role": "user", "content": "Hurry.", "images": ["QUJD"]},
        ],
    }


def test_the_path() -> None:
    assert by_name("ollama-chat").path(Request(model="m")) == "/api/chat"


def test_thoughts_go_back_beside_calls_and_to_nobody_else() -> None:
    parts = (Reasoning(text="Hm."), ToolCall(id="c", name="f", meta={"id": "srv"}))
    result = Message(id="r", role="user", parts=(ToolResult(call_id="c", name="f"),))
    for origin, extra, ids in ((ORIGIN, {"thinking": "Hm."}, True), (OTHER, {}, False)):
        said = Message(id="a", role="assistant", parts=parts, origin=origin)
        call: dict[str, Any] = {"function": {"name": "f", "arguments": {}}}
        answer = {"role": "tool", "tool_name": "f", "content": ""}
        assert built(Request(model="m", messages=(said, result)))["messages"] == [
            {
                "role": "assistant",
                "content": "",
                **extra,
                "tool_calls": [{**call, "id": "srv"} if ids else call],
            },
            {**answer, "tool_call_id": "srv"} if ids else answer,
        ]
    alone = Message(id="a", role="assistant", parts=(Reasoning(text="Hm."),), origin=ORIGIN)
    assert built(Request(model="m", messages=(alone,)))["messages"] == []


def test_what_it_cannot_see_is_named() -> None:
    parts = (
        Media(media_type="image/png", url="https://example.org/a.png"),
        Media(media_type="application/pdf", data="QUJD", name="a.pdf"),
    )
    (message,) = built(Request(model="m", messages=(Message(id="1", role="user", parts=parts),)))[
        "messages"
    ]
    assert set(message) == {"role", "content"}
    assert "a.pdf" in message["content"]
    assert "image/png" in message["content"]


def test_limits_tools_and_habits() -> None:
    request = replace(CONVERSATION, max_output_tokens=900, temperature=0.5, tool_choice="none")
    body = built(request, Dialect(body={"keep_alive": "1h", "options": {"num_ctx": 5}}))
    assert "tools" not in body
    assert body["keep_alive"] == "1h"
    assert body["options"] == {"num_ctx": 5, "num_predict": 900, "temperature": 0.5}


@every(
    ("model", "effort", "think"),
    [
        ("qwen3", "none", False),
        ("qwen3", "low", True),
        ("gpt-oss:20b", "none", "low"),
        ("gpt-oss:20b", "medium", "medium"),
        ("gpt-oss:20b", "max", "high"),
    ],
)
def test_effort(model: str, effort: Any, think: object) -> None:
    assert built(Request(model=model, effort=effort))["think"] == think
    assert "think" not in built(Request(model=model, effort=effort), Dialect(effort_style="none"))
    assert "think" not in built(Request(model=model))


@pytest.mark.proves("providers-protocols")
def test_the_context_grows_before_anything_would_be_cut() -> None:
    asked = [context(told("x" * size)) for size in (10, 60_000, 90_000, 300_000, 900_000)]
    assert asked == [32_768, 32_768, 65_536, 131_072, 524_288]
    # A token is rarely less than three bytes, and the answer needs room too.
    for size, tokens in zip((60_000, 90_000, 300_000, 900_000), asked[1:], strict=True):
        assert tokens >= size // 3 + 8_192


@pytest.mark.proves("providers-protocols")
def test_the_context_stays_within_what_the_model_sees() -> None:
    long = told("x" * 900_000)
    assert context(long, window=40_960) == 40_960
    assert context(told("x"), window=8_192) == 8_192
    assert context(told("x"), window=262_144) == 32_768


@pytest.mark.proves("providers-protocols")
def test_the_answer_and_the_tools_need_room_too() -> None:
    assert context(told("x"), max_output_tokens=40_000) == 65_536
    wide = replace(CONVERSATION.tools[0], schema=json.dumps({"description": "x" * 90_000}))
    assert context(told("x"), tools=(wide,)) == 65_536
    assert context(told("x"), system=("x" * 90_000,)) == 65_536


@pytest.mark.proves("providers-protocols")
def test_an_image_counts_as_an_image_and_not_as_text() -> None:
    large = Media(media_type="image/png", data="A" * 400_000)
    shown = Message(id="1", role="user", parts=(Text(text="Look."), large))
    assert context(shown) == 32_768
    result = ToolResult(call_id="c", name="shot", parts=(large,) * 2)
    called = Message(id="2", role="assistant", parts=(ToolCall(id="c", name="shot"),))
    assert context(shown, called, Message(id="3", role="user", parts=(result,))) == 32_768
    many = Message(id="1", role="user", parts=(PICTURE,) * 20)
    assert context(many) == 65_536
