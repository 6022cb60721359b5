"""The manner of speaking: told once, changed in mid-session, kept when the session goes on."""

from pathlib import Path

import pytest

from ouroboros.core.commands import SetPersonality
from ouroboros.llm.turns import Turn
from tests.story.stage import PROMPTS, Stage, stage

DONE = Turn(text="Done.")


def told(s: Stage, number: int = -1) -> list[str]:
    words = [str(m["content"]) for m in s.body(number)["messages"] if m["role"] == "user"]
    return [text for text in words if "personality_spec" in text]


@pytest.mark.proves("A28", "divergences-personality")
@pytest.mark.parametrize("name", ["none", "friendly", "pragmatic"])
async def test_each_manner_is_told_in_its_own_words(tmp_path: Path, name: str) -> None:
    async with stage(tmp_path, [DONE, DONE], personality=name) as s:
        await s.run("One")
        await s.run("Two")
        found = told(s)
        assert len(found) == (name != "none")
        assert all(PROMPTS[f"personality_{name}"].text in text for text in found)


@pytest.mark.proves("A28")
async def test_a_change_is_told_once_and_kept_when_the_session_goes_on(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE] * 3) as s:
        await s.run("One")
        await s.session.send(SetPersonality(personality="friendly"))
        await s.run("Two")
        await s.run("Three")
        assert len(told(s)) == 1
        system = [s.body(at)["messages"][0] for at in range(3)]
        assert system[0] == system[1] == system[2]
    async with stage(tmp_path, [DONE] * 2, resume=s.session.id) as again:
        assert again.session.state.personality == "friendly"
        await again.run("Four")
        assert len(told(again)) == 1
        await again.session.send(SetPersonality(personality="none"))
        await again.run("Five")
        assert "No manner of speaking" in told(again)[-1]
