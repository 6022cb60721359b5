"""What code asks of models: plain reads, runs of their own, batches, and the budget they share."""

import re
from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.core.commands import Interrupt
from ouroboros.core.errors import Misuse
from ouroboros.core.events.code import CodeGenerated, IterationStarted
from ouroboros.core.events.fleet import SubagentCompleted, SubagentReplied, SubagentStarted
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.story.rlm_stage import block, findings, rlm_stage
from tests.story.stage import Stage

SECRET = "The crane at pier nine lifts forty tons of steel before dawn. "
TEXT = SECRET * 200  # some 12,000 characters: a plain read
LARGE = SECRET * 2_000  # some 124,000 characters: a run of its own


def when(words: str, text: str, **more: object) -> Turn:
    return msgspec.convert({"text": text, "when": words, **more}, Turn)


@pytest.mark.proves("B14", "divergences-llm-query-with-little-data")
async def test_small_data_is_read_plainly_and_large_data_by_a_run_of_its_own(
    tmp_path: Path,
) -> None:
    turns = [
        block("const a = await llm_query('How much does it lift?', small);\nsetFinal(a)"),
        Turn(text="Forty tons."),
        block("const b = await llm_query('How much does it lift?', data);\nsetFinal(b)"),
        block("const hit = __data.match(/lifts (\\w+) tons/);\nhit[1]"),
        block("setFinal(hit[1])"),
        block("setFinal(await llm_query('Sum up: ' + data.slice(0, 3000) + ' And more.', data))"),
        block("setFinal(__task.length)"),
    ]
    data: dict[str, object] = {"small": TEXT, "data": LARGE}
    async with rlm_stage(tmp_path, turns, data=data, pages=[TEXT, LARGE]) as s:
        assert (await s.run()).final == "Forty tons."
        assert findings(s, [TEXT]).leaves == 1
        asked = s.body(1)["messages"][1]["content"]
        assert asked.startswith("How much does it lift?\n\nThe data follows")
        assert TEXT in asked
        (started,) = s.events(SubagentStarted)
        assert (started.kind, started.child) == ("leaf", "sub_1")
        s.afresh()
        assert (await s.run("Ask.")).final == "forty"
        assert findings(s).leaves == 1
        asked_by_a_child(s)
        # Page text in a prompt never reaches a child.
        s.afresh()
        assert (await s.run()).final == "3018"
        told = s.body(1)["messages"][1]["content"]
        assert "Sum up: " in told
        assert "The whole request is the variable __task." in told


def asked_by_a_child(s: Stage) -> None:
    """It sees its part of the task and what it is to look through, and has iterations of its own."""
    child = s.body(1)["messages"]
    assert child[0]["content"].startswith("You are a helper of Ouroboros")
    assert "llm_" not in child[0]["content"]
    assert "Iteration 1 of 10." in child[1]["content"]
    assert "- __data: string, 124,000 characters" in child[1]["content"]
    assert "It is part of this larger request" in child[1]["content"]
    assert "Ask." in child[1]["content"]
    iterations = [(e.child, e.iteration) for e in s.events(IterationStarted)]
    assert iterations == [("", 1), ("sub_1", 1), ("sub_1", 2)]
    assert [e.child for e in s.events(CodeGenerated)] == ["", "sub_1", "sub_1"]
    assert s.session.state.iteration == 1


@pytest.mark.proves("B14", "B18", "browser-prompts-of-runs-without-a-browser")
@pytest.mark.parametrize(
    "model",
    [pytest.param("", marks=pytest.mark.deep), "openai-chat/cheap"],
    ids=["the same", "a cheaper one"],
)
async def test_what_children_use_counts_for_the_run_whatever_model_they_ask(
    tmp_path: Path, model: str
) -> None:
    usage = ScriptedUsage(input_uncached=100, output_text=10)
    turns = [
        block(
            "setFinal(await llm_query('Read.', 'x') + await llm_query('Work.', data))", usage=usage
        ),
        Turn(text="a", usage=usage),
        block("setFinal('b')", usage=usage),
    ]
    settings = {"child_model": model} if model else {}
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, rlm=settings) as s:
        outcome = await s.run()
        assert outcome.final == "ab"
        assert (outcome.spent.requests, outcome.spent.tokens) == (3, 330)
        assert [e.child for e in s.events(SubagentReplied)] == ["sub_1", "sub_2"]
        child = "cheap" if model else "scripted"
        assert [s.body(at)["model"] for at in range(3)] == ["scripted", child, child]
        # Where there is no browser nobody hears of one.
        for number in (0, 2):
            system = s.body(number)["messages"][0]["content"]
            assert re.findall(r"(?i)\b(?:browser|pages?|tabs?|click)\b", system) == []


