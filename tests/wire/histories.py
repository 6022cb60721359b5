"""Histories as each vendor's replies leave them, with opaque state that can be told apart."""

import base64
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ouroboros.core.parts import (
    Foreign,
    Freeform,
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

SCHEMA = json.dumps({
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
})
NAMES = ("read", "git.hub/search", "x" * 70, "apply_patch")
TOOLS = tuple(
    ToolSpec(
        name=name,
        description="d",
        schema=SCHEMA,
        freeform=Freeform() if name == "apply_patch" else None,
    )
    for name in NAMES
)

DIALECTS = {
    "openai-chat": Dialect(reasoning_send_back="details"),
    "openai-responses": Dialect(freeform_tools=True),
    "anthropic-messages": Dialect(),
    "bedrock-converse": Dialect(cache_marker="cache_control"),
    "bedrock-invoke-stream": Dialect(),
    "gemini": Dialect(effort_style="level"),
    "ollama-chat": Dialect(),
}
MODELS = {
    "bedrock-converse": "anthropic.claude-x",
    "bedrock-invoke-stream": "anthropic.claude-x",
}


def origin_of(protocol: str, provider: str) -> Origin:
    model = MODELS.get(protocol, "model")
    return Origin(provider=provider, protocol=protocol, model=model)


class Drawn(NamedTuple):
    """What one reply is made of; ``mark`` begins every opaque value of it."""

    mark: str
    words: str
    calls: tuple[ToolCall, ...]
    is_thoughtful: bool


def _chat(reply: Drawn) -> list[Part]:
    details = [{"type": "reasoning.encrypted", "data": f"{reply.mark}-data", "index": 0}]
    extra = {"extra_content": {"google": {"thought_signature": f"{reply.mark}-call"}}}
    calls = [_with(call, extra) for call in reply.calls]
    thoughts = [Reasoning(text="Hm.", meta={"details": details})] if reply.is_thoughtful else []
    return [*thoughts, *_text(reply, {}), *calls]


def _responses(reply: Drawn) -> list[Part]:
    item: dict[str, Any] = {"id": f"{reply.mark}-rs", "type": "reasoning", "summary": []}
    item["encrypted_content"] = f"{reply.mark}-secret"
    search = {"type": "web_search_call", "id": f"{reply.mark}-ws"}
    thoughts: list[Part] = []
    if reply.is_thoughtful:
        thoughts = [
            Foreign(kind="web_search_call", content=json.dumps(search)),
            Reasoning(text="Hm.", meta={"item": json.dumps(item)}),
        ]
    calls: list[Part] = []
    for call in reply.calls:
        custom = {"custom": True} if call.name == "apply_patch" else {}
        calls.append(_with(call, {"id": f"{reply.mark}-fc", **custom}))
    return [*thoughts, *_text(reply, {"id": f"{reply.mark}-msg", "phase": "commentary"}), *calls]


def _claude(reply: Drawn) -> list[Part]:
    hosted: dict[str, Any] = {
        "type": "server_tool_use",
        "id": f"{reply.mark}-srv",
        "name": "x",
        "input": {},
    }
    thoughts: list[Part] = []
    if reply.is_thoughtful:
        thoughts = [
            Reasoning(text="Hm.", meta={"signature": f"{reply.mark}-sig"}),
            Reasoning(meta={"redacted": f"{reply.mark}-red"}),
            Foreign(kind="server_tool_use", content=json.dumps(hosted)),
        ]
    calls = [_with(call, {"caller": {"type": f"{reply.mark}-caller"}}) for call in reply.calls]
    citations = [{"type": "char_location", "cited_text": f"{reply.mark}-cited"}]
    return [*thoughts, *_text(reply, {"citations": citations}), *calls]


def _converse(reply: Drawn) -> list[Part]:
    thoughts: list[Part] = []
    if reply.is_thoughtful:
        thoughts = [
            Reasoning(text="Hm.", meta={"signature": f"{reply.mark}-sig"}),
            Reasoning(meta={"redacted": f"{reply.mark}-red"}),
        ]
    return [*thoughts, *_text(reply, {}), *reply.calls]


def _gemini(reply: Drawn) -> list[Part]:
    ran = {"executableCode": {"language": "PYTHON", "code": f"{reply.mark}-code"}}
    thoughts: list[Part] = []
    if reply.is_thoughtful:
        thoughts = [
            Reasoning(text="Hm."),
            Foreign(kind="executableCode", content=json.dumps(ran)),
        ]
    signed = [[len(reply.words), f"{reply.mark}-text"]]
    calls: list[Part] = []
    for place, call in enumerate(reply.calls):
        first = {"thoughtSignature": f"{reply.mark}-call"} if not place else {}
        calls.append(_with(call, {"id": f"{reply.mark}-{place}", **first}))
    return [*thoughts, *_text(reply, {"signed": signed}), *calls]


def _ollama(reply: Drawn) -> list[Part]:
    thoughts = [Reasoning(text=f"{reply.mark}-thought")] if reply.is_thoughtful else []
    calls = [_with(call, {"id": f"{reply.mark}-{place}"}) for place, call in enumerate(reply.calls)]
    return [*thoughts, *_text(reply, {}), *calls]


WRITERS: dict[str, Callable[[Drawn], list[Part]]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic-messages": _claude,
    "bedrock-converse": _converse,
    "bedrock-invoke-stream": _claude,
    "gemini": _gemini,
    "ollama-chat": _ollama,
}

RETURNED: dict[str, frozenset[str]] = {
    "openai-chat": frozenset({"data", "call"}),
    "openai-responses": frozenset({"rs", "secret", "ws", "msg", "fc"}),
    "anthropic-messages": frozenset({"sig", "red", "srv", "caller", "cited"}),
    "bedrock-converse": frozenset({"sig", "red"}),
    "bedrock-invoke-stream": frozenset({"sig", "red", "srv", "caller", "cited"}),
    "gemini": frozenset({"code", "text", "call", "0", "1"}),
    "ollama-chat": frozenset({"thought", "0", "1"}),
}
"""The opaque values that a thoughtful reply with words and two calls must get back."""


def _with(call: ToolCall, meta: dict[str, Any]) -> ToolCall:
    return ToolCall(id=call.id, name=call.name, arguments=call.arguments, meta=meta)


def _text(reply: Drawn, meta: dict[str, Any]) -> list[Part]:
    return [Text(text=reply.words, meta=meta)] if reply.words else []


def picture(word: str) -> Media:
    return Media(media_type="image/png", data=base64.b64encode(word.encode()).decode())


IDS = st.sampled_from([
    "call_{}",
    "toolu_{}",
    "a:b|{}",
    "functions.read:{}",
    "x" * 80 + "{}",
    "é{}",
])


@st.composite
def exchange(draw: st.DrawFn, protocol: str, provider: str, number: int) -> list[Message]:
    """What a person says, what the vendor's model replies, and the results of its calls.

    Every word says its exchange and its place, as ``w3x1``.
    """
    count = iter(range(100))

    def word() -> str:
        return f"w{number}x{next(count)}"

    said: list[Part] = [Text(text=word())]
    if draw(st.booleans()):
        said.append(picture(word()))
    blank = [Text(text=draw(st.sampled_from(["", " ", "\n"])))] if draw(st.booleans()) else []
    names = draw(st.lists(st.sampled_from(NAMES), max_size=3))
    words = draw(st.sampled_from(["", f"{word()}."]))
    calls = tuple(
        ToolCall(
            id=draw(IDS).format(f"{number}{place}"),
            name=name,
            arguments=json.dumps({"input": word()}),
        )
        for place, name in enumerate(names)
    )
    reply = Drawn(f"{provider}{number}", words, calls, draw(st.booleans()))
    made = WRITERS[protocol](reply) if words or calls else []
    if draw(st.integers(0, 3)) == 0:
        made.append(Reasoning(text="broken off in"))
    origin = origin_of(protocol, provider)
    messages = [
        Message(id=f"u{number}", role="user", parts=(*said, *blank)),
        Message(id=f"a{number}", role="assistant", parts=tuple(made), origin=origin),
    ]
    results: list[ToolResult] = []
    for call in calls:
        parts: tuple[Text | Media, ...] = (Text(text=word()),)
        if draw(st.booleans()):
            parts = (*parts, picture(word()))
        ok = draw(st.booleans())
        results.append(ToolResult(call_id=call.id, name=call.name, parts=parts, ok=ok))
    if draw(st.booleans()):
        results.reverse()
    if results and draw(st.booleans()):
        messages.append(Message(id=f"r{number}", role="user", parts=tuple(results)))
    else:
        messages += [
            Message(id=f"r{number}{place}", role="user", parts=(result,))
            for place, result in enumerate(results)
        ]
    return messages


@st.composite
def sessions(draw: st.DrawFn, first: str, second: str) -> list[Message]:
    """A session that began with one vendor, went over to another, and perhaps back."""
    found: list[Message] = []
    for number in range(draw(st.integers(1, 4))):
        protocol, provider = ((first, "one"), (second, "two"))[draw(st.integers(0, 1))]
        found += draw(exchange(protocol, provider, number))
    return [*found, Message(id="end", role="user", parts=(Text(text="w9x0"),))]
