"""A reply that broke off while the model was thinking must not spoil the next request."""

import json
from typing import Any

from ouroboros.core.parts import Message, Origin, Part, Reasoning, Text
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every

ITEM = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"opaque"}'
THOUGHTS: dict[str, Part] = {
    "anthropic-messages": Reasoning(text="Hm.", meta={"signature": "Sig=="}),
    "openai-responses": Reasoning(text="Hm.", meta={"item": ITEM}),
    "openai-chat": Reasoning(text="Hm.", meta={"details": [{"type": "reasoning.text"}]}),
    "gemini": Reasoning(text="Hm.", meta={"signed": [[3, "Sig=="]]}),
    "ollama-chat": Reasoning(text="Hm."),
}
DIALECT = Dialect(reasoning_send_back="details")


def history(protocol: str, *said: Part) -> list[Any]:
    origin = Origin(provider="p", protocol=protocol, model="m")
    messages = (
        Message(id="u", role="user", parts=(Text(text="Do it."),)),
        Message(id="a", role="assistant", parts=said, origin=origin),
        Message(id="n", role="user", parts=(Text(text="Go on."),)),
    )
    body = by_name(protocol).build_body(Request(model="m", messages=messages), DIALECT, origin)
    read = json.loads(body)
    return read.get("messages") or read.get("contents") or read["input"]


@every("protocol", THOUGHTS)
def test_thoughts_alone_are_no_message(protocol: str) -> None:
    assert [item.get("role") for item in history(protocol, THOUGHTS[protocol])] == ["user", "user"]


@every("protocol", THOUGHTS)
def test_no_message_ends_in_thoughts(protocol: str) -> None:
    thought = THOUGHTS[protocol]
    items = history(protocol, thought, Text(text="First."), thought)
    kinds = [item.get("type") or item["role"] for item in items]
    match protocol:
        case "anthropic-messages":
            assert [block["type"] for block in items[1]["content"]] == ["thinking", "text"]
        case "openai-responses":
            assert kinds == ["message", "reasoning", "message", "message"]
        case "gemini":
            thought_part = {"text": "Hm.", "thought": True, "thoughtSignature": "Sig=="}
            assert items[1]["parts"] == [thought_part, {"text": "First."}]
        case _:
            assert kinds == ["user", "assistant", "user"]
            assert items[1]["content"] == "First."
