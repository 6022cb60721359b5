"""A server that cuts the history and does not say so is found out by what it counted."""

from pathlib import Path

import pytest

from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.stage import Stage, stage

KEYS = {"ZAI_API_KEY": "zk-test", "OPENAI_API_KEY": "sk-test"}
LONG = "word " * 8_000
CUT = Turn(text="What?", usage=ScriptedUsage(input_uncached=4_096, output_text=2))


def warnings(s: Stage) -> list[str]:
    return [event.text for event in s.events(Logged) if event.level == "warning"]


@pytest.mark.proves("providers-protocols")
@pytest.mark.parametrize("format", ["ollama", "zai"])
async def test_a_silent_cut_is_told_once(tmp_path: Path, format: str) -> None:
    async with stage(tmp_path, [CUT] * 3, format=format, environment=KEYS) as s:
        await s.run("Hello.")
        assert warnings(s) == []
        for _ in range(2):
            assert (await s.run(LONG)).reason == "completed"
        (told,) = warnings(s)
        assert "it read 4,096 of about 1" in told
        assert "OLLAMA_CONTEXT_LENGTH" in told


@pytest.mark.proves("providers-protocols")
async def test_vendors_that_refuse_what_is_too_long_are_not_suspected(tmp_path: Path) -> None:
    async with stage(tmp_path, [CUT], format="openai", environment=KEYS) as s:
        await s.run(LONG)
        assert warnings(s) == []


@pytest.mark.proves("providers-protocols")
async def test_a_cut_report_does_not_keep_the_history_from_being_summarised(
    tmp_path: Path,
) -> None:
    turns = [CUT, Turn(text="summary"), Turn(text="done")]
    context = {"window": 12_000}
    async with stage(tmp_path, turns, format="zai", environment=KEYS, context=context) as s:
        await s.run(LONG)
        await s.run("And now?")
        assert len(s.events(ContextCompacted)) == 1
