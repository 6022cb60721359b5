"""Whole request bodies as Gemini wants them."""

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
from tests.wire.test_request_bodies import CONVERSATION, ORIGIN, PICTURE, SCHEMA

OTHER = Origin(provider="other", protocol="wire", model="model")
ANY = "skip_thought_signature_validator"
INLINE = {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}


def built(request: Request, dialect: Dialect | None = None) -> dict[str, Any]:
    body = by_name("gemini").build_body(request, dialect or Dialect(), ORIGIN)
    assert list(json.loads(body))[-1] == "contents"
    return json.loads(body)


def said(*parts: Part, origin: Origin | None = ORIGIN) -> Message:
    return Message(id="a", role="assistant", parts=parts, origin=origin)


def model_parts(*parts: Part, origin: Origin | None = ORIGIN) -> list[Any]:
    contents = built(Request(model="m", messages=(said(*parts, origin=origin),)))["contents"]
    return contents[0]["parts"] if contents else []


@pytest.mark.proves("providers-protocols", "H05")
def test_a_conversation() -> None:
    assert built(CONVERSATION, Dialect(effort_style="level")) == {
        "systemInstruction": {
            "parts": [{"text": "You are terse."}, {"text": "The folder is /tmp."}]
        },
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read",
                        "description": "Reads.",
                        "parametersJsonSchema": json.loads(SCHEMA),
                    }
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}},
        "contents": [
            {"role": "user", "parts": [{"text": "What is this?"}, INLINE]},
            {
                "role": "model",
                "parts": [
                    {"text": "Looking."},
                    {"functionCall": {"name": "read", "args": {"z": "b", "a": 1}}},
                    {"functionCall": {"name": "shot", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "read", "response": {"error": "no such file"}}},
                    {
                        "functionResponse": {
                            "name": "shot",
                            "response": {"output": ""},
                            "parts": [INLINE],
                        }
                    },
                    {"text": "Hurry."},
                ],
            },
        ],
    }


def test_the_model_stands_in_the_path_and_not_in_the_body() -> None:
    gemini = by_name("gemini")
    assert "model" not in built(Request(model="m"))
    assert {
        model: gemini.path(Request(model=model, stream=stream))
        for model, stream in [
            ("gemini-3-pro", True),
            ("models/gemini-3", False),
            ("a/b?c:d", True),
            ("tunedModels/mine", False),
        ]
    } == {
        "gemini-3-pro": "/models/gemini-3-pro:streamGenerateContent?alt=sse",
        "models/gemini-3": "/models/gemini-3:generateContent",
        "a/b?c:d": "/models/a%2Fb%3Fc%3Ad:streamGenerateContent?alt=sse",
        "tunedModels/mine": "/tunedModels/mine:generateContent",
    }


def test_signed_stretches_go_back_as_the_parts_they_came_in() -> None:
    signed = [[4, ""], [4, "S1"], [2, "S2"], [0, "S3"]]
    assert model_parts(
        Text(text="One two 3!", meta={"signed": signed}),
        ToolCall(id="c", name="f", arguments='{"b": 1.0}', meta={"thoughtSignature": "S4"}),
        ToolCall(id="d", name="g"),
        Text(text="", meta={"signed": [[0, "S5"]]}),
    ) == [
        {"text": "One "},
        {"text": "two ", "thoughtSignature": "S1"},
        {"text": "3!", "thoughtSignature": "S2"},
        {"text": "", "thoughtSignature": "S3"},
        {"functionCall": {"name": "f", "args": {"b": 1.0}}, "thoughtSignature": "S4"},
        {"functionCall": {"name": "g", "args": {}}},
        {"text": "", "thoughtSignature": "S5"},
    ]


@every(
    "signed",
    [[[3, "S"]], [[30, "S"]], [["a", "S"]], [[5, 7]], "S", [[5, "S"], [1, ""]], [[5]], [7]],
)
def test_a_text_that_was_changed_has_no_signature(signed: object) -> None:
    assert model_parts(Text(text="Hello", meta={"signed": signed})) == [{"text": "Hello"}]


