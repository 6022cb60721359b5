"""Every vendor's bodies, for a request that holds everything, are as the vendor documents them."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from ouroboros.core.parts import (
    Freeform,
    Media,
    Message,
    Origin,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.lowering import lower
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import ENTRIES
from ouroboros.llm.providers.entry import Entry
from ouroboros.llm.request import Request
from tests.cases import every
from tests.unit.llm.vendor_expectations import VENDORS
from tests.wire.histories import WRITERS, Drawn, origin_of
from tests.wire.shapes.checked import check
from tests.wire.shapes.converse import converse_faults

pytestmark = pytest.mark.real

MORE = {
    "openai": ("gpt-4.1", "gpt-5", "o3"),
    "anthropic": (
        "claude-3-7-sonnet-20250219",
        "claude-opus-4-1-20250805",
        "claude-opus-4-6",
        "claude-opus-4-8",
        "claude-opus-5",
        "claude-fable-5-2",
    ),
    "google": ("gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-flash-preview", "gemma-3"),
    "mistral": ("mistral-medium-latest",),
    "groq": ("qwen/qwen3-32b",),
    "moonshot": ("kimi-k3", "moonshot-v1-8k"),
    "zai": ("glm-4.7", "glm-5.3"),
    "bedrock": (
        "us.anthropic.claude-opus-4-6-v1",
        "us.anthropic.claude-opus-5-v1:0",
        "us.amazon.nova-2-lite-v1:0",
        "mistral.mistral-large-2407-v1:0",
        "openai.gpt-oss-120b-1:0",
    ),
    "bedrock-invoke": (
        "us.anthropic.claude-opus-5-v1:0",
        "us.anthropic.claude-sonnet-4-20250514-v1:0",
        "us.amazon.nova-2-lite-v1:0",
        "openai.gpt-oss-120b-1:0",
    ),
}
CASES = [
    (entry, model)
    for entry in ENTRIES
    if entry.name in VENDORS
    for model in (VENDORS[entry.name].model, *MORE.get(entry.name, ()))
]
EFFORTS: tuple[Any, ...] = (None, "none", "minimal", "low", "medium", "high", "xhigh", "max")
TIERS = {"anthropic": "standard_only"}

DATA = base64.b64encode(b"bytes").decode()
PICTURE = Media(media_type="image/png", data=DATA)
SHOWN = (
    PICTURE,
    Media(media_type="image/png", url="https://example.test/a.png"),
    Media(media_type="application/pdf", data=DATA, name="re_port.pdf"),
    Media(media_type="text/plain", data=DATA, name="a.txt"),
)
SCHEMA = '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}'
TOOLS = (
    ToolSpec(name="read", description="Reads.", schema=SCHEMA),
    ToolSpec(name="9.odd/name", description="", schema='{"type":"object","properties":{}}'),
    ToolSpec(name="apply_patch", description="Patches.", schema=SCHEMA, freeform=Freeform()),
)


def turn(number: int, origin: Origin, protocol: str, id: str) -> Iterator[Message]:
    """A thoughtful reply with parallel calls; a result that failed, an empty one, a silent one."""
    calls = (
        ToolCall(id=f"{id}a{number}", name="read", arguments='{"input":"x"}'),
        ToolCall(id=f"{id}b{number}", name="9.odd/name", arguments='{"cut'),
        ToolCall(id=f"{id}c{number}", name="apply_patch", arguments='{"input":"x"}'),
    )
    parts = WRITERS[protocol](Drawn(f"m{number}", "Words. ", calls, is_thoughtful=True))
    yield Message(id=f"a{number}", role="assistant", parts=tuple(parts), origin=origin)
    failed = ToolResult(
        call_id=calls[1].id, name=calls[1].name, parts=(Text(text="no"), PICTURE), ok=False
    )
    empty = ToolResult(call_id=calls[0].id, name=calls[0].name, parts=(Text(text=" "),))
    yield Message(id=f"r{number}", role="user", parts=(failed, empty))
    silent = ToolResult(call_id=calls[2].id, name=calls[2].name)
    yield Message(id=f"s{number}", role="user", parts=(silent,))


def writer_of(origin: Origin) -> str:
    """The format in which a model's own replies came."""
    if origin.protocol != "bedrock-invoke-stream" or "anthropic." in origin.model:
        return origin.protocol
    return "bedrock-converse" if "amazon.nova" in origin.model else "openai-chat"


