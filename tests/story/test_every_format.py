"""Whole runs in every wire format: acting, going wrong, and going on."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.events import AgentMessage, ContextCompacted, ErrorRaised, ModelRetried
from ouroboros.llm.turns import Fault, ScriptedCall, ScriptedUsage, Turn
from tests.story.stage import Stage, call, stage

FORMATS = ("openai-chat", "openai", "anthropic", "google", "bedrock", "bedrock-invoke", "ollama")
BY_TEXT = ("openai-chat", "openai", "anthropic", "bedrock", "bedrock-invoke")
"""Formats in which a call's arguments come as text, so that they can be no JSON."""


def few(names: Iterable[str], *quick: str) -> list[Any]:
    """Every format; those that are not named here are told apart in the deep tests."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.deep) for name in names]


AWS = {"AWS_BEARER_TOKEN_BEDROCK": "token", "AWS_REGION": "eu-central-1"}


def on_stage(tmp_path: Path, turns: list[Turn], format: str, **settings: Any):
    return stage(tmp_path, turns, format=format, environment=AWS, **settings)


def texts(s: Stage) -> list[str]:
    """What each result says, in the order of the results."""
    return ["".join(getattr(part, "text", "") for part in one.parts) for one in s.results.values()]


@pytest.mark.parametrize("format", few(FORMATS, "openai", "anthropic", "google"))
async def test_a_run_reads_writes_and_answers(tmp_path: Path, format: str) -> None:
    turns = [
        Turn(reasoning="hm", text="I look.", tool_calls=(call("read", path="a.txt"),)),
        Turn(tool_calls=(call("write", path="b.txt", content="two"), call("ls"))),
        Turn(text="Done."),
    ]
    async with on_stage(tmp_path, turns, format) as s:
        (s.cwd / "a.txt").write_text("the first line", encoding="utf-8")
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "Done.")
        assert (s.cwd / "b.txt").read_text(encoding="utf-8") == "two"
        assert "the first line" in s.server.exchanges[1].body
        assert len(s.server.exchanges) == 3


BROKEN = {
    '{"path" "a"}': "expected ':' (byte 8)",
    '{"path": "a': "truncated (byte 11)",
    "[1]": "Expected `object`, got `array`",
    '{"path": 7, }': "byte",
}
"""Arguments, and what is said of them."""


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", few(BY_TEXT, "openai"))
async def test_arguments_that_are_no_json_are_named_in_the_result(
    tmp_path: Path, format: str
) -> None:
    broken = [ScriptedCall(name="read", arguments=arguments) for arguments in BROKEN]
    turns = [*[Turn(tool_calls=(each, call("ls"))) for each in broken], Turn(text="Done.")]
    async with on_stage(tmp_path, turns, format) as s:
        assert (await s.run()).final == "Done."
        told = texts(s)[::2]
        wrong = [
            (arguments, text)
            for (arguments, what), text in zip(BROKEN.items(), told, strict=True)
            if what not in text
            or "failed to parse function arguments" not in text
            or "expected {path: string" not in text
        ]
        assert wrong == []
        sent = [exchange.body.count("failed to parse") for exchange in s.server.exchanges]
        assert sent == [0, 1, 2, 3, 4]


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", few(["google", "ollama"], "ollama"))
async def test_a_call_the_vendor_itself_cannot_read_is_asked_for_again(
    tmp_path: Path, format: str
) -> None:
    broken = ScriptedCall(name="read", arguments='{"path" "a"}')
    async with on_stage(tmp_path, [Turn(tool_calls=(broken,)), Turn(text="Done.")], format) as s:
        assert (await s.run()).final == "Done."
        assert len(s.events(ModelRetried)) == 1


@pytest.mark.proves("providers-faults", "divergences-call-that-was-cut-by")
@pytest.mark.parametrize("format", few(BY_TEXT, "anthropic"))
async def test_a_call_cut_by_the_length_is_said_to_be_cut(tmp_path: Path, format: str) -> None:
    cut = ScriptedCall(name="write", arguments='{"path": "b.txt", "content": "half')
    alone = Turn(tool_calls=(cut,), stop="length")
    beside = Turn(tool_calls=(call("ls"), cut), stop="length")
    async with on_stage(tmp_path, [alone, beside, Turn(text="Done.")], format) as s:
        assert (await s.run()).final == "Done."
        for exchange in s.server.exchanges[1:]:
            assert "cut off at the output limit" in exchange.body
            assert "failed to parse" not in exchange.body
        assert s.server.exchanges[2].body.count("cut off at the output limit") == 2
        assert [result.name for result in s.results.values()] == ["ls"]
        assert not (s.cwd / "b.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize(
    ("format", "count"),
    [
        ("openai", 40),
        *[pytest.param(name, 40, marks=pytest.mark.deep) for name in FORMATS if name != "openai"],
        pytest.param("bedrock", 200, marks=pytest.mark.deep),
    ],
)
async def test_many_calls_in_one_reply_all_have_their_answer(
    tmp_path: Path, format: str, count: int
) -> None:
    calls = tuple(call("read", path=f"{number}.txt") for number in range(count))
    async with on_stage(tmp_path, [Turn(tool_calls=calls), Turn(text="Done.")], format) as s:
        for number in range(count):
            (s.cwd / f"{number}.txt").write_text(f"content-{number:03}", encoding="utf-8")
        assert (await s.run()).final == "Done."
        assert len(s.results) == count
        sent = s.server.exchanges[1].body
        places = [sent.index(f"content-{number:03}") for number in range(count)]
        assert places == sorted(places)


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", few(FORMATS, "anthropic"))
async def test_an_overflow_compacts_once_and_tries_once(tmp_path: Path, format: str) -> None:
    turns = [
        Turn(tool_calls=(call("ls"),)),
        Turn(fault=Fault(kind="context_overflow")),
        Turn(text="the summary"),
        Turn(text="Done."),
    ]
    async with on_stage(tmp_path, turns, format) as s:
        assert (await s.run()).final == "Done."
        assert [event.trigger for event in s.events(ContextCompacted)] == ["reactive"]
        assert len(s.server.exchanges) == 4
        assert "the summary" in s.server.exchanges[3].body


@pytest.mark.proves("A15")
@pytest.mark.parametrize("format", few(FORMATS, "google"))
async def test_a_provider_that_stays_broken_ends_the_run_which_can_go_on(
    tmp_path: Path, format: str
) -> None:
    turns = [Turn(fault=Fault(kind="server")), Turn(text="Here I am.")]
    retries = {"request_retries": 0}
    async with on_stage(tmp_path, turns, format, network=retries) as s:
        assert (await s.run()).reason == "failed"
        (error,) = s.events(ErrorRaised)
        assert (error.fault, error.kind, error.status) == ("provider", "server", 500)
        assert (await s.run("Again.")).final == "Here I am."


@pytest.mark.proves("H12", "J01")
@pytest.mark.parametrize("format", few(FORMATS, "anthropic", "ollama"))
async def test_what_the_vendor_counted_is_what_is_shown(tmp_path: Path, format: str) -> None:
    usage = ScriptedUsage(input_uncached=300, cache_read=1_000, output_text=34)
    async with on_stage(tmp_path, [Turn(text="Hi.", usage=usage)], format) as s:
        await s.run()
        state = s.session.state
        assert state.measured_tokens == 1_334
        assert (state.spent.input_tokens, state.spent.output_tokens) == (1_300, 34)
        said = None if format == "ollama" else 1_000 / 1_300
        assert state.spent.cache_hit_rate == said


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", few(FORMATS, "anthropic"))
async def test_a_refusal_ends_the_run_as_failed(tmp_path: Path, format: str) -> None:
    turn = Turn(text="I can", stop="content_filter" if format != "anthropic" else "refusal")
    async with on_stage(tmp_path, [turn], format) as s:
        outcome = await s.run()
        if format == "ollama":  # it has no word for this
            assert outcome.reason == "completed"
        else:
            assert outcome.reason == "failed"
            (message,) = s.events(AgentMessage)
            assert message.stop_reason in {"content_filter", "refusal"}