@pytest.mark.proves("providers-history")
def test_nothing_opaque_goes_to_another_model() -> None:
    parts = (
        Reasoning(text="Hm.", meta={"signed": [[3, "S"]]}),
        Text(text="Hi", meta={"signed": [[2, "S"]]}),
        Foreign(kind="executableCode", content='{"executableCode":{"code":"1"}}'),
        ToolCall(id="c", name="f", meta={"thoughtSignature": "S", "id": "srv"}),
        ToolCall(id="d", name="g", meta={"thoughtSignature": "S"}),
    )
    for origin in (OTHER, None):
        assert model_parts(*parts, origin=origin) == [
            {"text": "Hi"},
            {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": ANY},
            {"functionCall": {"name": "g", "args": {}}},
        ]


def test_each_step_of_another_model_begins_with_a_signature_that_always_holds() -> None:
    steps: list[Message] = []
    for number in range(2):
        calls = [ToolCall(id=f"{number}{place}", name="f") for place in "ab"]
        steps.append(said(*calls, origin=OTHER))
        results = [ToolResult(call_id=call.id, name="f") for call in calls]
        steps.append(Message(id="r", role="user", parts=tuple(results)))
    contents = built(Request(model="m", messages=tuple(steps)))["contents"]
    signatures = [
        [part.get("thoughtSignature") for part in content["parts"]]
        for content in contents
        if content["role"] == "model"
    ]
    assert signatures == [[ANY, None], [ANY, None]]


def test_summaries_of_thoughts_stay_here_and_signed_ones_go_back() -> None:
    answer = Text(text="Yes.")
    plain, signed = Reasoning(text="Hm."), Reasoning(text="So.", meta={"signed": [[3, "S"]]})
    assert model_parts(plain, signed, answer) == [
        {"text": "So.", "thought": True, "thoughtSignature": "S"},
        {"text": "Yes."},
    ]
    assert model_parts(plain, answer, signed) == [{"text": "Yes."}]
    assert model_parts(signed) == []


@pytest.mark.proves("providers-protocols")
def test_ids_go_back_only_where_the_server_gave_them() -> None:
    calls = (
        ToolCall(id="renamed", name="f", meta={"id": "srv"}),
        ToolCall(id="call_r_1", name="g"),
    )
    results = tuple(ToolResult(call_id=call.id, name="wrong") for call in reversed(calls))
    for origin, ids in ((ORIGIN, ["srv", None]), (OTHER, [None, None])):
        messages = (said(*calls, origin=origin), Message(id="r", role="user", parts=results))
        made, answers = built(Request(model="m", messages=messages))["contents"]
        assert [part["functionCall"].get("id") for part in made["parts"]] == ids
        answered = [part["functionResponse"] for part in answers["parts"]]
        assert [one.get("id") for one in answered] == ids
        assert [one["name"] for one in answered] == ["f", "g"]


def test_media_of_a_result_beside_it_for_models_that_want_them_there() -> None:
    result = ToolResult(call_id="c", name="shot", parts=(Text(text="Shot."), PICTURE))
    messages = (said(ToolCall(id="c", name="shot")), Message(id="r", role="user", parts=(result,)))
    request = Request(model="m", messages=messages)
    assert built(request, Dialect(result_media=False))["contents"][-1]["parts"] == [
        {
            "functionResponse": {
                "name": "shot",
                "response": {"output": "Shot.\n[image/png attached below]"},
            }
        },
        INLINE,
    ]


def test_what_an_answer_cannot_hold_stands_beside_it() -> None:
    moving = Media(media_type="image/gif", data="R0lG")
    result = ToolResult(call_id="c", name="shot", parts=(Text(text="Two."), PICTURE, moving))
    messages = (said(ToolCall(id="c", name="shot")), Message(id="r", role="user", parts=(result,)))
    assert built(Request(model="m", messages=messages))["contents"][-1]["parts"] == [
        {
            "functionResponse": {
                "name": "shot",
                "response": {"output": "Two.\n[image/gif attached below]"},
                "parts": [INLINE],
            }
        },
        {"inlineData": {"mimeType": "image/gif", "data": "R0lG"}},
    ]


def test_files_by_address_and_by_content() -> None:
    parts = (
        Media(media_type="application/pdf", data="QUJD", name="a.pdf"),
        Media(media_type="video/mp4", url="https://example.org/a.mp4"),
        Media(media_type="audio/mpeg", data="QUJD"),
    )
    message = Message(id="1", role="user", parts=parts)
    assert built(Request(model="m", messages=(message,)))["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "application/pdf", "data": "QUJD"}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "https://example.org/a.mp4"}},
        {"inlineData": {"mimeType": "audio/mpeg", "data": "QUJD"}},
    ]


@every(("choice", "mode"), [("auto", "AUTO"), ("none", "NONE"), ("required", "ANY")])
def test_tool_choice(choice: Any, mode: str) -> None:
    body = built(Request(model="m", tools=CONVERSATION.tools, tool_choice=choice))
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": mode}}
    assert "toolConfig" not in built(Request(model="m", tool_choice=choice))


@pytest.mark.proves("providers-protocols")
def test_limits_and_habits() -> None:
    request = Request(model="m", max_output_tokens=100, temperature=0.5, service_tier="flex")
    dialect = Dialect(
        service_tier=True,
        unsupported=("toolConfig",),
        body={"safetySettings": [], "generationConfig": {"topK": 3}},
    )
    body = built(replace(request, tools=CONVERSATION.tools), dialect)
    assert body["generationConfig"] == {"maxOutputTokens": 100, "temperature": 0.5, "topK": 3}
    assert body["serviceTier"] == "flex"
    assert body["safetySettings"] == []
    assert "toolConfig" not in body
    assert "serviceTier" not in built(request)


@pytest.mark.proves("providers-protocols")
@every(
    ("style", "model", "effort", "limit", "wanted"),
    [
        ("level", "gemini-3-flash", "none", None, (False, "MINIMAL")),
        ("level", "gemini-3.1-flash-lite", "minimal", None, (True, "MINIMAL")),
        ("level", "gemini-3-pro", "minimal", None, (True, "LOW")),
        ("level", "gemini-3.8-flash", "minimal", None, (True, "LOW")),
        ("level", "gemini-4-argon", "none", None, (False, "LOW")),
        ("level", "gemini-4-argon", "high", None, (True, "HIGH")),
        ("level", "gemini-3-flash", "medium", None, (True, "MEDIUM")),
        ("level", "gemini-3-flash", "max", None, (True, "HIGH")),
        ("budget", "gemini-2.5-flash", "none", None, (False, 0)),
        ("budget", "gemini-2.5-pro", "none", None, (False, 128)),
        ("budget", "gemini-2.5-pro", "low", None, (True, 1_024)),
        ("budget", "gemini-2.5-pro", "high", None, (True, 24_576)),
        ("budget", "gemini-2.5-flash", "high", 4_000, (True, 3_000)),
    ],
)
def test_effort(style: Any, model: str, effort: Any, limit: int | None, wanted: Any) -> None:
    request = Request(model=model, effort=effort, max_output_tokens=limit)
    config = built(request, Dialect(effort_style=style))["generationConfig"]["thinkingConfig"]
    assert (config.pop("includeThoughts"), *config.values()) == wanted
    assert list(config) == ["thinkingLevel" if style == "level" else "thinkingBudget"]
    assert "generationConfig" not in built(
        replace(request, max_output_tokens=None), Dialect(effort_style="none")
    )


WIDE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {"leaf": {"const": "x"}, "left": {"$ref": "#/$defs/Tree"}},
            "required": ["leaf", "gone"],
        }
    },
    "type": "object",
    "additionalProperties": False,
    "required": ["a", "missing"],
    "properties": {
        "a": {"type": ["string", "null"], "format": "uri", "default": "x", "minLength": 1},
        "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "B"},
        "c": {"enum": [1, 2, None], "type": "integer"},
        "d": {"type": "array"},
        "e": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]},
        "f": {"type": ["string", "integer"]},
        "g": {"$ref": "#/$defs/Tree", "description": "A tree."},
        "h": {"allOf": [{"properties": {"q": {"type": "boolean"}}, "required": ["q"]}]},
        "i": {"type": "array", "items": {"enum": ["u", "v"]}},
        "j": {"type": "string", "format": "date-time"},
    },
}


