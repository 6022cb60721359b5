"""A recorded reply goes back to its vendor with every opaque field in place, and to no other."""

import json
from typing import Any

import pytest

from ouroboros.core.parts import Message, Origin, Text
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every
from tests.wire.recordings import ORIGIN, Recording, kept, parts_of, replies

REPLIES = [one for one in replies() if not one.protocol.startswith("bedrock")]
DIALECT = Dialect(stateless=False, reasoning_send_back="details")
ASKED = Message(id="ask", role="user", parts=(Text(text="Go on."),))


def of(protocol: str) -> list[Recording]:
    return [recording for recording in REPLIES if recording.protocol == protocol]


def name_of(recording: Recording) -> str:
    return recording.path.stem


def sent_back(recording: Recording, origin: Origin = ORIGIN, dialect: Dialect = DIALECT) -> Any:
    reply = kept(parts_of(recording))
    request = Request(model="model", messages=(ASKED, reply, ASKED))
    return json.loads(by_name(recording.protocol).build_body(request, dialect, origin))


def events_in(recording: Recording) -> list[Any]:
    """The vendor's own events of the first reply, read by other means than ours."""
    found: list[Any] = []
    for line in recording.body.splitlines():
        if line.startswith("data:") and line[5:].strip() != "[DONE]":
            try:
                found.append(json.loads(line[5:]))
            except ValueError:
                continue
            if found[-1].get("type") in {"response.completed", "message_stop"}:
                break
    return found


def extend(block: Any, delta: Any) -> None:
    for field in ("text", "thinking", "signature", "content"):
        if field in delta:
            block[field] = (block.get(field) or "") + delta[field]
    if "partial_json" in delta:
        block["written"] = block.get("written", "") + delta["partial_json"]
    if "citation" in delta:
        block.setdefault("citations", []).append(delta["citation"])


def anthropic_blocks(recording: Recording) -> list[Any]:
    if recording.encoding == "json":
        return recording.body["content"]
    whole: list[Any] = []
    opened: dict[int, Any] = {}
    for event in events_in(recording):
        match event["type"]:
            case "message_start":
                opened.clear()
            case "content_block_start":
                opened[event["index"]] = event["content_block"]
            case "content_block_delta":
                extend(opened[event["index"]], event["delta"])
            case "content_block_stop":
                block = opened.pop(event["index"])
                if written := block.pop("written", ""):
                    block["input"] = json.loads(written)
                whole.append(block)
            case _:
                pass
    return whole


def as_replayed(block: Any) -> bool:
    if block["type"] == "text":
        return bool(block["text"].strip())
    return block["type"] != "thinking" or bool(block.get("signature"))


@pytest.mark.proves("spine-llm", "providers-history", "H17")
@every("recording", of("anthropic-messages"), ids=name_of)
def test_messages_blocks_go_back_as_they_came(recording: Recording) -> None:
    wanted = [block for block in anthropic_blocks(recording) if as_replayed(block)]
    for block in wanted:
        if not block.get("citations", True):
            del block["citations"]
    if wanted and "text" in wanted[-1]:
        wanted[-1]["text"] = wanted[-1]["text"].rstrip()
    answered = [item for item in sent_back(recording)["messages"] if item["role"] == "assistant"]
    assert answered == ([{"role": "assistant", "content": wanted}] if wanted else [])


def response_items(recording: Recording) -> list[Any]:
    if recording.encoding == "json":
        return recording.body["output"]
    items: dict[int, Any] = {}
    for event in events_in(recording):
        if event["type"] == "response.output_item.done":
            items[event["output_index"]] = event["item"]
        elif event["type"] == "response.completed":
            for index, item in enumerate(event["response"]["output"]):
                items.setdefault(index, item)
    return [items[index] for index in sorted(items)]


def item_as_replayed(item: Any) -> Any:
    """Log probabilities are no input, nor is the state of a finished call."""
    if item["type"] == "message":
        for part in item["content"]:
            for field in ("logprobs", "parsed"):
                part.pop(field, None)
            if part["type"] == "output_text":
                part.setdefault("annotations", [])
    if item["type"] in {"function_call", "custom_tool_call"}:
        item.pop("status", None)
    return item


@pytest.mark.proves("spine-llm", "providers-history")
@every("recording", of("openai-responses"), ids=name_of)
def test_response_items_go_back_as_they_came(recording: Recording) -> None:
    wanted = [item_as_replayed(item) for item in response_items(recording)]
    assert sent_back(recording)["input"][1:-1] == wanted


@pytest.mark.proves("spine-llm", "providers-history", "H17")
def test_a_reasoning_item_goes_back_to_the_byte() -> None:
    seen = 0
    for recording in of("openai-responses"):
        if recording.encoding == "json":
            continue
        body = by_name("openai-responses").build_body(
            Request(model="model", messages=(kept(parts_of(recording)),)), DIALECT, ORIGIN
        )
        for line in recording.body.splitlines():
            marker = '"item":{"'
            if "response.output_item.done" in line and marker in line and '"encrypted' in line:
                start = line.index(marker) + len(marker) - 2
                _, end = json.JSONDecoder().raw_decode(line, start)
                assert line[start:end].encode() in body
                seen += 1
            if '"type":"response.completed"' in line:
                break
    assert seen >= 3


def chat_details(recording: Recording) -> list[Any]:
    if recording.encoding == "json":
        text = json.dumps(recording.body)
        assert "reasoning_details" not in text
        return []
    return [
        detail
        for event in events_in(recording)
        for choice in event.get("choices", ())
        for detail in choice["delta"].get("reasoning_details") or ()
    ]


