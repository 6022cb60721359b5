"""Whole request bodies, one conversation in each wire format."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from ouroboros.core.parts import (
    Media,
    Message,
    Origin,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import NAMES, by_name
from ouroboros.llm.request import Request
from tests.cases import every

ORIGIN = Origin(provider="vendor", protocol="wire", model="model")
SCHEMA = '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}'
MODELS = {"bedrock-invoke-stream": "anthropic.claude-sonnet"}
"""Names of models that a wire format tells apart."""

PICTURE = Media(media_type="image/png", data="QUJD")

CONVERSATION = Request(
    model="model",
    system=("You are terse.", "The folder is /tmp."),
    messages=(
        Message(id="1", role="user", parts=(Text(text="What is this?"), PICTURE)),
        Message(
            id="2",
            role="assistant",
            origin=ORIGIN,
            parts=(
                Reasoning(text="I should look.", meta={"signature": "sig"}),
                Text(text="Looking."),
                ToolCall(id="call:1", name="read", arguments='{"z": "b",  "a": 1}'),
                ToolCall(id="call_2", name="shot", arguments="{}"),
            ),
        ),
        Message(
            id="3",
            role="user",
            parts=(ToolResult(call_id="call_2", name="shot", parts=(PICTURE,)),),
        ),
        Message(
            id="4",
            role="user",
            parts=(
                ToolResult(
                    call_id="call:1", name="read", parts=(Text(text="no such file"),), ok=False
                ),
                Text(text="Hurry."),
            ),
        ),
    ),
    tools=(ToolSpec(name="read", description="Reads.", schema=SCHEMA),),
    cache_key="ses_1",
    effort="high",
)


def built(protocol: str, dialect: Dialect, request: Request = CONVERSATION) -> dict[str, Any]:
    return json.loads(by_name(protocol).build_body(request, dialect, ORIGIN))


@pytest.mark.proves("H05")
def test_chat_body() -> None:
    call = {"name": "read", "arguments": '{"z": "b",  "a": 1}'}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    assert built("openai-chat", Dialect(system_role="developer", prompt_cache_key=True)) == {
        "model": "model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "high",
        "prompt_cache_key": "ses_1",
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
        "tool_choice": "auto",
        "messages": [
            {"role": "developer", "content": "You are terse.\n\nThe folder is /tmp."},
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [
                    {"id": "call:1", "type": "function", "function": call},
                    {
                        "id": "call_2",
                        "type": "function",
                        "function": {"name": "shot", "arguments": "{}"},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "call:1", "content": "no such file"},
            {"role": "tool", "tool_call_id": "call_2", "content": "[image/png attached below]"},
            {"role": "user", "content": [picture, {"type": "text", "text": "Hurry."}]},
        ],
    }


@pytest.mark.proves("H05")
def test_responses_body() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,QUJD"}
    assert built("openai-responses", Dialect()) == {
        "model": "model",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
        "prompt_cache_key": "ses_1",
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads.",
                "parameters": json.loads(SCHEMA),
                "strict": False,
            }
        ],
        "tool_choice": "auto",
        "instructions": "You are terse.\n\nThe folder is /tmp.",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "What is this?"}, picture],
            },
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Looking.", "annotations": []}],
            },
            {
                "type": "function_call",
                "call_id": "call:1",
                "name": "read",
                "arguments": '{"z": "b",  "a": 1}',
            },
            {"type": "function_call", "call_id": "call_2", "name": "shot", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call:1", "output": "no such file"},
            {"type": "function_call_output", "call_id": "call_2", "output": [picture]},
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Hurry."}],
            },
        ],
    }


@pytest.mark.proves("H05")
def test_messages_body() -> None:
    mark = {"type": "ephemeral"}
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    picture = {"type": "image", "source": source}
    body = built("anthropic-messages", Dialect(effort_style="budget"))
    mapped = body["messages"][1]["content"][2]["id"]
    assert mapped.startswith("call_1_")
    assert body == {
        "model": "model",
        "max_tokens": 16_384,
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 12_288},
        "tool_choice": {"type": "auto"},
        "tools": [
            {
                "name": "read",
                "description": "Reads.",
                "input_schema": json.loads(SCHEMA),
                "cache_control": mark,
            }
        ],
        "system": [
            {"type": "text", "text": "You are terse."},
            {"type": "text", "text": "The folder is /tmp.", "cache_control": mark},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "I should look.", "signature": "sig"},
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": mapped, "name": "read", "input": {"z": "b", "a": 1}},
                    {"type": "tool_use", "id": "call_2", "name": "shot", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": mapped,
                        "content": "no such file",
                        "is_error": True,
                    },
                    {"type": "tool_result", "tool_use_id": "call_2", "content": [picture]},
                    {"type": "text", "text": "Hurry.", "cache_control": mark},
                ],
            },
        ],
    }


@every("protocol", NAMES)
def test_arguments_keep_their_bytes_and_schemas_their_order(protocol: str) -> None:
    request = replace(CONVERSATION, model=MODELS.get(protocol, "model"))
    body = by_name(protocol).build_body(request, Dialect(), ORIGIN)
    assert SCHEMA.encode() in body
    escaped = rb"{\"z\": \"b\",  \"a\": 1}"
    assert (b':{"z": "b",  "a": 1}' in body) or escaped in body


@every(
    ("protocol", "field", "words"),
    [
        ("openai-chat", "tool_choice", {"required": "any", "none": "none", "auto": "auto"}),
        ("openai-responses", "tool_choice", {"required": "any", "none": "none"}),
        (
            "anthropic-messages",
            "tool_choice",
            {"required": {"type": "any"}, "none": {"type": "none"}, "auto": {"type": "auto"}},
        ),
    ],
)
def test_tool_choice_in_the_vendors_words(
    protocol: str, field: str, words: dict[Any, object]
) -> None:
    for choice, word in words.items():
        request = Request(model="m", tools=CONVERSATION.tools, tool_choice=choice)
        dialect = Dialect(tool_choice_required_word="any", effort_style="none")
        assert built(protocol, dialect, request)[field] == word


@pytest.mark.proves("H26")
def test_effort_in_the_vendors_words() -> None:
    request = Request(model="m", effort="low", max_output_tokens=5_000, temperature=0.5)
    chat = {
        style: built("openai-chat", Dialect(effort_style=style), request)
        for style in ("field", "object", "thinking", "graded", "high", "none")
    }
    assert chat["field"]["reasoning_effort"] == "low"
    assert chat["graded"]["reasoning_effort"] == "low"
    assert chat["graded"]["thinking"] == {"type": "enabled"}
    assert chat["high"]["reasoning_effort"] == "high"
    assert chat["object"]["reasoning"] == {"effort": "low"}
    assert chat["thinking"]["thinking"] == {"type": "enabled"}
    assert set(chat["none"]) == {
        "model",
        "stream",
        "stream_options",
        "max_completion_tokens",
        "temperature",
        "messages",
    }
    adaptive = built("anthropic-messages", Dialect(effort_style="adaptive"), request)
    assert adaptive["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert adaptive["output_config"] == {"effort": "low"}
    assert "temperature" not in adaptive
    budget = built("anthropic-messages", Dialect(effort_style="budget"), request)
    assert budget["thinking"] == {"type": "enabled", "budget_tokens": 3_750}
    plain = built("anthropic-messages", Dialect(effort_style="none"), request)
    assert plain["temperature"] == 0.5


@pytest.mark.proves("providers-history")
def test_ids_are_mapped_the_same_way_in_call_and_result() -> None:
    body = built("openai-chat", Dialect(tool_id_rule="nine"))
    calls = [call["id"] for item in body["messages"] for call in item.get("tool_calls", ())]
    results = [item["tool_call_id"] for item in body["messages"] if item["role"] == "tool"]
    assert calls == results
    assert all(len(one) == 9 and one.isalnum() for one in calls)
    assert len(set(calls)) == 2


@every("protocol", NAMES)
def test_what_no_vendor_takes_is_left_out_or_wrapped(protocol: str) -> None:
    request = Request(
        model=MODELS.get(protocol, "m"),
        messages=(
            Message(id="1", role="user", parts=(Text(text="half \ud83d of a pair"),)),
            Message(id="2", role="assistant", parts=(Text(text=""), Reasoning(text="hm"))),
            Message(
                id="3",
                role="assistant",
                parts=(ToolCall(id="c", name="t", arguments='{"cut": "of'),),
            ),
            Message(id="4", role="user", parts=(ToolResult(call_id="c", name="t"),)),
        ),
    )
    body = built(protocol, Dialect(), request)
    items = body.get("messages") or body.get("contents") or body["input"]
    assert "half  of a pair" in json.dumps(items[0])
    assert len(items) == 3
    assert "unparsed" in json.dumps(items[1])


def test_documents_and_sounds() -> None:
    parts = (
        Media(media_type="application/pdf", data="QUJD", name="a.pdf"),
        Media(media_type="text/plain", data="QUJD", name="a.txt"),
        Media(media_type="audio/mpeg", data="QUJD"),
        Media(media_type="image/png", url="https://example.org/a.png"),
    )
    request = Request(model="m", messages=(Message(id="1", role="user", parts=parts),))
    chat = built("openai-chat", Dialect(), request)["messages"][0]["content"]
    assert [one["type"] for one in chat] == ["file", "file", "input_audio", "image_url"]
    assert chat[2]["input_audio"] == {"data": "QUJD", "format": "mp3"}
    responses = built("openai-responses", Dialect(), request)["input"][0]["content"]
    assert [one["type"] for one in responses] == [
        "input_file",
        "input_file",
        "input_text",
        "input_image",
    ]
    messages = built("anthropic-messages", Dialect(), request)["messages"][0]["content"]
    assert [one["type"] for one in messages] == ["document", "document", "text", "image"]
    assert messages[1]["source"] == {"type": "text", "media_type": "text/plain", "data": "ABC"}
    assert messages[3]["source"] == {"type": "url", "url": "https://example.org/a.png"}


def test_a_custom_call_is_answered_in_kind() -> None:
    call = ToolCall(
        id="c", name="sql", arguments='{"input":"SELECT 1"}', meta={"custom": True, "id": "ctc_1"}
    )
    request = Request(
        model="m",
        messages=(
            Message(id="1", role="assistant", parts=(call,), origin=ORIGIN),
            Message(
                id="2",
                role="user",
                parts=(ToolResult(call_id="c", name="sql", parts=(Text(text="1"),)),),
            ),
        ),
    )
    assert built("openai-responses", Dialect(), request)["input"] == [
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "c",
            "name": "sql",
            "input": "SELECT 1",
        },
        {"type": "custom_tool_call_output", "call_id": "c", "output": "1"},
    ]


def test_thoughts_the_vendor_did_not_keep_take_the_ids_with_them() -> None:
    item = '{"id":"rs_1","type":"reasoning","summary":[]}'
    parts = (
        Reasoning(meta={"item": item}),
        Text(text="Yes.", meta={"id": "msg_1", "phase": "final_answer"}),
    )
    request = Request(
        model="m", messages=(Message(id="1", role="assistant", parts=parts, origin=ORIGIN),)
    )
    content: list[object] = [{"type": "output_text", "text": "Yes.", "annotations": []}]
    assert built("openai-responses", Dialect(), request)["input"] == [
        {"type": "message", "role": "assistant", "content": content}
    ]
    assert built("openai-responses", Dialect(stateless=False), request)["input"] == [
        json.loads(item),
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "phase": "final_answer",
            "status": "completed",
            "content": content,
        },
    ]


def test_mistral_gets_its_thoughts_within_the_content() -> None:
    parts = (Reasoning(text="Hm."), Text(text="Yes."))
    request = Request(
        model="m", messages=(Message(id="1", role="assistant", parts=parts, origin=ORIGIN),)
    )
    body = built("openai-chat", Dialect(reasoning_send_back="content"), request)
    assert body["messages"] == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": "Yes."},
            ],
        }
    ]


def test_a_prefill_loses_its_trailing_space() -> None:
    request = Request(
        model="m",
        messages=(
            Message(id="1", role="user", parts=(Text(text="Hi"),)),
            Message(id="2", role="assistant", parts=(Text(text="Well, \n"),)),
        ),
    )
    last = built("anthropic-messages", Dialect(), request)["messages"][-1]
    assert last == {"role": "assistant", "content": [{"type": "text", "text": "Well,"}]}


@pytest.mark.proves("H10")
def test_paths() -> None:
    request = Request(model="m")
    paths = {
        name: by_name(name).path(request)
        for name in ("openai-chat", "openai-responses", "anthropic-messages")
    }
    assert paths == {
        "openai-chat": "/chat/completions",
        "openai-responses": "/responses",
        "anthropic-messages": "/v1/messages",
    }
