"""Request bodies read by other means than ours, from what each vendor documents.

A body becomes steps in the order of the wire: who speaks, and the words, pictures, calls and
results of it. Bodies that no vendor would take fail an assertion here.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

type Kind = Literal["words", "picture", "call", "result", "thought", "other"]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Step(NamedTuple):
    """One thing that a body says; ``id`` is empty where the vendor uses none."""

    role: str
    kind: Kind
    text: str
    id: str = ""
    name: str = ""
    ok: bool | None = None


def read(protocol: str, body: bytes) -> list[Step]:
    """The steps of a body."""
    steps = list(READERS[protocol](json.loads(body)))
    for step in steps:
        assert step.kind != "call" or NAME.fullmatch(step.name), step
        assert step.kind != "words" or step.text, "an empty text"
    return steps


def _picture(role: str, url: str) -> Step:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64"
    return Step(role, "picture", data)


def _chat_content(role: str, content: Any) -> Iterator[Step]:
    if isinstance(content, str):
        yield Step(role, "words", content)
        return
    assert content, "an empty list"
    for part in content:
        if part["type"] == "text":
            yield Step(role, "words", part["text"])
        elif part["type"] == "image_url":
            assert role == "user"
            yield _picture(role, part["image_url"]["url"])
        else:
            assert part["type"] == "thinking"
            yield Step(role, "thought", json.dumps(part))


def chat(body: Any) -> Iterator[Step]:
    """Chat completions."""
    for message in body["messages"]:
        role = message["role"]
        assert role in {"system", "user", "assistant", "tool"}
        if role == "tool":
            assert re.fullmatch(r"[^ ]{1,128}", message["tool_call_id"])
            text = message["content"]
            yield Step("user", "result", text, id=message["tool_call_id"])
            continue
        calls = message.get("tool_calls", ())
        if message["content"] is None:
            assert calls
        else:
            yield from _chat_content(role, message["content"])
        extras = {key: message[key] for key in message.keys() - {"role", "content", "tool_calls"}}
        if extras:
            yield Step(role, "thought", json.dumps(extras))
        for call in calls:
            assert call["type"] == "function"
            function = call["function"]
            assert isinstance(json.loads(function["arguments"]), dict)
            yield Step(role, "call", function["arguments"], id=call["id"], name=function["name"])


def _response_content(role: str, content: Any) -> Iterator[Step]:
    assert content
    for part in content:
        match part["type"]:
            case "input_text" | "output_text":
                assert (part["type"] == "output_text") == (role == "assistant")
                yield Step(role, "words", part["text"])
            case "input_image":
                yield _picture(role, part["image_url"])
            case kind:
                raise AssertionError(kind)


def responses(body: Any) -> Iterator[Step]:
    """Responses."""
    items = body["input"]
    for place, item in enumerate(items):
        match item["type"]:
            case "message":
                yield from _response_content(item["role"], item["content"])
            case "function_call" | "custom_tool_call":
                assert 1 <= len(item["call_id"]) <= 64
                is_custom = item["type"] == "custom_tool_call"
                text = json.dumps({"input": item["input"]}) if is_custom else item["arguments"]
                assert isinstance(json.loads(text), dict)
                yield Step("assistant", "call", text, id=item["call_id"], name=item["name"])
            case "function_call_output" | "custom_tool_call_output":
                output = item["output"]
                made = next(one for one in items[:place] if one.get("call_id") == item["call_id"])
                assert item["type"] == f"{made['type']}_output"
                parts = [] if isinstance(output, str) else list(_response_content("user", output))
                words = [part.text for part in parts if part.kind == "words"]
                text = output if isinstance(output, str) else "".join(words)
                yield Step("user", "result", text, id=item["call_id"])
                yield from (part for part in parts if part.kind == "picture")
            case "reasoning":
                assert items[place + 1]["type"] in {"message", "function_call", "custom_tool_call"}
                yield Step("assistant", "thought", json.dumps(item))
            case kind:
                assert kind == "web_search_call"
                yield Step("assistant", "other", json.dumps(item))


def _claude_block(role: str, block: Any) -> Iterator[Step]:
    match block["type"]:
        case "text":
            assert block["text"].strip()
            yield Step(role, "words", block["text"])
        case "image":
            assert block["source"]["media_type"] == "image/png"
            yield Step(role, "picture", block["source"]["data"])
        case "tool_use":
            assert role == "assistant"
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", block["id"])
            assert isinstance(block["input"], dict)
            arguments = json.dumps(block["input"])
            yield Step(role, "call", arguments, id=block["id"], name=block["name"])
        case "tool_result":
            assert role == "user"
            content = block.get("content", [])
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            inner = [step for part in parts for step in _claude_block(role, part)]
            text = "".join(step.text for step in inner if step.kind == "words")
            ok = not block.get("is_error", False)
            yield Step(role, "result", text, id=block["tool_use_id"], ok=ok)
            yield from (step for step in inner if step.kind == "picture")
        case "thinking" | "redacted_thinking":
            assert block.get("signature") or block.get("data")
            yield Step(role, "thought", json.dumps(block))
        case kind:
            assert kind == "server_tool_use"
            yield Step(role, "other", json.dumps(block))


def claude(body: Any) -> Iterator[Step]:
    """Messages; all results of a turn stand before any other block of the next message."""
    assert body["messages"][0]["role"] == "user"
    for message in body["messages"]:
        content = message["content"]
        assert content, "an empty message"
        assert content[-1]["type"] not in {"thinking", "redacted_thinking"}
        kinds = [block["type"] == "tool_result" for block in content]
        assert kinds == sorted(kinds, reverse=True)
        for block in content:
            yield from _claude_block(message["role"], block)


def _converse_block(role: str, block: Any) -> Iterator[Step]:
    ((kind, value),) = block.items()
    match kind:
        case "text":
            assert value.strip()
            yield Step(role, "words", value)
        case "image":
            assert value["format"] == "png"
            yield Step(role, "picture", value["source"]["bytes"])
        case "toolUse":
            assert role == "assistant"
            assert re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", value["toolUseId"])
            arguments = json.dumps(value["input"])
            yield Step(role, "call", arguments, id=value["toolUseId"], name=value["name"])
        case "toolResult":
            assert role == "user"
            inner = [step for part in value["content"] for step in _converse_block(role, part)]
            text = "".join(step.text for step in inner if step.kind == "words")
            ok = value["status"] == "success"
            yield Step(role, "result", text, id=value["toolUseId"], ok=ok)
            yield from (step for step in inner if step.kind == "picture")
        case "reasoningContent":
            yield Step(role, "thought", json.dumps(value))
        case "cachePoint":
            assert value == {"type": "default"}
        case _:
            raise AssertionError(kind)


def converse(body: Any) -> Iterator[Step]:
    """Converse; roles alternate, and the first is the user's."""
    roles = [message["role"] for message in body["messages"]]
    assert roles == [("user", "assistant")[place % 2] for place in range(len(roles))]
    has_calls = False
    for message in body["messages"]:
        assert message["content"]
        for block in message["content"]:
            for step in _converse_block(message["role"], block):
                has_calls = has_calls or step.kind in {"call", "result"}
                yield step
    assert "toolConfig" in body or not has_calls


