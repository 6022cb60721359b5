"""Tools that a model has to look for: which they are, how they are found, and how they are called."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, defstruct

from ouroboros.core.errors import Misuse
from ouroboros.core.events import ToolStarted
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.tool import Effect, Result, ToolContext
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of


class Place(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    city: Annotated[str, Meta(description="municipality to look at")]


class Fake:
    """A tool of a server."""

    parallel_safe = True
    exposure: Exposure

    def __init__(
        self,
        name: str,
        description: str = "",
        *,
        source: str = "",
        exposure: Exposure = "direct",
        arguments: type[Struct] = Place,
    ) -> None:
        self.name, self.description, self.source = name, description, source
        self.exposure, self.arguments = exposure, arguments

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        return Effect(kind="none", action=f"Use {self.name}")

    async def run(self, arguments: Struct, context: ToolContext) -> AsyncGenerator[Result]:
        yield Result.of(f"{self.name} was here: {arguments}")


def servers_tools(count: int) -> list[AnyTool]:
    return [Fake(f"tool_{number}", f"Does {number}", source="server") for number in range(count)]


def listed(registry: Registry) -> list[str]:
    return [spec.name for spec in registry.specs()]


@pytest.mark.proves("D18", "codex-3.4")
def test_ninety_nine_foreign_tools_are_all_listed_and_a_hundred_are_all_looked_for() -> None:
    registry = Registry([*builtin_tools(), *servers_tools(99)])
    own = [tool.name for tool in builtin_tools()]
    assert [name for name in listed(registry) if name.startswith("tool_")][:2] == [
        "tool_search",
        "tool_0",
    ]
    assert len(listed(registry)) == 99 + len(listed(Registry(builtin_tools())))
    registry.register(Fake("one_more", source="another"))
    assert listed(registry) == listed(Registry(builtin_tools()))
    registry.take_out("one_more")
    assert "tool_0" in listed(registry)
    assert set(own) - set(listed(registry)) == {"multi_edit", "done"}


@pytest.mark.proves("D18")
def test_a_model_is_told_of_twelve_tools_of_ours_at_most() -> None:
    assert len(Registry(builtin_tools()).specs()) <= 12


@pytest.mark.proves("D18")
def test_where_nothing_finds_tools_all_of_them_are_listed() -> None:
    assert "multi_edit" in listed(Registry(builtin_tools(), disabled=["tool_search"]))
    nothing_to_find = Registry(builtin_tools(), disabled=["multi_edit"])
    assert not {"tool_search", "call_tool"} & set(listed(nothing_to_find))


@pytest.mark.proves("D18")
def test_a_hidden_tool_is_found_by_its_name_only() -> None:
    registry = Registry([*builtin_tools(), Fake("secretive", "weather", exposure="hidden")])
    assert "secretive" not in listed(registry)
    assert registry.find("secretive") is not None
    assert "secretive" not in [tool.name for tool in registry.deferred()]


def test_a_name_is_taken_only_once() -> None:
    registry = Registry(builtin_tools())
    with pytest.raises(Misuse, match="twice"):
        registry.register(Fake("Read", source="server"))


async def searched(spine: Spine, **arguments: object) -> list[dict[str, Any]]:
    said = await spine.call("tool_search", **arguments)
    return json.loads(text_of(said))["tools"]


@pytest.mark.proves("codex-3.4", "divergences-tool-search-without-a-hit")
async def test_a_search_that_finds_nothing_says_what_there_is(tmp_path: Path) -> None:
    spine = spine_with(tmp_path, Fake("mail_send", "Sends a message", exposure="deferred"))
    said = json.loads(text_of(await spine.call("tool_search", query="zebra quagga")))
    assert said["tools"] == []
    assert "mail_send" in said["note"]


def spine_with(folder: Path, *tools: AnyTool) -> Spine:
    spine = Spine(folder)
    for tool in tools:
        spine.registry.register(tool)
    spine.registry.specs()
    return spine


@pytest.mark.proves("D19", "codex-3.5")
async def test_the_tool_that_fits_is_found_with_all_that_a_call_needs(tmp_path: Path) -> None:
    tools = [
        Fake("calendar_create_event", "Makes an event", source="calendar", exposure="deferred"),
        Fake("calendar_list_events", "Lists events", source="calendar", exposure="deferred"),
        Fake("mail_send", "Sends a message", source="mail", exposure="deferred"),
        Fake("forecast", "Tells the weather", exposure="deferred"),
    ]
    spine = spine_with(tmp_path, *tools)
    (found,) = await searched(spine, query="calendar create event", limit=1)
    assert found["type"] == "namespace"
    assert found["name"] == "calendar"
    (tool,) = found["tools"]
    assert tool == {
        "type": "function",
        "name": "calendar_create_event",
        "description": "Makes an event",
        "defer_loading": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "municipality to look at"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    }
    both = await searched(spine, query="calendar weather")
    assert [entry["name"] for entry in both] == ["forecast", "calendar"]
    assert len(both[1]["tools"]) == 2
    assert [entry["name"] for entry in await searched(spine, query="municipality", limit=2)]
    description = next(s for s in spine.registry.specs() if s.name == "tool_search").description
    assert "calendar, forecast, mail, multi_edit" in description


@pytest.mark.proves("D19")
@every("arguments", [{"query": ""}, {"query": "edit", "limit": 0}, {"query": "zebra"}])
async def test_a_search_without_a_hit_is_an_empty_list(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    assert await searched(Spine(tmp_path), **arguments) == []


async def test_a_tool_that_came_after_a_search_is_found_by_the_next(tmp_path: Path) -> None:
    spine = spine_with(tmp_path, Fake("first_mail", "Sends mail", exposure="deferred"))
    assert [each["name"] for each in await searched(spine, query="mail")] == ["first_mail"]
    spine.registry.register(Fake("second_mail", "Sends mail", exposure="deferred"), quietly=True)
    found = {each["name"] for each in await searched(spine, query="mail")}
    assert found == {"first_mail", "second_mail"}
    spine.registry.take_out("first_mail", quietly=True)
    assert [each["name"] for each in await searched(spine, query="mail")] == ["second_mail"]


@pytest.mark.proves("D19", "divergences-tools-that-were-found")
async def test_a_found_tool_is_called_as_itself(tmp_path: Path) -> None:
    spine = spine_with(tmp_path, Fake("forecast", exposure="deferred"))
    said = await spine.call("call_tool", name="forecast", arguments={"city": "Bonn"})
    assert "forecast was here" in text_of(said)
    assert said.name == "forecast"
    (started,) = spine.journal.of(ToolStarted)
    assert (started.name, started.title) == ("forecast", "Use forecast")
    assert json.loads(started.arguments) == {"city": "Bonn"}


@pytest.mark.proves("D19")
async def test_rules_hold_for_a_tool_that_is_called_this_way(tmp_path: Path) -> None:
    spine = Spine(tmp_path, mode="plan")
    said = await spine.call("call_tool", name="Bash", arguments={"command": "touch made"})
    assert said.status == "denied"
    assert not (tmp_path / "made").exists()


async def test_a_call_of_itself_says_what_to_do(tmp_path: Path) -> None:
    spine = spine_with(tmp_path)
    for name in ("call_tool", "Call-Tool"):
        said = await spine.call("call_tool", name=name, arguments={"name": "read"})
        assert (said.status, "name another one" in text_of(said)) == ("failed", True)


async def test_arguments_may_come_as_text_or_be_left_out(tmp_path: Path) -> None:
    class Nothing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        pass

    tools = (Fake("forecast", exposure="deferred"), Fake("now", arguments=Nothing))
    spine = spine_with(tmp_path, *tools)
    assert "Bonn" in text_of(
        await spine.call("call_tool", name="forecast", arguments='{"city": "Bonn"}')
    )
    assert "now was here" in text_of(await spine.call("call_tool", name="now"))


@pytest.mark.proves("D19")
@every(
    ("arguments", "words"),
    [
        ({"name": "forecast", "arguments": {"town": "Bonn"}}, "expected {city: string}"),
        ({"name": "forecats", "arguments": {}}, "did you mean forecast"),
        ({"name": "call_tool", "arguments": {"name": "read"}}, "name another one"),
        ({"arguments": {}}, "failed to parse function arguments"),
        ({"name": []}, "failed to parse function arguments"),
    ],
)
async def test_a_wrong_call_says_what_is_wrong(
    tmp_path: Path, arguments: dict[str, object], words: str
) -> None:
    spine = spine_with(tmp_path, Fake("forecast", exposure="deferred"))
    said = await spine.call("call_tool", **arguments)
    assert said.status == "failed"
    assert words in text_of(said)


@pytest.mark.proves("D19")
async def test_many_large_tools_fit_into_one_answer(tmp_path: Path) -> None:
    fields = [(f"field_{n}", str) for n in range(60)]
    large = [
        Fake(
            f"large_{n}",
            "large " * 200,
            exposure="deferred",
            arguments=defstruct(f"L{n}", fields, frozen=True),
        )
        for n in range(8)
    ]
    spine = spine_with(tmp_path, *large)
    said = await spine.call("tool_search", query="large")
    assert not said.truncated
    text, _, more = text_of(said).partition("\n[")
    assert 1 <= len(json.loads(text)["tools"]) < 8
    assert "more found" in more
    huge = Fake("huge", "enormous " * 5_000, exposure="deferred")
    spine = spine_with(tmp_path, huge)
    (only,) = await searched(spine, query="enormous")
    assert only["name"] == "huge"


@pytest.mark.proves("D19")
async def test_a_thousand_tools_are_searched(tmp_path: Path) -> None:
    tools = [
        Fake(f"tool_{n}", f"Handles the matter number{n}", source=f"server{n % 7}")
        for n in range(1000)
    ]
    spine = spine_with(tmp_path, *tools)
    (space,) = await searched(spine, query="matter number437", limit=1)
    assert [tool["name"] for tool in space["tools"]] == ["tool_437"]
