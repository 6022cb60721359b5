"""Searches that a vendor makes itself: asked for where it has them, hidden where not, and read into the reply."""

import msgspec
import pytest

from ouroboros.core.events import AgentMessage, Envelope
from ouroboros.core.parts import Foreign, Message, Origin, Text, ToolSpec
from ouroboros.core.state import State
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import ENTRIES
from ouroboros.llm.request import Request, WebSearch
from tests.cases import every

READ = ToolSpec(name="read", description="Reads.", schema='{"type":"object"}')


def _tools(
    protocol: str, dialect: Dialect, wish: WebSearch
) -> tuple[list[dict[str, object]], object]:
    origin = Origin(provider="x", protocol=protocol, model="m")
    words = Message(id="1", role="user", parts=(Text(text="hello"),))
    request = Request(model="m", messages=(words,), tools=(READ,), web_search=wish)
    body = msgspec.json.decode(by_name(protocol).build_body(request, dialect, origin))
    return body["tools"], body.get("toolConfig")


@pytest.mark.proves("D16")
@every(
    ("protocol", "offered", "wish", "asked"),
    [
        ("openai-responses", "both", "live", {"type": "web_search"}),
        (
            "openai-responses",
            "both",
            "cached",
            {"type": "web_search", "external_web_access": False},
        ),
        ("openai-responses", "live", "cached", None),
        ("openai-responses", "both", "off", None),
        ("openai-responses", "none", "live", None),
        (
            "anthropic-messages",
            "live",
            "live",
            {"type": "web_search_20250305", "name": "web_search"},
        ),
        ("anthropic-messages", "live", "cached", None),
        ("anthropic-messages", "none", "live", None),
        ("gemini", "live", "live", {"googleSearch": {}}),
        ("gemini", "live", "cached", None),
        ("gemini", "none", "live", None),
    ],
)
def test_a_vendors_search_is_asked_for_where_it_is_wanted_and_there(
    protocol: str, offered: str, wish: WebSearch, asked: dict[str, object] | None
) -> None:
    dialect = msgspec.convert({"hosted_search": offered}, Dialect)
    tools, config = _tools(protocol, dialect, wish)
    bare, _ = _tools(protocol, Dialect(), "live")
    assert len(tools) == len(bare) + (asked is not None)
    if asked is not None:
        assert asked.items() <= tools[-1].items()
        assert protocol != "gemini" or "includeServerSideToolInvocations" in str(config)


@pytest.mark.proves("D16")
@every(
    ("vendor", "model", "offered"),
    [
        ("openai", "gpt-6-astra", "both"),
        ("openai", "gpt-4o", "none"),
        ("anthropic", "claude-sonnet-5-5", "live"),
        ("anthropic", "claude-sonnet-4-5", "live"),
        ("google", "gemini-3.8-flash", "live"),
        ("google", "gemini-2.5-pro", "none"),
        ("google", "gemma-3-27b-it", "none"),
        ("deepseek", "deepseek-chat", "none"),
        ("ollama", "llama3", "none"),
    ],
)
def test_the_table_knows_who_has_one(vendor: str, model: str, offered: str) -> None:
    entry = next(entry for entry in ENTRIES if entry.name == vendor)
    assert entry.dialect_of(model).hosted_search == offered


@pytest.mark.proves("D16")
@every(
    ("kind", "sources"),
    [
        ("web_search_tool_result", ["web search"]),
        ("web_search_call", ["web search"]),
        ("toolResponse", ["web search"]),
        ("compaction", []),
    ],
)
def test_what_was_found_counts_as_text_from_outside(kind: str, sources: list[str]) -> None:
    state = State()
    reply = Message(id="1", role="assistant", parts=(Foreign(kind=kind, content="{}"),))
    state.apply(
        Envelope(
            id="e1",
            session="s",
            turn=1,
            seq=1,
            ts=0.0,
            type=AgentMessage.type,
            source="agent",
            data=AgentMessage(message=reply, stop_reason="end"),
        )
    )
    assert state.sources == sources
