"""What happens around a summary: who writes it, who may stop it, what is kept, and what still goes on."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from ouroboros.agent.context.cut import Cut
from ouroboros.app.demo.site.server import Shop, open_shops
from ouroboros.core.commands import Approve, Compact, SetModel
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import (
    ContextCompacted,
    ErrorRaised,
    ModelSwitched,
)
from ouroboros.core.events.code import Logged
from ouroboros.core.parts import ToolResult
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.story.stage import call, stage
from tests.story.test_browser_tools import browsing
from tests.story.test_compaction import FULL, LOW, WINDOW, contents
from tests.story.test_fallback import body, two
from tests.story.test_question_after_restart import killed, went_on


@pytest.fixture
def shop() -> Iterator[Shop]:
    with open_shops() as shops:
        yield shops[0]


@pytest.mark.deep
@pytest.mark.proves("J08")
async def test_plan_and_running_commands_are_told_after_a_summary(tmp_path: Path) -> None:
    plan = call("update_plan", plan=[{"step": "Count", "status": "in_progress"}])
    server = call("exec_command", cmd="sleep 20", yield_time_ms=250)
    turns = [
        Turn(tool_calls=(plan, server), usage=LOW),
        Turn(tool_calls=(call("shell", command="true"),), usage=FULL),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        await s.run()
        assert len(s.events(ContextCompacted)) == 1
        facts = contents(s.body())[0]
        assert "<plan>\n[in_progress] Count\n</plan>" in facts
        (number,) = s.session.state.processes
        assert f"<running_commands>\n[session_id {number}] sleep 20\n</running_commands>" in facts


@pytest.mark.deep
@pytest.mark.proves("J08")
async def test_open_tabs_are_counted_after_a_summary(tmp_path: Path, shop: Shop) -> None:
    code = f"const tab = await openTab('{shop.url}'); await waitForLoad(tab); tab"
    turns = (
        Turn(tool_calls=(call("browser_execute", code=code),), usage=FULL),
        Turn(text="sum", usage=LOW),
    )
    async with browsing(tmp_path, *turns, context=WINDOW) as s:
        await s.run()
        assert len(s.events(ContextCompacted)) == 1
        facts = contents(s.body())[0]
        assert "<open_tabs>\n2 open, tab_1 in front\n</open_tabs>" in facts
        assert shop.url not in facts


@pytest.mark.deep
@pytest.mark.proves("J05")
async def test_a_call_that_waits_for_a_yes_survives_a_summary(tmp_path: Path) -> None:
    asked = await killed(tmp_path)
    turns = [Turn(text="sum"), Turn(text="It is made.")]
    async with stage(tmp_path, turns, mode="ask", interactive=True, latest=True) as s:
        await s.session.send(Compact())
        assert list(s.session.state.approvals) == [asked]
        await went_on(s, "", Approve(request_id=asked))
        assert (s.cwd / "out.txt").read_text() == "hi\n"
        told = s.body()["messages"]
        place = next(n for n, message in enumerate(told) if message.get("tool_calls"))
        assert told[place]["tool_calls"][0]["id"] == told[place + 1]["tool_call_id"]
        assert told[place - 1]["content"].endswith("sum")


async def test_what_goes_is_handed_over_before_the_cut(tmp_path: Path) -> None:
    handed: list[Cut] = []

    async def flush(cut: Cut) -> None:
        handed.append(cut)

    turns = [
        Turn(text="Fact: 42.", tool_calls=(call("shell", command="echo seen"),), usage=FULL),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW, flush=flush) as s:
        await s.run("Remember this")
    (cut,) = handed
    assert (cut.trigger, cut.tokens >= 7_600) == ("proactive", True)
    assert [m.text for m in cut.goes if m.kind == "plain" and m.text] == ["Fact: 42."]
    results = [p for m in cut.goes for p in m.parts if isinstance(p, ToolResult)]
    assert ["seen" in result.text for result in results] == [True]


async def test_a_memory_that_fails_stops_no_summary_and_is_told(tmp_path: Path) -> None:
    async def flush(cut: Cut) -> None:
        raise OuroborosError("the shelf is full")

    async with stage(tmp_path, [Turn(text="one"), Turn(text="sum")], flush=flush) as s:
        await s.run()
        await s.session.send(Compact())
        assert len(s.events(ContextCompacted)) == 1
        (told,) = [line.text for line in s.events(Logged) if line.level == "warning"]
        assert told == "nothing was kept of what a summary replaces: the shelf is full"


@pytest.mark.proves("codex-6.6", "divergences-a-model-that-failed")
async def test_a_model_that_fails_at_its_summary_can_still_be_left(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=5_000, output_text=10)
    turns = [
        Turn(text="one", usage=usage),
        Turn(fault=Fault(kind="auth")),
        Turn(text="sum", usage=LOW),
        Turn(text="two", usage=LOW),
    ]
    models = {"small": {"window": 4_000}}
    async with stage(tmp_path, turns, models=models, check=False) as s:
        await s.run("First")
        await s.session.send(SetModel(model="openai-chat/small"))
        assert s.session.state.model == "openai-chat/small"
        assert len(s.events(ErrorRaised)) == 1
        assert (await s.run("Second")).final == "two"
        assert [s.body(n)["model"] for n in range(4)] == ["scripted", "scripted", "small", "small"]


@pytest.mark.deep
@pytest.mark.proves("codex-6.6")
async def test_a_model_that_steps_back_summarises_for_the_smaller_first(tmp_path: Path) -> None:
    """The first model failed and rests, another took over; on the way back that one knows it all."""
    first = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=0.2)), Turn(text="Back.")]
    second = [
        Turn(text="one", usage=ScriptedUsage(input_uncached=9_000, output_text=10)),
        Turn(text="sum", usage=LOW),
    ]
    models = {"first/m": {"window": 10_000}, "second/m": {"window": 100_000}}
    async with two(tmp_path, first, second, models=models, check=False) as (s, other):
        await s.run("One")
        await anyio.sleep(0.25)
        assert (await s.run("Two")).final == "Back."
        assert [switch.new for switch in s.events(ModelSwitched)] == ["second/m", "first/m"]
        assert len(s.events(ContextCompacted)) == 1
        assert contents(body(other))[-1].startswith("The conversation is about to be replaced")
        assert any(text.endswith("sum") for text in contents(s.body()))