def _gemini_part(role: str, part: Any) -> Iterator[Step]:
    signature = part.get("thoughtSignature", "")
    if "functionCall" in part:
        call = part["functionCall"]
        yield Step(role, "call", json.dumps(call["args"]), id=call.get("id", ""), name=call["name"])
    elif "functionResponse" in part:
        answer = part["functionResponse"]
        ((word, text),) = answer["response"].items()
        assert word in {"output", "error"}
        ok = word == "output"
        yield Step(role, "result", text, id=answer.get("id", ""), name=answer["name"], ok=ok)
        for inner in answer.get("parts", ()):
            yield from _gemini_part(role, inner)
    elif "inlineData" in part:
        assert part["inlineData"]["mimeType"] == "image/png"
        yield Step(role, "picture", part["inlineData"]["data"])
    elif "text" in part and not part.get("thought"):
        if part["text"]:
            yield Step(role, "words", part["text"])
        else:
            assert signature
    else:
        yield Step(role, "other", json.dumps(part))
    if signature and signature != "skip_thought_signature_validator":
        yield Step(role, "thought", signature)


def gemini(body: Any) -> Iterator[Step]:
    """Contents; the first call of each step carries a signature."""
    for content in body["contents"]:
        assert content["role"] in {"user", "model"}
        assert content["parts"]
        calls = [part for part in content["parts"] if "functionCall" in part]
        assert not calls or calls[0].get("thoughtSignature")
        role = "assistant" if content["role"] == "model" else "user"
        for part in content["parts"]:
            yield from _gemini_part(role, part)


def ollama(body: Any) -> Iterator[Step]:
    """Ollama's chat."""
    for message in body["messages"]:
        role = message["role"]
        if role == "tool":
            yield Step(
                "user",
                "result",
                message["content"],
                id=message.get("tool_call_id", ""),
                name=message["tool_name"],
            )
            continue
        calls = message.get("tool_calls", ())
        if message["content"]:
            yield Step(role, "words", message["content"])
        else:
            assert calls or message.get("images")
        if "thinking" in message:
            yield Step(role, "thought", message["thinking"])
        for image in message.get("images", ()):
            yield Step(role, "picture", image)
        for call in calls:
            function = call["function"]
            assert isinstance(function["arguments"], dict)
            arguments = json.dumps(function["arguments"])
            yield Step(role, "call", arguments, id=call.get("id", ""), name=function["name"])


READERS: dict[str, Callable[[Any], Iterator[Step]]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic-messages": claude,
    "bedrock-converse": converse,
    "bedrock-invoke-stream": claude,
    "gemini": gemini,
    "ollama-chat": ollama,
}
