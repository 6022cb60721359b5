"""Every vendor of the table on loopback: where a request goes, as whom, in what words."""

from collections.abc import Mapping
from typing import Any

import pytest

from ouroboros.core.clock import SystemClock
from ouroboros.core.parts import (
    Message,
    Meta,
    Origin,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
)
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers import ENTRIES, Choice, find
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished
from tests.cases import every
from tests.unit.llm.vendor_expectations import ABSENT, VENDORS, Expected
from tests.unit.llm.vendor_server import REPLIES, Asked, bare

pytestmark = pytest.mark.real

LOCAL = {"echo", "script", "litellm", "compatible"}
"""Entries that are no vendor with an address of its own; each has a test elsewhere."""


@pytest.mark.proves("providers-vendors", "H02")
def test_every_vendor_of_the_table_is_expected_here() -> None:
    assert {entry.name for entry in ENTRIES} - LOCAL == set(VENDORS)
    assert len(VENDORS) >= 24


def conversation(origin: Origin) -> tuple[Message, ...]:
    """A turn with a thought and a call, and new words after it."""
    details: Meta = {"details": [{"type": "reasoning.text", "text": "Look first."}]}
    call = ToolCall(id="call-0123456789-abcdefghij", name="read", arguments='{"path":"a"}')
    result = ToolResult(call_id=call.id, name="read", parts=(Text(text="alpha"),))
    parts = (Reasoning(text="Look first.", meta=details), Text(text="Reading."), call)
    return (
        Message(id="u1", role="user", parts=(Text(text="Read a."),)),
        Message(id="a1", role="assistant", parts=parts, origin=origin),
        Message(id="r1", role="user", parts=(result,)),
        Message(id="u2", role="user", parts=(Text(text="Go on."),)),
    )


def request(choice: Choice) -> Request:
    tool = ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{}}')
    return Request(
        model=choice.model,
        system=("Be brief.",),
        messages=conversation(choice.origin),
        tools=(tool,),
        tool_choice="required",
        max_output_tokens=100,
        temperature=0.5,
        effort="high",
        cache_key="session",
    )


async def open_vendor(name: str, expected: Expected, base_url: str) -> tuple[Choice, Client]:
    environment = dict(expected.environment)
    choice = find(f"{name}/{expected.model}", environment=environment, base_url=base_url)
    client = await open_client(
        choice, clock=SystemClock(), random=lambda: 0.5, connection=Connection()
    )
    return choice, client


async def exchange(name: str, expected: Expected) -> tuple[Asked, Finished]:
    async with bare(REPLIES) as server:
        choice, client = await open_vendor(name, expected, server.url)
        try:
            async with client.stream(request(choice)) as events:
                last = [event async for event in events][-1]
        finally:
            await client.close()
    assert isinstance(last, Finished)
    return server.asked[0], last


def compare(what: str, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key, value in wanted.items():
        assert found.get(key, ABSENT) == value, f"{what}: {key}"


@pytest.mark.proves("providers-vendors", "H02")
@every("name", VENDORS)
async def test_a_vendor_is_asked_in_its_own_way_and_understood(name: str) -> None:
    expected = VENDORS[name]
    asked, last = await exchange(name, expected)
    own_path = expected.url.split("://", 1)[1].partition("/")[2]
    assert (asked.method, asked.path) == ("POST", f"/{own_path}")
    header, value = expected.header
    assert asked.headers.get(header, ABSENT) == value
    assert sum("sk-1" in each for each in asked.headers.values()) == (value != ABSENT)
    compare(name, asked.json, expected.body)
    messages = asked.json.get("messages", [])
    if expected.roles:
        assert tuple(each["role"] for each in messages) == expected.roles
    if expected.extra:
        compare(name, next(one for one in messages if one["role"] == "assistant"), expected.extra)
    assert [part.text for part in last.parts if isinstance(part, Text)] == ["Hello"]
    assert last.stop_reason == "end"
    assert last.usage is not None
    assert (last.usage.input_total, last.usage.output_total) == (7, 2)
    assert isinstance(last.usage, Usage)


@pytest.mark.proves("providers-vendors", "H02")
@every("name", VENDORS)
def test_a_vendors_own_address_is_right(name: str) -> None:
    from ouroboros.llm.protocols import by_name

    expected = VENDORS[name]
    choice = find(f"{name}/{expected.model}", environment=expected.environment)
    path = by_name(choice.entry.protocol).path(request(choice))
    assert choice.url(path) == expected.url
    assert not choice.is_custom


@pytest.mark.proves("providers-history")
async def test_mistrals_call_ids_are_nine_characters() -> None:
    asked, _ = await exchange("mistral", VENDORS["mistral"])
    called = next(one for one in asked.json["messages"] if one.get("tool_calls"))
    answered = next(one for one in asked.json["messages"] if one["role"] == "tool")
    identifier = called["tool_calls"][0]["id"]
    assert len(identifier) == 9
    assert identifier.isalnum()
    assert answered["tool_call_id"] == identifier


async def test_githubs_version_goes_with_each_request() -> None:
    asked, _ = await exchange("github", VENDORS["github"])
    assert asked.headers["x-github-api-version"] == "2022-11-28"


async def test_anthropics_version_goes_with_each_request() -> None:
    asked, _ = await exchange("anthropic", VENDORS["anthropic"])
    assert asked.headers["anthropic-version"] == "2023-06-01"
