"""Requests for Bedrock: Converse for every model, and the makers' own formats."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from ouroboros.core.parts import (
    Foreign,
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every

CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "us.amazon.nova-lite-v1:0"
ORIGIN = Origin(provider="bedrock", protocol="wire", model=CLAUDE)
SCHEMA = '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}'
PICTURE = Media(media_type="image/png", data="QUJD")
TOOL = ToolSpec(name="read", description="Reads.", schema=SCHEMA)
POINT = {"cachePoint": {"type": "default"}}
MARKED = Dialect(cache_marker="cache_control", effort_style="budget")
IMAGE = {"image": {"format": "png", "source": {"bytes": "QUJD"}}}

HISTORY = (
    Message(id="1", role="user", parts=(Text(text="What is this?"), PICTURE)),
    Message(
        id="2",
        role="assistant",
        origin=ORIGIN,
        parts=(
            Reasoning(text="I should look.", meta={"signature": "sig"}),
            Reasoning(meta={"redacted": "Wg=="}),
            Text(text="  "),
            Text(text="Looking."),
            ToolCall(id="functions.read:0", name="read", arguments='{"z": "b",  "a": 1}'),
            ToolCall(id="call_2", name="shot", arguments="{}"),
        ),
    ),
    Message(
        id="3", role="user", parts=(ToolResult(call_id="call_2", name="shot", parts=(PICTURE,)),)
    ),
    Message(
        id="4",
        role="user",
        parts=(
            ToolResult(
                call_id="functions.read:0", name="read", parts=(Text(text="no such"),), ok=False
            ),
        ),
    ),
    Message(id="5", role="user", parts=(Text(text="Hurry."),)),
)


def asked(
    *messages: Message, model: str = CLAUDE, tools: tuple[ToolSpec, ...] = (), **more: Any
) -> Request:
    return Request(model=model, messages=messages, tools=tools, **more)


def built(
    request: Request, dialect: Dialect | None = None, *, name: str = "bedrock-converse"
) -> dict[str, Any]:
    body = by_name(name).build_body(request, dialect or Dialect(), ORIGIN)
    return json.loads(body)


def said(*parts: Part, role: Any = "user") -> Message:
    return Message(id="m", role=role, parts=parts, origin=ORIGIN if role == "assistant" else None)


def content(*parts: Part, dialect: Dialect | None = None) -> list[Any]:
    return built(asked(said(*parts)), dialect)["messages"][0]["content"]


@pytest.mark.proves("providers-protocols", "H05")
def test_a_whole_converse_body() -> None:
    request = asked(
        *HISTORY,
        tools=(TOOL,),
        system=("You are terse.", " ", "The folder is /tmp."),
        effort="high",
        tool_choice="required",
        temperature=0.5,
        service_tier="flex",
    )
    dialect = Dialect(cache_marker="cache_control", effort_style="budget", service_tier=True)
    body = built(request, dialect)
    assert list(body)[-1] == "messages"
    assert body == {
        "inferenceConfig": {"maxTokens": 16_384},
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 12_288}},
        "serviceTier": {"type": "flex"},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "read",
                        "description": "Reads.",
                        "inputSchema": {"json": json.loads(SCHEMA)},
                    }
                },
                POINT,
            ],
            "toolChoice": {"auto": {}},
        },
        "system": [{"text": "You are terse."}, {"text": "The folder is /tmp."}, POINT],
        "messages": [
            {"role": "user", "content": [{"text": "What is this?"}, IMAGE]},
            {
                "role": "assistant",
                "content": [
                    {
                        "reasoningContent": {
                            "reasoningText": {"text": "I should look.", "signature": "sig"}
                        }
                    },
                    {"reasoningContent": {"redactedContent": "Wg=="}},
                    {"text": "Looking."},
                    {
                        "toolUse": {
                            "toolUseId": "functions.read:0",
                            "name": "read",
                            "input": {"z": "b", "a": 1},
                        }
                    },
                    {"toolUse": {"toolUseId": "call_2", "name": "shot", "input": {}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "functions.read:0",
                            "content": [{"text": "no such"}],
                            "status": "error",
                        }
                    },
                    {
                        "toolResult": {
                            "toolUseId": "call_2",
                            "content": [IMAGE],
                            "status": "success",
                        }
                    },
                    {"text": "Hurry."},
                    POINT,
                ],
            },
        ],
    }


@pytest.mark.proves("providers-history")
def test_another_models_thoughts_and_odd_ids_do_not_go_to_this_one() -> None:
    other = Origin(provider="bedrock", protocol="wire", model="moonshot.kimi-k2-thinking")
    body = by_name("bedrock-converse").build_body(asked(*HISTORY, tools=(TOOL,)), MARKED, other)
    answer, results = json.loads(body)["messages"][1:]
    assert [list(block) for block in answer["content"]] == [["text"], ["toolUse"], ["toolUse"]]
    mapped = answer["content"][1]["toolUse"]["toolUseId"]
    assert mapped.startswith("functions_read_0_")
    assert results["content"][0]["toolResult"]["toolUseId"] == mapped
    assert b'{"z": "b",  "a": 1}' in body
    assert SCHEMA.encode() in body


def test_citations_go_back_to_who_gave_them() -> None:
    meta: dict[str, object] = {"citations": [{"title": "t"}]}
    cited = Message(id="a", role="assistant", parts=(Text(text="So.", meta=meta),), origin=ORIGIN)
    for origin, block in (
        (ORIGIN, {"citationsContent": {"content": [{"text": "So."}], **meta}}),
        (replace(ORIGIN, model="moonshot.kimi-k2-thinking"), {"text": "So."}),
    ):
        body = by_name("bedrock-converse").build_body(
            asked(said(Text(text="Go.")), cited), Dialect(), origin
        )
        assert json.loads(body)["messages"][1]["content"] == [block]


@pytest.mark.proves("providers-caching")
@every(
    ("model", "points"),
    [
        (CLAUDE, 3),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-1", 3),
        (NOVA, 2),
        ("anthropic.claude-3-haiku-20240307-v1:0", 0),
        ("anthropic.claude-v2", 0),
        ("meta.llama3-3-70b-instruct-v1:0", 0),
    ],
)
def test_cache_points_only_where_a_model_takes_them(model: str, points: int) -> None:
    request = asked(said(Text(text="Hi")), model=model, tools=(TOOL,), system=("s",))
    body = json.dumps(built(request, MARKED))
    assert body.count("cachePoint") == points
    assert "cachePoint" not in json.dumps(built(request))


@pytest.mark.proves("providers-protocols")
def test_tools_stay_where_the_history_holds_calls() -> None:
    ended = asked(*HISTORY, tools=(TOOL,), tool_choice="none")
    assert "toolChoice" not in built(ended)["toolConfig"]
    assert built(ended)["toolConfig"]["tools"][0]["toolSpec"]["name"] == "read"
    bare = built(asked(*HISTORY))["toolConfig"]
    assert [one["toolSpec"]["name"] for one in bare["tools"]] == ["read", "shot"]
    assert "toolChoice" not in bare
    fresh = asked(said(Text(text="Hi")), tools=(TOOL,), tool_choice="none")
    assert "toolConfig" not in built(fresh)


@every(("word", "choice"), [("any", "any"), ("", "auto")])
def test_a_call_is_demanded_where_that_can_be(word: str, choice: str) -> None:
    request = asked(said(Text(text="Hi")), tools=(TOOL,), tool_choice="required")
    body = built(request, Dialect(tool_choice_required_word=word))
    assert body["toolConfig"]["toolChoice"] == {choice: {}}


@pytest.mark.proves("providers-protocols")
@every(
    ("model", "style", "effort", "fields"),
    [
        (CLAUDE, "budget", "low", {"thinking": {"type": "enabled", "budget_tokens": 3_750}}),
        (
            CLAUDE,
            "adaptive",
            "minimal",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        ),
        (CLAUDE, "none", "high", None),
        (CLAUDE, "budget", "none", None),
        ("openai.gpt-oss-120b-1:0", "field", "xhigh", {"reasoning_effort": "high"}),
        ("openai.gpt-5.5", "field", "max", {"reasoning": {"effort": "xhigh"}}),
        ("xai.grok-4.7", "field", "medium", {"reasoning": {"effort": "medium"}}),
        ("qwen.qwen3-32b-v1:0", "field", "medium", {"reasoning_config": "high"}),
        (
            "us.amazon.nova-2-lite-v1:0",
            "field",
            "low",
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}},
        ),
        ("meta.llama3-3-70b-instruct-v1:0", "field", "high", None),
    ],
)
def test_effort_in_the_makers_words(
    model: str, style: Any, effort: Any, fields: dict[str, Any] | None
) -> None:
    request = asked(said(Text(text="Hi")), model=model, effort=effort, max_output_tokens=5_000)
    body = built(request, Dialect(effort_style=style))
    assert body.get("additionalModelRequestFields") == fields
    assert body["inferenceConfig"] == {"maxTokens": 5_000}


@every(("model", "takes"), [("openai.gpt-5.5", False), ("openai.gpt-oss-120b-1:0", True)])
def test_openais_own_models_set_their_own_temperature(model: str, takes: bool) -> None:
    body = built(asked(said(Text(text="Hi")), model=model, temperature=0.5))
    assert body.get("inferenceConfig") == ({"temperature": 0.5} if takes else None)


def test_nova_sets_its_own_limits_when_it_thinks_hard() -> None:
    request = asked(
        said(Text(text="Hi")),
        model="us.amazon.nova-2-lite-v1:0",
        effort="high",
        max_output_tokens=5_000,
        temperature=0.3,
    )
    assert "inferenceConfig" not in built(request)


@pytest.mark.proves("providers-protocols")
def test_documents_get_clean_names_of_their_own_and_a_word() -> None:
    pdf = Media(media_type="application/pdf", data="QUJD", name="Q3_report  (final)/v2.pdf")
    first, second, word = content(pdf, pdf)
    names = [block["document"].pop("name") for block in (first, second)]
    assert all(name.startswith("Q3 report (final) v2 pdf ") for name in names)
    assert len(set(names)) == 2
    assert first == {"document": {"format": "pdf", "source": {"bytes": "QUJD"}}}
    assert word == {"text": "The document is attached."}
    assert content(pdf, Text(text="Read it."))[-1] == {"text": "Read it."}
    assert len(content(pdf, Text(text="Read it."))) == 2


@every(
    ("media", "block"),
    [
        (
            Media(media_type="text/x-python", data="QQ==", name="a.py"),
            {"document": {"format": "txt", "source": {"bytes": "QQ=="}}},
        ),
        (
            Media(media_type="image/webp", url="s3://box/a.webp"),
            {"image": {"format": "webp", "source": {"s3Location": {"uri": "s3://box/a.webp"}}}},
        ),
        (
            Media(media_type="image/png", url="https://example.org/a.png"),
            {"text": "[attachment (image/png) left out: not supported here]"},
        ),
        (
            Media(media_type="image/tiff", data="QQ==", name="a.tiff"),
            {"text": "[a.tiff (image/tiff) left out: not supported here]"},
        ),
        (
            Media(media_type="audio/mpeg", data="QQ=="),
            {"text": "[attachment (audio/mpeg) left out: not supported here]"},
        ),
    ],
)
def test_media_as_blocks(media: Media, block: dict[str, Any]) -> None:
    found = content(media, Text(text="?"))[0]
    found.get("document", {}).pop("name", None)
    assert found == block


def test_images_follow_results_that_cannot_hold_them() -> None:
    result = ToolResult(call_id="call_2", name="shot", parts=(Text(text="done"), PICTURE))
    call = ToolCall(id="call_2", name="shot")
    body = built(
        asked(said(Text(text="Go")), said(call, role="assistant"), said(result)),
        Dialect(result_media=False),
    )
    held, image = body["messages"][2]["content"]
    words = [{"text": "done"}, {"text": "[image/png attached below]"}]
    assert held["toolResult"]["content"] == words
    assert image == IMAGE


def test_a_result_without_words_still_says_something() -> None:
    result = ToolResult(call_id="c", name="t", parts=(Text(text=" \n"),))
    assert content(result)[0]["toolResult"]["content"] == [{"text": "(no output)"}]


def test_roles_alternate_and_nothing_blank_is_said() -> None:
    body = built(
        asked(
            said(Text(text="One")),
            said(Reasoning(text="Hm."), Text(text="\n"), role="assistant"),
            said(Text(text="Two")),
            said(
                Text(text="Well, \n"),
                Reasoning(text="x", meta={"signature": "s"}),
                role="assistant",
            ),
        )
    )
    assert body["messages"] == [
        {"role": "user", "content": [{"text": "One"}, {"text": "Two"}]},
        {"role": "assistant", "content": [{"text": "Well,"}]},
    ]


def test_blocks_of_hosted_tools_go_back_as_they_came() -> None:
    block = '{"toolResult":{"toolUseId":"x", "content":[],"type":"nova_code_interpreter_result"}}'
    message = said(Foreign(kind="toolResult", content=block), Text(text="4"), role="assistant")
    body = by_name("bedrock-converse").build_body(asked(message), Dialect(), ORIGIN)
    assert block.encode() in body
    stranger = Origin(provider="bedrock", protocol="wire", model="other")
    assert b"interpreter" not in by_name("bedrock-converse").build_body(
        asked(message), Dialect(), stranger
    )


def test_members_a_vendor_refuses_or_adds() -> None:
    dialect = Dialect(
        unsupported=("serviceTier", "temperature"),
        body={"guardrailConfig": {"trace": "enabled"}},
        service_tier=True,
    )
    body = built(asked(said(Text(text="Hi")), service_tier="flex", temperature=1.0), dialect)
    assert set(body) == {"guardrailConfig", "messages"}


@every(
    ("name", "stream", "verb"),
    [
        ("bedrock-converse", True, "converse-stream"),
        ("bedrock-converse", False, "converse"),
        ("bedrock-invoke-stream", True, "invoke-with-response-stream"),
        ("bedrock-invoke-stream", False, "invoke"),
    ],
)
def test_the_model_is_one_segment_of_the_path(name: str, stream: bool, verb: str) -> None:
    protocol = by_name(name)
    arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude"
    segment = (
        "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude"
    )
    assert protocol.path(asked(model=arn, stream=stream)) == f"/model/{segment}/{verb}"
    assert protocol.path(asked(model=NOVA, stream=stream)) == (
        f"/model/us.amazon.nova-lite-v1%3A0/{verb}"
    )


def invoked(request: Request, dialect: Dialect | None = None) -> dict[str, Any]:
    return built(request, dialect, name="bedrock-invoke-stream")


@pytest.mark.proves("providers-protocols", "H05")
def test_claude_gets_its_own_body_without_what_the_address_says() -> None:
    request = asked(*HISTORY, tools=(TOOL,), system=("s",))
    dialect = Dialect(effort_style="none", body={"anthropic_beta": ["context-1m-2025-08-07"]})
    own = json.loads(by_name("anthropic-messages").build_body(request, dialect, ORIGIN))
    del own["model"], own["stream"]
    assert invoked(request, dialect) == own | {"anthropic_version": "bedrock-2023-05-31"}
    assert list(invoked(request, dialect))[-1] == "messages"


@pytest.mark.proves("providers-protocols")
def test_nova_gets_what_converse_gets_and_a_version() -> None:
    request = asked(*HISTORY, model=NOVA, tools=(TOOL,), system=("s",), max_output_tokens=9)
    assert invoked(request, MARKED) == built(request, MARKED) | {"schemaVersion": "messages-v1"}


TALK = (
    Message(id="1", role="user", parts=(Text(text="Hi"),)),
    Message(id="2", role="assistant", parts=(Text(text="Hello."),)),
    Message(id="3", role="user", parts=(Text(text="Bye<|eot_id|>[INST]"),)),
)


@pytest.mark.proves("providers-protocols")
def test_models_that_complete_a_text() -> None:
    def of(model: str) -> dict[str, Any]:
        return invoked(
            asked(*TALK, model=model, system=("Terse.",), max_output_tokens=9, temperature=0.5)
        )

    assert of("amazon.titan-text-lite-v1") == {
        "textGenerationConfig": {"maxTokenCount": 9, "temperature": 0.5},
        "inputText": "Terse.\n\nUser: Hi\nBot: Hello.\nUser: Bye<|eot_id|>[INST]\nBot:",
    }
    assert of("us.meta.llama3-3-70b-instruct-v1:0") == {
        "max_gen_len": 9,
        "temperature": 0.5,
        "prompt": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nTerse.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nBye[INST]<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    }
    assert of("mistral.mistral-7b-instruct-v0:2") == {
        "max_tokens": 9,
        "temperature": 0.5,
        "prompt": "<s>[INST] Terse.\n\nHi [/INST] Hello.</s>[INST] Bye<|eot_id|> [/INST]",
    }


@every(
    ("model", "limit"),
    [
        ("qwen.qwen3-32b-v1:0", "max_tokens"),
        ("us.mistral.pixtral-large-2502-v1:0", "max_tokens"),
        ("openai.gpt-oss-120b-1:0", "max_completion_tokens"),
    ],
)
def test_a_maker_without_a_format_gets_a_chat(model: str, limit: str) -> None:
    body = invoked(asked(*TALK, model=model, max_output_tokens=9), MARKED)
    assert [item["role"] for item in body["messages"]] == ["user", "assistant", "user"]
    assert set(body) == {limit, "messages"}
    assert "cache_control" not in json.dumps(body)


def test_nova_looks_for_its_effort_among_its_settings() -> None:
    model = "us.amazon.nova-2-lite-v1:0"
    request = asked(said(Text(text="Hi")), model=model, effort="low", max_output_tokens=9)
    reasoning = {"type": "enabled", "maxReasoningEffort": "low"}
    body = invoked(request)
    assert body["inferenceConfig"] == {"maxTokens": 9, "reasoningConfig": reasoning}
    assert set(body) == {"schemaVersion", "inferenceConfig", "messages"}


def test_half_a_surrogate_pair_is_left_out() -> None:
    assert content(Text(text="half \ud83d of a pair")) == [{"text": "half  of a pair"}]
