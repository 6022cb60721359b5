"""Ways in which we differ on purpose from what we follow; docs/divergences.md gives the reasons."""

from pathlib import Path

import pytest

from ouroboros.core.events import AgentMessage, ContextCompacted, ErrorRaised, ToolStarted
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.cases import every
from tests.story.stage import call, stage

FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)


@pytest.mark.proves("divergences-question-for-a-summary")
@every(
    ("format", "named", "choice"),
    [("anthropic", True, {"type": "none"}), ("openai-chat", False, None), ("openai", False, None)],
)
async def test_a_summary_is_asked_for_without_tools_except_where_they_must_be_named(
    tmp_path: Path, format: str, named: bool, choice: object
) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=FULL),
        Turn(text="I ran true.", usage=LOW),
        Turn(text="Finished.", usage=LOW),
    ]
    async with stage(tmp_path, turns, format=format, context={"window": 10_000}) as s:
        assert (await s.run()).final == "Finished."
        assert len(s.events(ContextCompacted)) == 1
        question = s.body(1)
        assert ("tools" in question, question.get("tool_choice")) == (named, choice)
        assert question.get("tools", s.body(0)["tools"]) == s.body(0)["tools"]


@pytest.mark.proves("divergences-messages-with-early-calls")
async def test_a_call_that_starts_early_is_preceded_by_the_message_so_far(tmp_path: Path) -> None:
    long = call("write", path="b.txt", content="y" * 2_000)
    turns = [
        Turn(
            text="First.",
            tool_calls=(call("ls", path="."), long),
            chunk=50,
            pace_seconds=0.002,
        ),
        Turn(text="Done."),
    ]
    async with stage(tmp_path, turns, format="openai") as s:
        await s.run()
        first = next(i for i, e in enumerate(s.shown) if isinstance(e.data, ToolStarted))
        before = [e.data for e in s.shown[:first] if isinstance(e.data, AgentMessage)]
        assert [(m.partial, m.message.text, len(m.message.calls)) for m in before] == [
            (True, "First.", 1)
        ]
        whole = next(m for m in s.events(AgentMessage) if not m.partial)
        assert (whole.message.id, len(whole.message.calls)) == (before[0].message.id, 2)
        assert len(s.session.state.history[-4:]) == 4
        assert [m.id for m in s.session.state.history].count(whole.message.id) == 1


@pytest.mark.proves("divergences-broken-stream")
async def test_a_stream_that_breaks_after_visible_words_ends_the_run_and_goes_on_when_asked(
    tmp_path: Path,
) -> None:
    turns = [
        Turn(text="half a sentence " * 9, chunk=5, fault=Fault(kind="cut", after=40)),
        Turn(text="The rest."),
    ]
    async with stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "failed"
        assert len(s.server.exchanges) == 1
        assert [error.fault for error in s.events(ErrorRaised)] == ["stream"]
        assert (await s.run("")).final == "The rest."