def history(own: Origin, foreign: str) -> tuple[Message, ...]:
    other = origin_of(foreign, "other")
    first = Message(id="u0", role="user", parts=(Text(text="Look."), Text(text=""), *SHOWN))
    return (
        first,
        *turn(0, own, writer_of(own), "call_"),
        *turn(1, other, foreign, f"functions.é:{'x' * 60}"),
        *turn(2, own, writer_of(own), "call_"),
        Message(id="a9", role="assistant", parts=(Text(text="Done. \n"),), origin=own),
        Message(id="u9", role="user", parts=(Text(text="Go on."), Text(text=" "))),
    )


def requests(entry: Entry, model: str) -> Iterator[Request]:
    own = Origin(provider=entry.name, protocol=entry.protocol, model=model)
    whole = Request(
        model=model,
        system=("Be brief.", " ", "Be kind."),
        tools=TOOLS,
        max_output_tokens=3_000,
        temperature=0.5,
        cache_key="session",
        service_tier=TIERS.get(entry.name, "flex"),
        window=100_000,
    )
    for foreign in WRITERS:
        yield replace(whole, messages=history(own, foreign), effort="high")
    fresh = replace(whole, messages=history(own, "gemini"))
    for effort in EFFORTS:
        yield replace(fresh, effort=effort)
        yield replace(fresh, effort=effort, messages=fresh.messages[:-2])
    for choice in ("auto", "none", "required"):
        yield replace(fresh, tool_choice=choice)
        yield replace(fresh, tool_choice=choice, tools=())
    yield replace(fresh, stream=False, max_output_tokens=None, temperature=None, system=())


def body_of(entry: Entry, request: Request) -> bytes:
    dialect = entry.dialect_of(request.model)
    own = Origin(provider=entry.name, protocol=entry.protocol, model=request.model)
    lowered = lower(request, dialect, own).request
    return by_name(entry.protocol).build_body(lowered, dialect, own)


def check_invoked(model: str, body: bytes) -> None:
    """The format of whoever made the model, without what the address says."""
    if "anthropic." in model:
        check("anthropic-messages", "bedrock-invoke", body)
        assert {"model", "stream"}.isdisjoint(json.loads(body))
    elif "amazon.nova" in model:
        found = json.loads(body)
        assert found.pop("schemaVersion") == "messages-v1"
        found.get("inferenceConfig", {}).pop("reasoningConfig", None)
        assert list(converse_faults(found)) == []
        assert "additionalModelRequestFields" not in found
    else:
        check("openai-chat", "bedrock-invoke", b'{"model":"m","stream":true,' + body[1:])


@pytest.mark.deep
@pytest.mark.proves("H05")
@every(("entry", "model"), CASES, ids=[f"{entry.name}-{model}" for entry, model in CASES])
def test_a_body_holds_only_what_the_vendor_documents(entry: Entry, model: str) -> None:
    for request in requests(entry, model):
        body = body_of(entry, request)
        if entry.protocol == "bedrock-invoke-stream":
            check_invoked(model, body)
        else:
            check(entry.protocol, entry.name, body)


REFUSED = (
    ("openai-chat", '{"thinking":{"type":"enabled"}}'),
    ("openai-chat", '{"reasoning_effort":"extreme"}'),
    ("openai", '{"store":true}'),
    ("openai", '{"messages":[]}'),
    ("anthropic", '{"thinking":{"type":"enabled","budget_tokens":3000}}'),
    ("anthropic", '{"service_tier":"flex"}'),
    ("google", '{"system_instruction":{"parts":[]}}'),
    ("google", '{"contents":[{"role":"assistant","parts":[{"text":"x"}]}]}'),
    ("bedrock", '{"serviceTier":"flex"}'),
    ("bedrock", '{"messages":[{"role":"user","content":[{"text":"x","image":{}}]}]}'),
    ("ollama", '{"think":"hard"}'),
)


@pytest.mark.proves("H05")
@every(("name", "change"), REFUSED)
def test_the_shapes_refuse_what_a_vendor_would(name: str, change: str) -> None:
    entry = next(one for one in ENTRIES if one.name == name)
    body = json.loads(body_of(entry, next(requests(entry, VENDORS[name].model))))
    with pytest.raises((msgspec.ValidationError, AssertionError)):
        check(entry.protocol, entry.name, json.dumps({**body, **json.loads(change)}).encode())
