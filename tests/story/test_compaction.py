"""Long histories: when they are shortened, by whom, and that the work goes on."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.agent.context.compaction import words_of
from ouroboros.core.commands import Compact, SetModel
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ContextCompacted, UserMessage
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.cases import every
from tests.story.stage import FORMATS, PROMPTS, call, stage

FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)
WINDOW = {"window": 10_000}


def contents(body: dict[str, Any]) -> list[str]:
    return [
        m["content"] if isinstance(m["content"], str) else str(m["content"])
        for m in body["messages"]
        if m["role"] not in {"system", "developer"}
    ]


@pytest.mark.proves("J02", "codex-6.1")
async def test_below_the_limit_nothing_happens(tmp_path: Path) -> None:
    under = ScriptedUsage(input_uncached=7_000, output_text=100)
    turns = [Turn(tool_calls=(call("shell", command="true"),), usage=under), Turn(text="ok")]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        await s.run()
        assert s.events(ContextCompacted) == []


@pytest.mark.proves("J04", "J07", "codex-6.2", "codex-6.5")
async def test_in_mid_task_the_model_summarises_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("Keep it small.")
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=FULL),
        Turn(text="I ran true.", usage=LOW),
        Turn(text="Finished.", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        outcome = await s.run("The task")
        assert outcome.final == "Finished."
        (compacted,) = s.events(ContextCompacted)
        assert compacted.trigger == "proactive"
        assert compacted.old_tokens >= 7_600 > compacted.new_tokens
        question = s.body(1)
        assert contents(question)[-1].startswith(PROMPTS["compact"].text[:40])
        assert question.get("tools") is None
        facts, words, summary = contents(s.body(2))
        assert "Keep it small." in facts
        assert "<environment_context>" in facts
        assert words == "The task"
        assert summary == f"{PROMPTS['summary'].text}\n\nI ran true."
        assert s.body(2)["tools"] == s.body(0)["tools"]


async def test_before_a_turn_the_context_is_told_again_with_the_new_words(tmp_path: Path) -> None:
    turns = [Turn(text="one", usage=FULL), Turn(text="sum", usage=LOW), Turn(text="two", usage=LOW)]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        await s.run("First")
        assert s.events(ContextCompacted) == []
        await s.run("Second")
        assert len(s.events(ContextCompacted)) == 1
        told = contents(s.body(2))
        assert told[-1].endswith("sum")
        assert "First" in told
        assert "Second" in told
        assert sum("<environment_context>" in text for text in told) == 1


@pytest.mark.deep
@pytest.mark.proves("J02", "divergences-when-the-history-is-summarised")
async def test_a_fixed_limit_fires_too(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=1_200, output_text=0)
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=usage),
        Turn(text="sum"),
        Turn(text="end"),
    ]
    async with stage(tmp_path, turns, context={"fixed_limit": 1_000}) as s:
        assert (await s.run()).final == "end"
        assert len(s.events(ContextCompacted)) == 1


@pytest.mark.deep
@pytest.mark.proves("J03", "divergences-context-that-turns-out-too")
@every("format", FORMATS)
async def test_an_overflow_is_met_by_compacting_and_trying_once_more(
    tmp_path: Path, format: str
) -> None:
    overflow = Turn(fault=Fault(kind="context_overflow"))
    turns = [
        Turn(tool_calls=(call("shell", command="true"),)),
        overflow,
        Turn(text="sum"),
        Turn(text="end"),
    ]
    async with stage(tmp_path, turns, format=format) as s:
        assert (await s.run()).final == "end"
        (compacted,) = s.events(ContextCompacted)
        assert compacted.trigger == "reactive"


@pytest.mark.proves("J03", "divergences-context-that-turns-out-too")
async def test_a_second_overflow_ends_the_run(tmp_path: Path) -> None:
    overflow = Turn(fault=Fault(kind="context_overflow"))
    async with stage(tmp_path, [overflow, Turn(text="sum"), overflow]) as s:
        outcome = await s.run()
        assert (outcome.reason, len(s.events(ContextCompacted))) == ("failed", 1)


@pytest.mark.deep
async def test_a_summary_that_does_not_fit_is_asked_for_with_less(tmp_path: Path) -> None:
    overflow = Turn(fault=Fault(kind="context_overflow", times=2))
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=LOW),
        Turn(tool_calls=(call("shell", command="true"),), usage=FULL),
        overflow,
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        assert (await s.run()).final == "end"
        sizes = [len(contents(s.body(number))) for number in (2, 3, 4)]
        assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.deep
async def test_a_summary_of_less_still_begins_with_a_user(tmp_path: Path) -> None:
    steps = [Turn(tool_calls=(call("shell", command=f": {n}"),), usage=LOW) for n in range(3)]
    steps.append(Turn(tool_calls=(call("shell", command="true"),), usage=FULL))
    turns = [
        *steps,
        Turn(fault=Fault(kind="context_overflow", times=4)),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, format="anthropic", context=WINDOW) as s:
        assert (await s.run()).final == "end"
        questions = [s.body(number)["messages"] for number in range(4, 9)]
        assert [question[0]["role"] for question in questions] == ["user"] * 5
        sizes = [len(str(question)) for question in questions]
        assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.deep
async def test_an_overflow_in_mid_reply_leaves_no_half_reply_as_the_last_word(
    tmp_path: Path,
) -> None:
    overflow = Fault(kind="context_overflow", in_stream=True, after=6)
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=LOW),
        Turn(text="half a reply", chunk=2, fault=overflow),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(
        tmp_path, turns, format="anthropic", context={**WINDOW, "keep_messages": 2}
    ) as s:
        assert (await s.run()).final == "end"
        assert [c.trigger for c in s.events(ContextCompacted)] == ["reactive"]
        last = s.body(-1)["messages"][-1]
        assert (last["role"], last["content"][0]["type"]) == ("user", "tool_result")


@pytest.mark.deep
@pytest.mark.proves("J04", "divergences-a-summary-the-model-will")
async def test_when_the_model_refuses_to_summarise_the_record_speaks(tmp_path: Path) -> None:
    turns = [
        Turn(text="I will run it.", tool_calls=(call("shell", command="true"),), usage=FULL),
        Turn(fault=Fault(kind="content_policy")),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        assert (await s.run()).final == "end"
        summary = contents(s.body(-1))[-1]
        assert "you said: I will run it." in summary
        assert "you called shell" in summary


@pytest.mark.deep
@pytest.mark.proves("divergences-a-summary-the-model-will")
async def test_a_network_failure_while_summarising_loses_nothing(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=FULL),
        Turn(fault=Fault(kind="auth")),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context=WINDOW) as s:
        assert (await s.run()).reason == "failed"
        assert s.events(ContextCompacted) == []
        assert (await s.run("")).final == "end"
        assert len(s.events(ContextCompacted)) == 1


@pytest.mark.proves("J10", "J05")
async def test_compacting_on_demand_takes_a_focus(tmp_path: Path) -> None:
    turns = [Turn(text="one"), Turn(text="sum"), Turn(text="two")]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        await s.session.send(Compact(focus="the parser"))
        asked = contents(s.body(1))[-1]
        assert asked.endswith("The person wishes that this be kept above all: the parser")
        assert "limit" not in asked
        (compacted,) = s.events(ContextCompacted)
        assert compacted.trigger == "manual"
        assert words_of(compacted.history[-1]) == "sum"
        assert (await s.run("Second")).final == "two"
        first, summary, _, second = contents(s.body(2))
        assert (first, second) == ("First", "Second")
        assert "messages before it are from that conversation and not new requests" in summary
        assert summary.endswith("be kept above all: the parser\n\nsum")
        facts = [m for m in s.events(UserMessage) if m.message.kind == "context"]
        assert len(facts) == 2


@pytest.mark.proves("J07")
async def test_what_no_summary_shortens_is_in_both_figures(tmp_path: Path) -> None:
    """The system prompt and the tools are sent again, so they do not count as saved."""
    long = "word" * 4_000  # some 4,000 tokens
    usage = ScriptedUsage(input_uncached=2_000, output_text=4_000)
    turns = [Turn(text=long, usage=usage), Turn(text="sum", usage=LOW)]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        await s.session.send(Compact())
        (compacted,) = s.events(ContextCompacted)
        assert compacted.old_tokens == 6_000
        assert compacted.new_tokens == s.session.meter().used > 1_000


async def test_compacting_nothing_is_refused(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="x")]) as s:
        with pytest.raises(Misuse, match="nothing to summarise"):
            await s.session.send(Compact())


@pytest.mark.proves("J05", "divergences-end-of-a-summarised-history")
async def test_the_last_messages_can_stay_with_their_results(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="echo kept"),), usage=FULL),
        Turn(text="sum", usage=LOW),
        Turn(text="end", usage=LOW),
    ]
    async with stage(tmp_path, turns, context={**WINDOW, "keep_messages": 1}) as s:
        await s.run("The task")
        last = s.body(-1)["messages"][-2:]
        assert last[0]["tool_calls"][0]["id"] == last[1]["tool_call_id"]
        assert "kept" in last[1]["content"]


@pytest.mark.deep
@pytest.mark.proves("J14")
async def test_twenty_compactions_do_not_lose_the_task(tmp_path: Path) -> None:
    turns: list[Turn] = []
    for number in range(20):
        step = f"echo step >> steps; : {number}"
        turns += [
            Turn(tool_calls=(call("shell", command=step),), usage=FULL),
            Turn(text="sum", usage=LOW),
        ]
    async with stage(tmp_path, [*turns, Turn(text="end")], context=WINDOW) as s:
        outcome = await s.run("Count to twenty")
        assert outcome.final == "end"
        assert (s.cwd / "steps").read_text() == "step\n" * 20
        assert contents(s.body(-1)).count("Count to twenty") == 1


@pytest.mark.proves("H24")
async def test_another_model_answers_from_the_next_words_on(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="one"), Turn(text="two")], check=False) as s:
        await s.run("First")
        await s.session.send(SetModel(model="openai-chat/other"))
        await s.run("Second")
        assert [s.body(0)["model"], s.body(1)["model"]] == ["scripted", "other"]
        assert s.session.state.model == "openai-chat/other"
        assert contents(s.body(1))[-3:] == ["First", "one", "Second"]


@pytest.mark.proves("codex-6.6")
async def test_the_old_model_summarises_for_a_smaller_one(tmp_path: Path) -> None:
    models = {"small": {"window": 4_000}}
    usage = ScriptedUsage(input_uncached=5_000, output_text=10)
    turns = [Turn(text="one", usage=usage), Turn(text="sum"), Turn(text="two", usage=LOW)]
    async with stage(tmp_path, turns, models=models, check=False) as s:
        await s.run("First")
        await s.session.send(SetModel(model="openai-chat/small"))
        await s.run("Second")
        assert [s.body(n)["model"] for n in range(3)] == ["scripted", "scripted", "small"]
        assert any(text.endswith("sum") for text in contents(s.body(2)))


async def test_an_unknown_model_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="one")]) as s:
        with pytest.raises(Misuse):
            await s.session.send(SetModel(model="script"))
        assert (await s.run("First")).final == "one"
