"""Calls that code makes: the same way as a model's own, with the value whole and the record short."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import msgspec
import pytest
from msgspec import Struct

from ouroboros.core.errors import Denied, StoreFull
from ouroboros.core.events import (
    Envelope,
    Event,
    PermissionAnswered,
    PermissionRequested,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Text, ToolCall
from ouroboros.core.state import State, fold
from ouroboros.tools.approval import Answer, Nobody
from ouroboros.tools.registry import Registry
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext
from tests.cases import every
from tests.unit.tools.spine import Journal, Spine

PAGE = "the words of a page " * 10_000


class Wish(Struct, frozen=True, kw_only=True):
    tab: str = "tab_0"
    text: str = ""


class Page:
    """A page function of a kind; ``late`` is what it finds out only while it runs."""

    name = "getText"
    description = "Reads a page."
    arguments = Wish
    parallel_safe = True

    def __init__(self, kind: str = "look", *, late: Effect | None = None, fails: str = "") -> None:
        self.kind, self.late, self.fails = kind, late, fails
        self.runs = 0

    def effect(self, arguments: Wish, cwd: Path) -> Effect:
        del cwd
        return Effect(kind=self.kind, action=f"Read {arguments.tab}", url="https://shop.example/")

    async def run(self, arguments: Wish, context: ToolContext) -> AsyncGenerator[Progress | Result]:
        del arguments
        if self.late is not None:
            await context.admit(self.late)
        self.runs += 1
        await anyio.lowlevel.checkpoint()
        if self.fails:
            yield Result.of(self.fails, ok=False)
            return
        yield Result(value=msgspec.json.encode(PAGE), parts=(Text(text="read"),))


async def perform(spine: Spine, tool: Page, number: int = 1, **arguments: object) -> Result:
    call = ToolCall(
        id=f"block.{number}", name="getText", arguments=msgspec.json.encode(arguments).decode()
    )
    return await spine.orchestrator.perform(call, within="block", registry=Registry([tool]))


@pytest.mark.proves("B05")
async def test_code_gets_the_whole_value_and_the_record_gets_its_size(tmp_path: Path):
    spine = Spine(tmp_path)
    result = await perform(spine, Page())
    assert msgspec.json.decode(result.value or b"") == PAGE
    (event,) = spine.journal.events
    assert isinstance(event, ToolResulted)
    assert (event.within, event.status, event.title) == ("block", "done", "Read tab_0")
    assert event.original_bytes == len(result.value or b"")
    assert event.steps == (
        "validate",
        "hooks:pass",
        "rules:allow",
        "sandbox:none",
        "attempt",
    )
    assert b"words of a page" not in msgspec.json.encode(event)


@pytest.mark.proves("D35", "CF02")
async def test_a_look_waits_for_no_disk(tmp_path: Path):
    spine = Spine(tmp_path)
    await perform(spine, Page())
    assert spine.journal.settled == []


@pytest.mark.proves("D35", "CF02")
async def test_an_act_is_on_disk_before_it_happens(tmp_path: Path):
    spine = Spine(tmp_path)
    await perform(spine, Page("act"))
    assert spine.journal.types() == ["tool.started", "tool.attempted", "tool.result"]
    assert spine.journal.settled == [2]
    assert {e.within for e in spine.journal.of(ToolStarted)} == {"block"}
    (attempted,) = spine.journal.of(ToolAttempted)
    assert attempted.steps[-1] == "attempt"


@pytest.mark.proves("C14")
async def test_what_comes_to_light_late_is_asked_and_a_yes_is_on_disk_before_it(tmp_path: Path):
    late = Effect(
        kind="risk", risk="submit", action="Submit the order", url="https://shop.example/"
    )
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True)])
    tool = Page("act", late=late)
    result = await perform(spine, tool)
    assert result.ok
    assert tool.runs == 1
    (asked,) = spine.journal.of(PermissionRequested)
    assert (asked.call_id, asked.action) == ("block.1", "Submit the order")
    assert asked.grant == "submit(https://shop.example/*)"
    assert spine.journal.of(PermissionAnswered)[0].allowed
    assert spine.journal.settled[-1] == len(spine.journal.events) - 1


@pytest.mark.proves("E15")
async def test_what_can_only_be_allowed_as_it_is_says_so_and_another_wish_is_a_no(tmp_path: Path):
    late = Effect(kind="risk", risk="submit", action="Submit", url="https://shop.example/")
    spine = Spine(tmp_path, mode="ask", answers=[Answer(allowed=True, input='{"tab":"tab_9"}')])
    tool = Page("act", late=late)
    result = await perform(spine, tool)
    assert (result.denied, tool.runs) == (True, 0)
    assert 'the person says: "not this; rather {"tab":"tab_9"}"' in str(result.parts[0])
    (asked,) = spine.journal.of(PermissionRequested)
    (answered,) = spine.journal.of(PermissionAnswered)
    assert (asked.fixed, answered.allowed) == (True, False)


@pytest.mark.proves("E15")
async def test_what_a_program_gives_back_as_it_was_asked_is_a_plain_yes(tmp_path: Path):
    late = Effect(kind="risk", risk="submit", action="Submit", url="https://shop.example/")
    same = Answer(allowed=True, scope="session", input='{ "text": "x", "tab": "tab_1" }')
    spine = Spine(tmp_path, mode="ask", answers=[same])
    tool = Page("act", late=late)
    assert (await perform(spine, tool, tab="tab_1", text="x")).ok
    (answered,) = spine.journal.of(PermissionAnswered)
    assert (tool.runs, answered.scope, answered.input) == (1, "session", "")


@pytest.mark.proves("E15")
@every(("length", "fixed"), [(10, False), (5_000, True)])
async def test_only_what_is_shown_whole_can_be_changed(tmp_path: Path, length: int, fixed: bool):
    spine = Spine(tmp_path, rules=[("ask", "getText")], answers=[Answer(allowed=True)])
    await perform(spine, Page(), text="x" * length)
    (asked,) = spine.journal.of(PermissionRequested)
    assert asked.fixed == fixed


@every("kind", ["risk", "origin"])
async def test_nobody_there_is_a_no_and_nothing_happens(tmp_path: Path, kind: str):
    late = Effect(kind=kind, action="Open it", url="https://new.example/")
    spine = Spine(tmp_path, mode="ask", asker=Nobody())
    tool = Page("act", late=late)
    result = await perform(spine, tool)
    assert not result.ok
    assert "nobody is there" in getattr(result.parts[0], "text", "")
    assert tool.runs == 0
    assert spine.journal.of(ToolResulted)[0].status == "denied"
    assert spine.journal.of(PermissionAnswered)[0].decider == "nobody"


async def test_a_look_that_must_be_asked_is_shown_before_the_question(tmp_path: Path):
    spine = Spine(
        tmp_path, rules=[("ask", "getText")], answers=[Answer(allowed=True)], mode="full-auto"
    )
    await perform(spine, Page())
    assert spine.journal.types() == [
        "tool.started",
        "permission.requested",
        "permission.answered",
        "tool.attempted",
        "tool.result",
    ]


async def test_plan_mode_looks_and_does_not_act(tmp_path: Path):
    spine = Spine(tmp_path, mode="plan")
    assert (await perform(spine, Page("look"))).ok
    denied = await perform(spine, Page("act"), 2)
    assert not denied.ok
    assert "plan mode" in getattr(denied.parts[0], "text", "")


async def test_a_failure_on_record_holds_no_more_than_a_preview(tmp_path: Path):
    spine = Spine(tmp_path)
    result = await perform(spine, Page(fails=f"no such element: {PAGE}"))
    assert getattr(result.parts[0], "text", "") == f"no such element: {PAGE}"
    (event,) = spine.journal.of(ToolResulted)
    assert len(getattr(event.parts[0], "text", "")) == 400


async def test_long_arguments_are_cut_on_record_and_whole_for_the_tool(tmp_path: Path):
    seen: list[str] = []

    class Typing(Page):
        async def run(
            self, arguments: Wish, context: ToolContext
        ) -> AsyncGenerator[Progress | Result]:
            del context
            seen.append(arguments.text)
            await anyio.lowlevel.checkpoint()
            yield Result(value=b"null")

    spine = Spine(tmp_path)
    await perform(spine, Typing("act"), text=PAGE)
    assert seen == [PAGE]
    (started,) = spine.journal.of(ToolStarted)
    assert len(started.arguments) < 1_100


async def test_bad_arguments_and_unknown_functions_are_answers(tmp_path: Path):
    spine = Spine(tmp_path)
    result = await perform(spine, Page(), tab=[1])
    assert not result.ok
    call = ToolCall(id="block.2", name="getTexts", arguments="{}")
    result = await spine.orchestrator.perform(call, within="block", registry=Registry([Page()]))
    assert "did you mean getText" in getattr(result.parts[0], "text", "")
    assert all(event.within == "block" for event in spine.journal.of(ToolResulted))


async def test_a_cancelled_call_has_its_end_on_record(tmp_path: Path):
    class Waiting(Page):
        async def run(
            self, arguments: Wish, context: ToolContext
        ) -> AsyncGenerator[Progress | Result]:
            del arguments, context
            began.set()
            await anyio.sleep_forever()
            yield Result(value=b"null")

    began = anyio.Event()
    spine = Spine(tmp_path)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(perform, spine, Waiting("act"))
        await began.wait()
        tasks.cancel_scope.cancel()
    assert spine.journal.of(ToolResulted)[0].status == "cancelled"


async def test_a_disk_that_is_full_stops_an_act_and_ends_the_run(tmp_path: Path):
    class Full(Journal):
        async def settle(self) -> None:
            raise StoreFull("no room")

    spine = Spine(tmp_path)
    tool = Page("act")
    spine.journal.settle = Full().settle
    with pytest.raises(StoreFull):
        await perform(spine, tool)
    assert tool.runs == 0


def folded(events: list[Event]) -> State:
    return fold([
        Envelope(
            id=f"e{n}",
            session="s",
            turn=1,
            seq=n,
            ts=0.0,
            type=event.type,
            source=event.source,
            data=event,
        )
        for n, event in enumerate(events, start=1)
    ])


@pytest.mark.proves("D35", "CF02")
async def test_calls_of_code_are_no_part_of_what_a_model_reads(tmp_path: Path):
    spine = Spine(tmp_path)
    await perform(spine, Page("act"))
    await perform(spine, Page("look"), 2)
    state = folded(spine.journal.events)
    assert state.results == {}
    assert state.calls == {}


async def test_an_act_that_a_crash_cut_off_stays_open_until_it_is_closed(tmp_path: Path):
    spine = Spine(tmp_path)
    await perform(spine, Page("act"))
    started, attempted, _ = spine.journal.events
    state = folded([started, attempted])
    assert state.calls["block.1"].phase == "attempted"
    assert state.calls["block.1"].within == "block"


async def test_watchers_hear_of_effects_that_were_let_through_and_may_stop_them(tmp_path: Path):
    heard: list[str] = []

    async def watcher(effect: Effect) -> None:
        await anyio.lowlevel.checkpoint()
        heard.append(effect.kind)

    spine = Spine(tmp_path, rules=[("deny", "browser(domain:evil.example)")])
    spine.orchestrator.watch(watcher)
    await perform(spine, Page("act", late=Effect(kind="look", action="Look", url="x")))
    late = Effect(kind="act", action="Go", url="https://evil.example/")
    await perform(spine, Page("act", late=late), 2)
    assert heard == ["act", "look", "act"]


async def test_an_effect_without_a_call_is_asked_like_any_other(tmp_path: Path):
    effect = Effect(kind="origin", action="Open new.example", url="https://new.example/")
    spine = Spine(tmp_path, answers=[Answer(allowed=True), Answer(allowed=False)])
    await spine.orchestrator.admit(effect, name="browser", call_id="block")
    with pytest.raises(Denied):
        await spine.orchestrator.admit(effect, name="browser", call_id="block")
    assert [q.call_id for q in spine.asker.questions] == ["block", "block"]
    assert spine.journal.of(ToolStarted) == []