@pytest.mark.deep
@pytest.mark.proves("B14", "B15", "B17", "B29", "browser-children")
async def test_a_child_has_no_children_writes_no_files_and_its_failures_are_words(
    tmp_path: Path,
) -> None:
    works = block("setFinal(await llm_query('Work.', data))")
    turns = [
        *(works, block("const a = await llm_query('Deeper.', 'x');\nsetFinal(a)")),
        *(works, block("await write('a.txt', 'x')"), block("setFinal('no')")),
        *(works, *[Turn(text=f"Words {n}.") for n in range(3)]),
        *(works, Turn(fault=Fault(kind="auth", status=401, times=2)), block("setFinal('found')")),
        block("setFinal([await llm_query('Read.', 'x'), await llm_query('', 'x')])"),
        Turn(fault=Fault(kind="auth", status=401, message="no such key")),
        *(works, Turn(fault=Fault(kind="auth", status=401, times=3, message="who are you"))),
    ]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}) as s:
        final = (await s.run()).final
        assert final == "[SUB-CALL ERROR] sub-calls cannot be nested deeper than 1"
        assert len(s.events(SubagentStarted)) == 1
        s.afresh()
        assert (await s.run()).final == "no"
        assert not (s.cwd / "a.txt").exists()
        assert "write is not defined" in s.body(2)["messages"][1]["content"]
        assert (await s.run()).final == "Words 2."
        assert (await s.run()).final == "found"
        outcome = await s.run()
        first, second = msgspec.json.decode(outcome.final)
        assert first.startswith("[SUB-CALL ERROR]")
        assert "no such key" in first
        assert second.startswith("[SUB-CALL ERROR] the prompt is empty")
        assert outcome.reason == "completed"
        s.afresh()
        outcome = await s.run()
        assert outcome.final.startswith("[SUB-CALL ERROR]")
        assert "who are you" in outcome.final
        assert len(s.server.exchanges) == 4
        assert outcome.reason == "completed"
        (ended,) = s.events(SubagentCompleted)
        assert ended.reason == "failed"


@pytest.mark.proves("B15")
@pytest.mark.deep
async def test_a_depth_of_two_allows_one_level_more(tmp_path: Path) -> None:
    ask = "setFinal(await llm_query('Go on.', {0}))"
    turns = [block(ask.format("data")), block(ask.format("__data")), block(ask.format("__data"))]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, rlm={"depth": 2}) as s:
        final = (await s.run()).final
        assert final == "[SUB-CALL ERROR] sub-calls cannot be nested deeper than 2"
        assert [(e.child, e.parent) for e in s.events(SubagentStarted)] == [
            ("sub_1", ""),
            ("sub_2", "sub_1"),
        ]


@pytest.mark.proves("B16", "divergences-answers-of-many-small-items")
async def test_a_batch_settles_all_in_order_and_small_items_go_several_to_a_call(
    tmp_path: Path,
) -> None:
    answers = msgspec.json.encode({str(n): f"no {n}" for n in range(1, 26)}).decode()
    rest = msgspec.json.encode({str(n): f"no {n}" for n in range(1, 5)}).decode()
    turns = [
        block("setFinal(await llm_batch(['One?', {prompt: 'Two?', data: [1]}, 'Three?']))"),
        block("setFinal((await llm_map('Is it red?', items)).map(one => one.value))"),
        when("One?", "1", delay_seconds=0.2),
        when("Two?", "", fault={"kind": "auth", "status": 401}),
        when("Three?", "3"),
        when("each of 25 items", answers),
        when("each of 5 items", f"```json\n{rest}\n```"),
        when("Is it red?", "missed"),
    ]
    items = [f"item {n}" for n in range(30)]
    async with rlm_stage(tmp_path, turns, data={"items": items}) as s:
        found = msgspec.json.decode((await s.run()).final)
        assert [one["status"] for one in found] == ["fulfilled", "rejected", "fulfilled"]
        assert (found[0]["value"], found[2]["value"]) == ("1", "3")
        assert found[1]["error"].startswith("[SUB-CALL ERROR]")
        s.afresh()
        found = msgspec.json.decode((await s.run()).final)
        assert found[:2] == ["no 1", "no 2"]
        assert found[25:] == ["no 1", "no 2", "no 3", "no 4", "missed"]
        assert sorted(e.kind for e in s.events(SubagentStarted)) == ["leaf", "pack", "pack"]


@pytest.mark.proves("B18")
@pytest.mark.deep
async def test_a_run_has_fifty_sub_calls(tmp_path: Path) -> None:
    code = """const found = [];
for (let n = 0; n < 60; n++) found.push(await llm_query('Read.', 'x'));
setFinal(found.map(one => one.startsWith('[SUB-CALL ERROR]')).lastIndexOf(false) + ' ' + found[59])"""
    async with rlm_stage(tmp_path, [block(code), when("Read.", "ok")]) as s:
        outcome = await s.run()
        assert outcome.final == "49 [SUB-CALL ERROR] the 50 sub-calls of this run are used up"
        assert len(s.events(SubagentStarted)) == 50


