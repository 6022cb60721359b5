"""A model that fails is replaced by the next one, within the turn and without a second of anything."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.export.markdown import markdown
from ouroboros.core.commands import Compact, SetModel
from ouroboros.core.errors import FailureKind, ModelFailed, ModelUnknown
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    ErrorRaised,
    ModelSwitched,
    ToolResulted,
    UserMessage,
)
from ouroboros.llm.protocols.registry import NAMES
from ouroboros.llm.turns import Fault, FaultKind, ScriptedUsage, Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.cases import every
from tests.story.stage import Stage, call, stage
from tests.story.test_cli_run import ouro, script

KEY = "sk-second-0123456789abcdef"
HERE = Turn(text="The second one answers.")
ONCE = {"request_retries": 0, "stream_retries": 0}


def rare(*values: Any) -> Any:
    """A case of a table for the deep tests."""
    return pytest.param(*values, marks=pytest.mark.deep)


def broken(kind: FaultKind, **more: Any) -> Turn:
    return Turn(fault=Fault(kind=kind, times=99, **more))


@asynccontextmanager
async def two(
    tmp_path: Path,
    first: Sequence[Turn],
    second: Sequence[Turn],
    *,
    protocols: tuple[str, str] = ("openai-chat", "openai-chat"),
    check: bool = True,
    **settings: Any,
) -> AsyncGenerator[tuple[Stage, ScriptedServer]]:
    """A session with ``first/m``, and ``second/m`` to fall back on, on a server of its own."""
    async with serving(second) as other:
        own = {
            "first": {
                "base_url": "http://127.0.0.1:1/v1",
                "protocol": protocols[0],
                "auth": "none",
            },
            "second": {
                "base_url": other.url,
                "protocol": protocols[1],
                "key_env": "SECOND_API_KEY",
                "auth": "bearer",
            },
        }
        chosen: dict[str, Any] = {
            "model": "first/m",
            "fallback": ["second/m"],
            "providers": own,
            "network": ONCE,
            **settings,
        }
        keys = {"SECOND_API_KEY": KEY}
        async with stage(tmp_path, first, check=check, environment=keys, **chosen) as s:
            yield s, other


def body(server: ScriptedServer, number: int = -1) -> dict[str, Any]:
    return msgspec.json.decode(server.exchanges[number].body)


@pytest.mark.proves("providers-fallback", "H23")
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(kind="auth", times=9), "auth"),
        rare(Fault(kind="permission", times=9), "permission"),
        rare(Fault(kind="quota", times=9), "quota"),
        (Fault(kind="overloaded", times=9), "overloaded"),
        rare(Fault(kind="rate_limit", times=9, retry_after_seconds=4000), "rate_limit"),
        rare(Fault(kind="server", times=9), "server"),
        rare(Fault(kind="model_not_found", times=9), "model_not_found"),
        rare(Fault(kind="reset", times=9), "transport"),
        rare(Fault(kind="silent", times=9), "timeout"),
        (Fault(kind="overloaded", times=9, in_stream=True), "overloaded"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_the_next_model_answers_within_the_turn(
    tmp_path: Path, fault: Fault, kind: FailureKind
) -> None:
    network = ONCE | ({"idle_timeout": 1.0} if kind == "timeout" else {})
    first = [Turn(text="never said", fault=fault)]
    async with two(tmp_path, first, [HERE], network=network) as (s, other):
        outcome = await s.run("Who is there?")
        assert (outcome.reason, outcome.final) == ("completed", HERE.text)
        [switched] = s.events(ModelSwitched)
        assert (switched.old, switched.new, switched.kind) == ("first/m", "second/m", kind)
        assert switched.reason
        assert s.session.state.fallback == "second/m"
        assert s.session.state.model == "first/m"
        [reply] = s.events(AgentMessage)
        assert reply.message.origin is not None
        assert reply.message.origin.provider == "second"
        assert [m.message.text for m in s.events(UserMessage)].count("Who is there?") == 1
        assert s.types.count("turn.started") == 1
        said = [m["content"] for m in body(other)["messages"] if m["role"] == "user"]
        assert said.count("Who is there?") == 1
        assert s.events(ErrorRaised) == []


@pytest.mark.proves("H23")
@every("kind", ["content_policy", "invalid_request"])
async def test_what_is_wrong_with_the_request_itself_is_not_asked_elsewhere(
    tmp_path: Path, kind: FaultKind
) -> None:
    async with two(tmp_path, [broken(kind)], [HERE]) as (s, other):
        assert (await s.run()).reason == "failed"
        assert other.exchanges == []
        assert s.events(ModelSwitched) == []


@pytest.mark.proves("H23")
async def test_after_a_word_was_shown_nobody_else_is_asked(tmp_path: Path) -> None:
    cut = Turn(text="Half a sentence and", chunk=4, fault=Fault(kind="cut", after=8, times=9))
    async with two(tmp_path, [cut], [HERE]) as (s, other):
        assert (await s.run()).reason == "failed"
        assert other.exchanges == []
        assert [m.partial for m in s.events(AgentMessage)] == [True]


@pytest.mark.deep
@pytest.mark.proves("H23")
async def test_after_a_call_had_begun_to_act_nobody_else_is_asked(tmp_path: Path) -> None:
    cut = Turn(
        tool_calls=(call("shell", command="echo x >> done"), call("ls")),
        fault=Fault(kind="overloaded", after=40, times=9, in_stream=True),
    )
    async with two(tmp_path, [cut], [HERE], mode="full-auto") as (s, other):
        await s.run()
        acted = (s.cwd / "done").exists()
        assert acted == (other.exchanges == [])


@pytest.mark.deep
@pytest.mark.proves("H23")
async def test_thoughts_that_broke_off_leave_no_trace_in_the_history(tmp_path: Path) -> None:
    cut = Turn(
        reasoning="Let me think about this",
        text="Never said.",
        chunk=4,
        fault=Fault(kind="overloaded", after=12, times=9, in_stream=True),
    )
    async with two(tmp_path, [cut], [HERE]) as (s, _):
        assert (await s.run()).final == HERE.text
        assert len(s.events(AgentMessage)) == 1
        assert [m.role for m in s.session.state.history][-2:] == ["user", "assistant"]


@pytest.mark.proves("H23")
async def test_the_history_goes_along_in_the_other_format(tmp_path: Path) -> None:
    first = [Turn(text="I look.", tool_calls=(call("ls", path="."),)), broken("overloaded")]
    protocols = ("openai-chat", "anthropic-messages")
    async with two(tmp_path, first, [HERE], protocols=protocols) as (s, other):
        (s.cwd / "seen.txt").touch()
        assert (await s.run("List it")).final == HERE.text
        assert s.types.count("turn.started") == 2
        blocks = [b for m in body(other)["messages"] for b in m["content"]]
        assert [b["type"] for b in blocks][-3:] == ["text", "tool_use", "tool_result"]
        assert "seen.txt" in str(blocks[-1])


@pytest.mark.proves("providers-history", "H23")
@pytest.mark.parametrize(
    ("first_format", "other_format"),
    [
        ("openai-responses", "bedrock-converse"),
        ("gemini", "openai-chat"),
        *[rare(first, other) for first, other in zip(NAMES, NAMES[::-1], strict=True)],
        *[
            pytest.param(first, other, marks=pytest.mark.soak)
            for first in ("openai-responses", "gemini", "bedrock-converse")
            for other in NAMES
        ],
    ],
)
async def test_any_format_takes_over_from_any(
    tmp_path: Path, first_format: str, other_format: str
) -> None:
    looks = Turn(reasoning="Hm.", text="I look.", tool_calls=(call("ls", path="."),))
    overloaded = broken("overloaded")
    second = [Turn(text="And I.", tool_calls=(call("ls", path="."),)), HERE]
    formats = (first_format, other_format)
    async with two(tmp_path, [looks, overloaded], second, protocols=formats) as (s, other):
        (s.cwd / "seen.txt").touch()
        assert (await s.run("Look for it")).final == HERE.text
        assert len(s.events(ToolResulted)) == 2
        last = other.exchanges[-1].body
        assert last.count("Look for it") == 1
        assert last.count("I look.") == 1
        assert last.count("seen.txt") == 2


@pytest.mark.deep
@pytest.mark.proves("H23")
async def test_a_model_that_rested_is_asked_again(tmp_path: Path) -> None:
    limited = Turn(fault=Fault(kind="rate_limit", retry_after_seconds=0.2))
    first = [limited, Turn(text="Back again.")]
    async with two(tmp_path, first, [HERE], check=False) as (s, other):
        assert (await s.run("One")).final == HERE.text
        await anyio.sleep(0.25)
        assert (await s.run("Two")).final == "Back again."
        there, back = s.events(ModelSwitched)
        assert (back.old, back.new, back.kind) == (there.new, there.old, "")
        assert s.session.state.fallback == ""
        assert len(other.exchanges) == 1


@pytest.mark.proves("H23")
async def test_who_took_over_and_why_is_in_the_transcript(tmp_path: Path) -> None:
    async with two(tmp_path, [broken("quota", message="No credit")], [HERE]) as (s, _):
        await s.run("One")
        told = "".join(markdown(s.shown, "Title"))
        assert "*second/m answers from here on instead of first/m: No credit*" in told


@pytest.mark.deep
@pytest.mark.proves("H23")
async def test_a_model_that_rests_is_left_alone(tmp_path: Path) -> None:
    second = [HERE, Turn(text="And again.")]
    async with two(tmp_path, [broken("overloaded")], second) as (s, _):
        await s.run("One")
        assert (await s.run("Two")).final == "And again."
        assert len(s.server.exchanges) == 1
        assert len(s.events(ModelSwitched)) == 1


@pytest.mark.deep
@pytest.mark.proves("H23")
@every("window", [None, 200_000])
async def test_a_smaller_model_is_given_a_summary(tmp_path: Path, window: int | None) -> None:
    usage = ScriptedUsage(input_uncached=9_000, output_text=10)
    small = ScriptedUsage(input_uncached=500, output_text=10)
    first = [Turn(text="one", usage=usage), broken("overloaded")]
    second = [Turn(text="the summary", usage=small), Turn(text="Small but here.", usage=small)]
    more: dict[str, Any] = {
        "models": {"second/m": {"window": 4_000}},
        "context": {"window": window},
    }
    async with two(tmp_path, first, second, check=False, **more) as (s, other):
        await s.run("First")
        assert (await s.run("Second")).final == "Small but here."
        [compacted] = s.events(ContextCompacted)
        assert "the summary" in compacted.history[-1].text or any(
            "the summary" in message.text for message in compacted.history
        )
        assert len(other.exchanges) == 2


@pytest.mark.deep
@pytest.mark.proves("H23")
async def test_a_model_that_fails_while_summarising_is_replaced(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=9_000, output_text=10)
    small = ScriptedUsage(input_uncached=500, output_text=10)
    first = [Turn(text="one", usage=usage), Turn(text="su", fault=Fault(kind="server", after=1))]
    second = [Turn(text="the summary", usage=small), Turn(text="Here.", usage=small)]
    window = {"window": 10_000}
    async with two(tmp_path, first, second, context=window, check=False) as (s, other):
        await s.run("First")
        assert (await s.run("Second")).final == "Here."
        assert len(s.events(ContextCompacted)) == 1
        assert len(other.exchanges) == 2


@pytest.mark.deep
async def test_a_summary_on_demand_is_written_by_who_can(tmp_path: Path) -> None:
    first = [Turn(text="one"), broken("server")]
    async with two(tmp_path, first, [Turn(text="the summary")], check=False) as (s, other):
        await s.run("First")
        await s.session.send(Compact())
        [compacted] = s.events(ContextCompacted)
        assert "the summary" in compacted.history[-1].text
        assert [switched.new for switched in s.events(ModelSwitched)] == ["second/m"]
        assert len(other.exchanges) == 1


@pytest.mark.deep
async def test_a_summary_that_nobody_can_write_is_an_error(tmp_path: Path) -> None:
    first = [Turn(text="one"), broken("server")]
    async with two(tmp_path, first, [broken("auth")], check=False) as (s, _):
        await s.run("First")
        with pytest.raises(ModelFailed, match="None of 2 models"):
            await s.session.send(Compact())
        await s.until(ErrorRaised)
        assert "None of 2 models" in s.events(ErrorRaised)[0].message
        assert s.events(ContextCompacted) == []


@pytest.mark.proves("H13")
async def test_a_reply_costs_what_its_own_model_costs(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=1_000_000)
    models = {"first/m": {"input": 50, "output": 0}, "second/m": {"input": 2, "output": 0}}
    answer = Turn(text="Cheap.", usage=usage)
    async with two(tmp_path, [broken("overloaded")], [answer], models=models) as (s, _):
        await s.run()
        assert s.events(AgentMessage)[0].cost == 2.0


@pytest.mark.proves("H23")
async def test_when_all_fail_the_error_names_each_and_why(tmp_path: Path) -> None:
    first = [broken("auth", message="No such key")]
    second = [broken("overloaded", message="Come back later")]
    async with two(tmp_path, first, second) as (s, other):
        outcome = await s.run()
        assert (outcome.reason, outcome.exit_code) == ("failed", 1)
        [error] = s.events(ErrorRaised)
        assert error.kind == "auth"
        assert "first/m" in error.message
        assert "No such key" in error.message
        assert "second/m" in error.message
        assert "Come back later" in error.message
        assert (len(s.server.exchanges), len(other.exchanges)) == (1, 1)
        assert (await s.run("Again")).reason == "failed"
        assert s.events(ModelSwitched)[-1].new == "second/m"


@pytest.mark.proves("H23")
async def test_a_resumed_session_begins_with_the_first_model_again(tmp_path: Path) -> None:
    async with two(tmp_path, [broken("overloaded")], [HERE]) as (s, _):
        await s.run("One")
        name = s.session.id
    async with two(tmp_path, [Turn(text="Back.")], [HERE], resume=name) as (s, other):
        assert s.session.warnings == ()
        assert (await s.run("Two")).final == "Back."
        assert other.exchanges == []
        assert s.session.state.fallback == ""


@pytest.mark.proves("H23")
async def test_choosing_a_model_makes_it_the_first_one(tmp_path: Path) -> None:
    async with two(tmp_path, [broken("auth")], [HERE, HERE], check=False) as (s, other):
        await s.run("One")
        await s.session.send(SetModel(model="second/other"))
        await s.run("Two")
        assert body(other)["model"] == "other"
        assert s.session.state.fallback == ""
        assert len(s.server.exchanges) == 1


async def test_one_without_a_key_is_left_out_and_named(tmp_path: Path) -> None:
    async with two(
        tmp_path, [broken("overloaded")], [HERE], fallback=["anthropic/claude-x", "second/m"]
    ) as (s, _):
        [warning] = s.session.warnings
        assert "anthropic/claude-x" in warning
        assert "ANTHROPIC_API_KEY" in warning
        assert (await s.run()).final == HERE.text


@pytest.mark.deep
async def test_a_misspelled_one_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ModelUnknown):
        async with two(tmp_path, [HERE], [HERE], fallback=["secnd/m"], base_url=""):
            pass


@every("way", ["fallback", "chosen"])
async def test_the_address_of_the_first_is_not_that_of_another_vendor(
    tmp_path: Path, way: str
) -> None:
    async with two(tmp_path, [broken("auth")], [HERE]) as (s, other):
        if way == "chosen":
            await s.session.send(SetModel(model="second/m"))
        assert (await s.run()).final == HERE.text
        assert all(KEY not in str(one.headers) for one in s.server.exchanges)
        assert KEY in str(other.exchanges[0].headers)


@pytest.mark.deep
async def test_the_key_of_one_that_takes_over_is_looked_for_where_keys_are_kept(
    tmp_path: Path,
) -> None:
    keep_key()
    model = script(tmp_path, {"fault": {"kind": "quota", "times": 9}})
    words = ("run", "--model", model, "--fallback", "anthropic/m", "Hello")
    async with serving([HERE]) as server:
        done = await to_thread.run_sync(
            lambda: ouro(*words, cwd=tmp_path, ANTHROPIC_BASE_URL=server.url)
        )
    assert done.stdout == f"{HERE.text}\n", done.stderr
    assert server.exchanges[0].headers["x-api-key"] == KEY


def keep_key() -> None:
    home = Path(os.environ["OUROBOROS_HOME"])
    home.mkdir(parents=True)
    (home / "keys.toml").touch(mode=0o600)
    (home / "keys.toml").write_text(f'ANTHROPIC_API_KEY = "{KEY}"\n')