@pytest.mark.proves("providers-protocols")
def test_a_schema_in_the_subset_of_old_models() -> None:
    tools = (
        ToolSpec(name="wide", description="d", schema=json.dumps(WIDE)),
        ToolSpec(name="bare", description="d", schema='{"type":"object","properties":{}}'),
    )
    body = built(Request(model="m", tools=tools), Dialect(schema_style="openapi"))
    wide, bare = body["tools"][0]["functionDeclarations"]
    assert bare == {"name": "bare", "description": "d"}
    assert set(wide) == {"name", "description", "parameters"}
    leaf = {"type": "STRING", "enum": ["x"]}
    tree = {"type": "OBJECT", "properties": {"leaf": leaf, "left": {"type": "OBJECT"}}}
    assert wide["parameters"] == {
        "type": "OBJECT",
        "required": ["a"],
        "properties": {
            "a": {"type": "STRING", "nullable": True, "minLength": 1},
            "b": {"type": "INTEGER", "nullable": True, "description": "B"},
            "c": {"type": "STRING", "enum": ["1", "2"], "nullable": True},
            "d": {"type": "ARRAY", "items": {"type": "STRING"}},
            "e": {"anyOf": [{"type": "STRING"}, {"type": "ARRAY", "items": {"type": "NUMBER"}}]},
            "f": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
            "g": {**tree, "required": ["leaf"], "description": "A tree."},
            "h": {
                "type": "OBJECT",
                "properties": {"q": {"type": "BOOLEAN"}},
                "required": ["q"],
            },
            "i": {"type": "ARRAY", "items": {"type": "STRING", "enum": ["u", "v"]}},
            "j": {"type": "STRING", "format": "date-time"},
        },
    }