@pytest.mark.proves("spine-llm", "providers-history")
@every("recording", [one for one in of("openai-chat") if chat_details(one)], ids=name_of)
def test_reasoning_details_go_back_in_order(recording: Recording) -> None:
    pieces = chat_details(recording)
    back = [item for item in sent_back(recording)["messages"] if item["role"] == "assistant"]
    details = back[0]["reasoning_details"]
    for field in ("text", "summary", "data", "signature"):
        joined = "".join(piece.get(field) or "" for piece in pieces)
        assert "".join(detail.get(field) or "" for detail in details) == joined
    kinds = [piece["type"] for piece in pieces]
    assert [detail["type"] for detail in details] == sorted(set(kinds), key=kinds.index)


@every("recording", of("openai-chat"), ids=name_of)
def test_chat_calls_go_back_as_they_were_made(recording: Recording) -> None:
    wanted = [
        (call["id"], call["name"], call["arguments"]) for call in recording.facts["tool_calls"]
    ]
    made = [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for item in sent_back(recording)["messages"]
        for call in item.get("tool_calls", ())
    ]
    assert made == wanted


@pytest.mark.proves("H17")
def test_thoughts_go_back_to_vendors_that_demand_them() -> None:
    dialect = Dialect(reasoning_send_back="field", reasoning_field="reasoning_content")
    for recording in of("openai-chat"):
        thoughts = recording.facts["reasoning"]
        if not thoughts or recording.facts["error"]:
            continue
        items = sent_back(recording, dialect=dialect)["messages"]
        back = [item.get("reasoning_content") for item in items if item["role"] == "assistant"]
        assert back == [thoughts]


def as_gemini_parts(recording: Recording) -> list[Any]:
    """The vendor's parts, words that follow each other unsigned as one; thoughts stay here."""
    is_text = recording.encoding == "sse"
    came: Any = events_in(recording) if is_text else json.loads(recording.raw)
    chunks: list[Any] = [came] if "candidates" in came else came
    found: list[Any] = []
    for chunk in chunks:
        for part in chunk["candidates"][0].get("content", {}).get("parts", []):
            is_signed = "thoughtSignature" in part
            if part.get("thought") or (part.get("text") == "" and not is_signed):
                continue
            if not is_signed and "text" in part and found and set(found[-1]) == {"text"}:
                found[-1] = {"text": found[-1]["text"] + part["text"]}
            else:
                found.append(part)
    for part in found:
        if "functionCall" in part:
            part["functionCall"].setdefault("args", {})
    return found


@pytest.mark.proves("providers-history", "H17")
@every("recording", of("gemini"), ids=name_of)
def test_gemini_parts_go_back_as_they_came(recording: Recording) -> None:
    contents = sent_back(recording)["contents"]
    back = [part for content in contents[1:-1] for part in content["parts"]]
    wanted = as_gemini_parts(recording)
    if "willContinue" not in json.dumps(wanted):
        assert back == wanted
        return
    # Calls that came in pieces go back whole, each with the signature it opened with.
    opened = [part for part in wanted if part.get("functionCall", {}).get("name")]
    assert [(part["functionCall"]["name"], part.get("thoughtSignature")) for part in back] == [
        (part["functionCall"]["name"], part.get("thoughtSignature")) for part in opened
    ]


@pytest.mark.proves("providers-history", "H17")
def test_gemini_signatures_are_neither_lost_nor_moved() -> None:
    kinds: list[str] = []
    for recording in of("gemini"):
        parts = sent_back(recording)["contents"][1]["parts"]
        kinds += [
            "empty text" if part.get("text") == "" else min(set(part) - {"thoughtSignature"})
            for part in parts
            if "thoughtSignature" in part
        ]
    counts = {kind: kinds.count(kind) for kind in set(kinds)}
    assert counts == {
        "empty text": 8,
        "functionCall": 9,
        "text": 8,
        "toolCall": 2,
        "toolResponse": 2,
    }


OPAQUE = ("signature", "encrypted_content", "reasoning_details", "redacted_thinking", '"phase"')


@pytest.mark.deep
@pytest.mark.proves("spine-llm", "providers-history", "H24")
@every("protocol", sorted({one.protocol for one in REPLIES}))
@every("field", ["provider", "protocol", "model"])
def test_nothing_opaque_goes_to_another_origin(protocol: str, field: str) -> None:
    other = Origin(**{"provider": "vendor", "protocol": "any", "model": "model", field: "other"})
    found: dict[str, list[str]] = {}
    for recording in of(protocol):
        body = sent_back(recording, other, Dialect(reasoning_send_back="details"))
        found[name_of(recording)] = opaque_in(body)
    assert {name: each for name, each in found.items() if each} == {}


def opaque_in(body: Any) -> list[str]:
    """What of a request is more than words, calls and their answers."""
    history = json.dumps(body.get("messages") or body.get("input") or body.get("contents"))
    found = [word for word in OPAQUE if f'{word}": ' in history]
    for content in body.get("contents", ()):
        for part in content["parts"]:
            found += set(part) - {"text", "functionCall", "thoughtSignature"}
            found += set(part.get("functionCall", {})) - {"name", "args"}
            if part.get("thoughtSignature") not in {None, "skip_thought_signature_validator"}:
                found.append(f"thoughtSignature {part['thoughtSignature']}")
    for item in body.get("input", ()):
        found += {"id"} & set(item)
        found += {item["type"]} - {"message", "function_call"}
    for item in body.get("messages", ()):
        found += set(item) - {"role", "content", "tool_calls"}
        for block in item["content"] if isinstance(item["content"], list) else ():
            found += {block["type"]} - {"text", "tool_use"}
            found += {"citations", "caller"} & set(block)
    return found
