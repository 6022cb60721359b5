"""No dead habits: each member of ``[providers.NAME.dialect]`` changes what is sent or understood."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import fields, replace

from ouroboros.app.providers import models
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Submit
from ouroboros.core.events.code import Logged
from ouroboros.core.parts import (
    Freeform,
    Media,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.cases import every
from tests.story.stage import stage
from tests.unit.llm.vendor_server import CHAT, REPLIES, Answer, bare, events

pytestmark = pytest.mark.real

PIXEL = Media(media_type="image/png", data="aGk=")
READ = ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{}}')
PATCH = ToolSpec(
    name="patch",
    description="Patches.",
    schema='{"type":"object","properties":{"patch":{"type":"string"}},"required":["patch"]}',
    freeform=Freeform(),
)
WHOLE = Answer(
    "application/json",
    b'{"id":"c","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",'
    b'"message":{"role":"assistant","content":"Hello"}}],'
    b'"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}',
)
THINKING_ALOUD = events(
    {"id": "c", "choices": [{"index": 0, "delta": {"content": "<think>Hm.</think>Hello"}}]},
    {"id": "c", "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]},
    done=True,
)
COUNTED = events(
    {"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]},
    {
        "id": "c",
        "choices": (),
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    },
    done=True,
)


class Seen(NamedTuple):
    """What was sent, and what was understood."""

    body: dict[str, Any]
    last: Finished

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def assistant(self) -> dict[str, Any]:
        return next(one for one in self.messages if one["role"] == "assistant")

    @property
    def result(self) -> dict[str, Any]:
        return next(one for one in self.messages if one["role"] == "tool")

    @property
    def roles(self) -> list[str]:
        return [one["role"] for one in self.messages]


def asking(**more: Any) -> Request:
    parts = (Text(text="alpha"), PIXEL)
    result = ToolResult(call_id="call-1234567890", name="read", parts=parts)
    usual: dict[str, Any] = {
        "system": ("Be brief.",),
        "messages": (
            Message(id="u1", role="user", parts=(Text(text="Read a."),)),
            Message(
                id="a1",
                role="assistant",
                parts=(
                    Reasoning(text="Look first."),
                    Text(text="Reading."),
                    ToolCall(id="call-1234567890", name="read", arguments="{}"),
                ),
            ),
            Message(id="r1", role="user", parts=(result,)),
            Message(id="u2", role="user", parts=(Text(text="Go on."),)),
            Message(id="u3", role="user", parts=(Text(text="At once."),)),
        ),
        "tools": (READ,),
        "tool_choice": "required",
        "temperature": 0.5,
        "effort": "high",
        "cache_key": "session",
        "service_tier": "flex",
    }
    return Request(model="m", **{**usual, **more})


async def seen(
    dialect: Mapping[str, object],
    *,
    protocol: str = "openai-chat",
    chat: Answer = CHAT,
    **more: Any,
) -> Seen:
    async with bare({**REPLIES, "/chat/completions": chat}) as server:
        mine = {
            "base_url": server.url,
            "protocol": protocol,
            "dialect": dialect,
            "auth": "none",
        }
        settings = msgspec.convert({"model": "mine/m", "providers": {"mine": mine}}, Settings)
        choice = models.choose(settings, {}).choice
        client = await models.connect(choice, settings.network, {}, SystemClock())
        asked = asking(**more)
        own = [
            replace(one, origin=choice.origin) if one.role == "assistant" else one
            for one in asked.messages
        ]
        try:
            async with client.stream(replace(asked, messages=tuple(own))) as stream:
                last = [event async for event in stream][-1]
        finally:
            await client.close()
        assert isinstance(last, Finished)
        return Seen(server.asked[0].json, last)


type Check = Callable[[Path], Awaitable[None]]


def sends(
    dialect: Mapping[str, object],
    is_so: Callable[[Seen], object],
    protocol: str = "openai-chat",
    **more: Any,
) -> Check:
    """What is seen holds with these habits and does not without them."""

    async def check(folder: Path) -> None:
        name, *_ = dialect
        others = {key: value for key, value in dialect.items() if key != name}
        assert is_so(await seen(dialect, protocol=protocol, **more))
        assert not is_so(await seen(others, protocol=protocol, **more))

    return check


def words_of(found: Seen) -> str:
    return "".join(part.text for part in found.last.parts if isinstance(part, Text))


async def streams(folder: Path) -> None:
    found = await seen({"streams": False}, chat=WHOLE)
    assert found.body["stream"] is False
    assert words_of(found) == "Hello"
    assert (await seen({})).body["stream"] is True


def own_server(dialect: Mapping[str, object]) -> dict[str, Any]:
    mine = {"base_url": "http://127.0.0.1:1/v1", "dialect": dialect}
    return {"model": "mine/scripted", "providers": {"mine": mine}}


async def cuts_silently(folder: Path) -> None:
    cut = Turn(text="What?", usage=ScriptedUsage(input_uncached=4_096, output_text=2))
    for is_so in (True, False):
        place = folder / str(is_so)
        place.mkdir()
        async with stage(place, [cut] * 2, **own_server({"cuts_silently": is_so})) as s:
            await s.run("word " * 8_000)
            warned = [each for each in s.events(Logged) if each.level == "warning"]
            assert bool(warned) is is_so


async def max_images(folder: Path) -> None:
    for most in (2, 0):
        place = folder / str(most)
        place.mkdir()
        turns = [Turn(text="seen")] * 4
        async with stage(place, turns, check=False, **own_server({"max_images": most})) as s:
            for _ in range(4):
                await s.session.send(Submit(text="Look.", media=(PIXEL,)))
            sent = str(s.body()).count("data:image/png")
            assert sent == 4 if not most else 0 < sent <= most


CHECKS: dict[str, Check] = {
    "max_tokens_field": sends(
        {"max_tokens_field": "max_completion_tokens"},
        lambda found: found.body.get("max_completion_tokens") == 9,
        max_output_tokens=9,
    ),
    "system_role": sends({"system_role": "developer"}, lambda found: found.roles[0] == "developer"),
    "reasoning_send_back": sends(
        {"reasoning_send_back": "field"},
        lambda found: found.assistant.get("reasoning_content") == "Look first.",
    ),
    "reasoning_field": sends(
        {"reasoning_field": "reasoning", "reasoning_send_back": "field"},
        lambda found: found.assistant.get("reasoning") == "Look first.",
    ),
    "usage_in_stream": sends(
        {"usage_in_stream": "always"}, lambda found: "stream_options" not in found.body
    ),
    "tool_choice_required_word": sends(
        {"tool_choice_required_word": "any"}, lambda found: found.body["tool_choice"] == "any"
    ),
    "supports_strict": sends(
        {"supports_strict": False},
        lambda found: "strict" not in found.body["tools"][0],
        "openai-responses",
    ),
    "tool_id_rule": sends(
        {"tool_id_rule": "nine"}, lambda found: len(found.result["tool_call_id"]) == 9
    ),
    "cache_marker": sends(
        {"cache_marker": "cache_control"}, lambda found: "cache_control" in str(found.body)
    ),
    "prompt_cache_key": sends(
        {"prompt_cache_key": True}, lambda found: found.body.get("prompt_cache_key") == "session"
    ),
    "usage_reasoning_exclusive": sends(
        {"usage_reasoning_exclusive": True},
        lambda found: found.last.usage is not None and found.last.usage.output_text == 5,
        chat=COUNTED,
    ),
    "effort_style": sends(
        {"effort_style": "switch"}, lambda found: found.body.get("enable_thinking") is True
    ),
    "effort_none": sends(
        {"effort_none": "low"},
        lambda found: found.body.get("reasoning_effort") == "low",
        effort="none",
    ),
    "stateless": sends(
        {"stateless": False}, lambda found: found.body.get("store") is not False, "openai-responses"
    ),
    "default_max_output_tokens": sends(
        {"default_max_output_tokens": 99, "effort_style": "none"},
        lambda found: found.body["max_tokens"] == 99,
        "anthropic-messages",
    ),
    "streams": streams,
    "tools": sends({"tools": "fenced"}, lambda found: "tools" not in found.body),
    "tool_names": sends(
        {"tool_names": "capitalised"},
        lambda found: found.body["tools"][0]["function"]["name"] == "Read",
    ),
    "freeform_tools": sends(
        {"freeform_tools": True},
        lambda found: found.body["tools"][0]["type"] == "custom",
        "openai-responses",
        tools=(PATCH,),
    ),
    "schema_style": sends(
        {"schema_style": "openapi"},
        lambda found: "parameters" in found.body["tools"][0]["functionDeclarations"][0],
        "gemini",
        tools=(PATCH,),
    ),
    "think_tags": sends(
        {"think_tags": False}, lambda found: "<think>" in words_of(found), chat=THINKING_ALOUD
    ),
    "assistant_after_tool": sends(
        {"assistant_after_tool": True}, lambda found: found.roles.count("assistant") == 2
    ),
    "tool_result_name": sends(
        {"tool_result_name": True}, lambda found: found.result.get("name") == "read"
    ),
    "alternates": sends({"alternates": True}, lambda found: found.roles[-2:] != ["user", "user"]),
    "result_media": sends(
        {"result_media": False},
        lambda found: not any("'bytes'" in str(each.get("toolResult")) for each in blocks(found)),
        "bedrock-converse",
    ),
    "max_images": max_images,
    "cuts_silently": cuts_silently,
    "service_tier": sends(
        {"service_tier": True}, lambda found: found.body.get("service_tier") == "flex"
    ),
    "unsupported": sends(
        {"unsupported": ["temperature"]}, lambda found: "temperature" not in found.body
    ),
    "hosted_search": sends(
        {"hosted_search": "live"},
        lambda found: found.body["tools"][-1]["type"] == "web_search",
        "openai-responses",
        web_search="live",
    ),
    "body": sends({"body": {"top_k": 7}}, lambda found: found.body.get("top_k") == 7),
}


def blocks(found: Seen) -> Sequence[dict[str, Any]]:
    return [block for one in found.messages for block in one["content"]]


@pytest.mark.proves("providers-vendors")
def test_every_habit_is_looked_at() -> None:
    assert set(CHECKS) == {each.name for each in fields(Dialect)}


@pytest.mark.deep
@pytest.mark.proves("providers-vendors")
@every("name", CHECKS)
async def test_each_habit_in_the_settings_takes_effect(name: str, tmp_path: Path) -> None:
    await CHECKS[name](tmp_path)