@pytest.mark.deep
@pytest.mark.proves("B16", "B18")
async def test_so_many_calls_a_run_has_and_so_many_run_at_once(tmp_path: Path) -> None:
    one = "{prompt: 'Read.', data: 'x'}"
    counted = """const found = [];
for (let n = 0; n < 8; n++) found.push(await llm_query('Read.', 'x'));
setFinal(found.map(one => one.startsWith('[SUB-CALL ERROR]')).lastIndexOf(false) + ' ' + found[7])"""
    shared = f"""const all = await llm_batch(Array.from({{length: 8}}, () => ({one})));
setFinal(all.map(one => one.status[0]).join(''))"""
    beside = f"setFinal((await llm_batch(Array.from({{length: 6}}, () => ({one})))).length)"
    turns = [block(counted), block(shared), block(beside), when("Read.", "ok", delay_seconds=0.02)]
    limits = {"max_sub_calls": 6, "concurrency": 2}
    async with rlm_stage(tmp_path, turns, rlm=limits) as s:
        outcome = await s.run()
        assert outcome.final == "5 [SUB-CALL ERROR] the 6 sub-calls of this run are used up"
        assert len(s.events(SubagentStarted)) == 6
        assert (await s.run()).final == "ffffffrr"
        s.afresh()
        await s.run()
        asked = s.server.exchanges[1:]
        for exchange in asked:
            at_once = [
                other
                for other in asked
                if other.arrived_at < (exchange.ended_at or 0)
                and (other.ended_at or 0) > exchange.arrived_at
            ]
            assert len(at_once) <= 4  # itself, one beside it, and one that follows each


@pytest.mark.proves("B18")
@pytest.mark.deep
async def test_a_cap_on_tokens_holds_for_children(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=1_000)
    code = "const a = []; for (let n = 0; n < 5; n++) a.push(await llm_query('Read.', 'x')); a"
    turns = [
        block(code, usage=usage),
        when("Read.", "ok", usage={"input_uncached": 1_000}),
    ]
    async with rlm_stage(tmp_path, turns, limits={"max_tokens": 3_000}) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_tokens"
        assert len(s.events(SubagentStarted)) == 2


@pytest.mark.proves("agent-budgets")
async def test_calls_at_once_share_what_is_left_of_the_tokens(tmp_path: Path) -> None:
    code = """const ask = () => ({prompt: 'Read.', data: 'x '.repeat(4000)});
setFinal((await llm_batch(Array.from({length: 4}, ask))).map(one => one.status[0]).join(''))"""
    usage = ScriptedUsage(input_uncached=100)
    answer = when("Read.", "ok", usage={"input_uncached": 2_000}, delay_seconds=0.1)
    turns = [block(code, usage=usage), answer]
    async with rlm_stage(tmp_path, turns, limits={"max_tokens": 5_500}) as s:
        assert (await s.run()).final == "ffrr"
        assert len(s.server.exchanges) == 3


@pytest.mark.proves("B14")
@pytest.mark.deep
async def test_a_child_that_never_ends_is_told_to_hurry_and_answers(tmp_path: Path) -> None:
    turns = [
        block("setFinal(await llm_query('Work.', data))"),
        block("1"),
        block("2"),
        block("3"),
        Turn(text="about three"),
    ]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, rlm={"child_iterations": 3}) as s:
        assert (await s.run()).final == "about three"
        said = [s.body(at)["messages"][1]["content"] for at in range(1, 5)]
        assert "Only 2 iterations left" not in said[0]
        assert "Only 2 iterations left" in said[1]
        assert "Only 1 iteration left" in said[2]
        assert "last iteration" in said[3]


@pytest.mark.deep
@pytest.mark.proves("B29", "browser-children")
async def test_one_child_is_stopped_and_the_run_goes_on_or_all_of_it_is(tmp_path: Path) -> None:
    works = block("setFinal(await llm_query('Work.', data))")
    waits = block("await sleep(10_000)")
    turns = [works, waits, works, waits, block("setFinal('again')")]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(CodeGenerated, 2)
            with pytest.raises(Misuse, match="sub_7"):
                await s.session.send(Interrupt(child="sub_7"))
            await s.session.send(Interrupt(child="sub_1"))
        assert (s.session.state.ended, s.session.state.final) == (
            "completed",
            "[SUB-CALL CANCELLED]",
        )
        assert [e.reason for e in s.events(SubagentCompleted)] == ["cancelled"]
        with pytest.raises(Misuse, match="sub_1"):
            await s.session.send(Interrupt(child="sub_1"))
        s.afresh()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(CodeGenerated, 2)
            await s.session.send(Interrupt())
        assert s.session.state.ended == "cancelled"
        assert [e.reason for e in s.events(SubagentCompleted)] == ["cancelled"]
        assert (await s.run("Once more.")).final == "again"
