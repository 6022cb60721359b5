"""A recorded reply of Bedrock goes back with every opaque field in place, and to no other model."""

import json
from importlib import import_module
from typing import Any

import pytest

from ouroboros.core.parts import Message, Origin, Text
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every
from tests.wire.recordings import ORIGIN, Recording, kept, parts_of, replies

REPLIES = [one for one in replies() if one.protocol == "bedrock-converse"]
ASKED = Message(id="ask", role="user", parts=(Text(text="Go on."),))


def name_of(recording: Recording) -> str:
    return recording.path.stem


def sent_back(recording: Recording, origin: Origin = ORIGIN) -> list[Any]:
    """The blocks of the reply in the next request."""
    request = Request(model="m", messages=(ASKED, kept(parts_of(recording)), ASKED))
    body = json.loads(by_name(recording.protocol).build_body(request, Dialect(), origin))
    answers = [item["content"] for item in body["messages"] if item["role"] == "assistant"]
    return answers[0] if answers else []


def streamed_blocks(recording: Recording) -> list[Any]:
    """The blocks of a stream, put together by other means than ours."""
    buffer = import_module("botocore.eventstream").EventStreamBuffer()
    buffer.add_data(recording.raw)
    blocks: dict[int, Any] = {}
    for message in buffer:
        event = json.loads(message.payload)
        index = event.get("contentBlockIndex", -1)
        match message.headers[":event-type"]:
            case "contentBlockStart":
                blocks[index] = event["start"]
            case "contentBlockDelta":
                extend(blocks.setdefault(index, {}), event["delta"])
            case _:
                pass
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"].get("input") or "{}")
    return [blocks[index] for index in sorted(blocks)]


def extend(block: Any, delta: Any) -> None:
    for kind, piece in delta.items():
        if kind == "text":
            block["text"] = block.get("text", "") + piece
        elif kind == "toolResult":
            block[kind].setdefault("content", []).extend(piece)
        elif kind == "toolUse":
            block[kind]["input"] = block[kind].get("input", "") + piece["input"]
        else:
            inner = block.setdefault(kind, {})
            target = inner if "redactedContent" in piece else inner.setdefault("reasoningText", {})
            for field, more in piece.items():
                target[field] = target.get(field, "") + more


def blocks_of(recording: Recording) -> list[Any]:
    if recording.encoding == "json":
        return recording.body["output"]["message"]["content"]
    return streamed_blocks(recording)


def as_replayed(block: Any) -> Any:
    """The block as it must go back, or None: blank words and unsigned thoughts are no input."""
    if "text" in block:
        return {"text": block["text"]} if block["text"].strip() else None
    if "reasoningContent" in block:
        thought = block["reasoningContent"]
        is_signed = "redactedContent" in thought or thought["reasoningText"].get("signature")
        return block if is_signed else None
    if block.get("toolUse", {}).get("type") == "tool_use":
        del block["toolUse"]["type"]
    return block


@pytest.mark.proves("providers-history", "H17")
@every("recording", REPLIES, ids=name_of)
def test_blocks_go_back_as_they_came(recording: Recording) -> None:
    wanted = [block for block in map(as_replayed, blocks_of(recording)) if block]
    if wanted and "text" in wanted[-1]:
        wanted[-1]["text"] = wanted[-1]["text"].rstrip()
    assert sent_back(recording) == wanted


def test_thoughts_and_hosted_tools_are_among_them() -> None:
    kinds = {kind for recording in REPLIES for block in blocks_of(recording) for kind in block}
    assert {"text", "toolUse", "toolResult", "reasoningContent"} <= kinds


@pytest.mark.proves("providers-history")
@every("field", ["provider", "protocol", "model"])
def test_nothing_opaque_goes_to_another_model(field: str) -> None:
    other = Origin(**{"provider": "vendor", "protocol": "any", "model": "model", field: "other"})
    for recording in REPLIES:
        for block in sent_back(recording, other):
            assert set(block) <= {"text", "toolUse"}, recording.path
            called = block.get("toolUse", {"toolUseId": "a", "name": "", "input": {}})
            assert set(called) == {"toolUseId", "name", "input"}, recording.path
            id = called["toolUseId"].replace("_", "").replace("-", "")
            assert id.isalnum(), recording.path
