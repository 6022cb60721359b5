"""Questions, models and open sessions with the mouse; a click that was meant for something else answers nothing."""

from pathlib import Path

import anyio
import pytest
from textual.widgets import Input

from ouroboros.core.commands import Approve, Deny, Interrupt, SetModel, Submit
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.screens.models import ModelPicker
from ouroboros.faces.tui.screens.rooms import RoomsScreen
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import Small, small

DONE = Turn(text="done")


async def click(s: Small, words: str) -> None:
    """Presses the mouse where these words are."""
    lines = s.text().split("\n")
    at = next(place for place, line in enumerate(lines) if words in line)
    # The frame and the letters before the words are a cell each.
    await s.pilot.click(offset=(lines[at].index(words) + 1, at))
    await s.pilot.pause()


def picks(s: Small) -> tuple[Pick, ...]:
    """What the screen in front offers."""
    return next((each.picks for each in s.app.screen.query(Select)), ())


def asks(*names: str) -> list[Turn]:
    """So many questions at once."""
    return [Turn(tool_calls=tuple(call("shell", command=f"touch {name}") for name in names)), DONE]


@pytest.mark.deep
@pytest.mark.proves("V04")
async def test_a_question_is_answered_with_the_mouse(tmp_path: Path) -> None:
    async with small(tmp_path, asks("one", "two"), size=(100, 30)) as s:
        await s.room.send(Submit(text="go"))
        await s.asked()
        (first, *_) = s.room.state.approvals
        await s.sees("Yes  y")
        await click(s, "Yes  y")
        await s.until(lambda: s.commands == [Approve(request_id=first)])
        await s.until(lambda: first not in s.room.state.approvals)
        await s.asked()
        (second,) = s.room.state.approvals
        await s.sees("touch two")
        await click(s, "No, and say what")
        await s.sees("What to do instead?")
        await s.type("not now")
        await s.press("enter")
        await s.rested()

        assert s.commands[1:] == [Deny(request_id=second, message="not now")]
        assert (tmp_path / "work" / "one").exists()
        assert not (tmp_path / "work" / "two").exists()


@pytest.mark.deep
@pytest.mark.proves("V04")
async def test_a_click_that_was_meant_for_something_else_answers_nothing(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=tuple(call("read", path=name) for name in "ab")), DONE]
    asked = {"ask": ["read"]}
    async with small(tmp_path, turns, size=(100, 30), guard_seconds=3600, permissions=asked) as s:
        for name in "ab":
            await anyio.Path(s.app.cwd / name).write_text(name)
        await s.room.send(Submit(text="go"))
        await s.until(lambda: len(s.room.state.approvals) == 2)
        await s.sees("1 of 2", "Yes  y")
        await click(s, "Yes  y")  # the card has just come under the mouse
        assert s.commands == []
        await s.press("ctrl+t")
        await click(s, "Yes  y")
        await s.until(lambda: len(s.commands) == 1)
        await s.asked()
        await s.until(lambda: "1 of 2" not in s.text() and "Yes  y" in s.text())
        await click(s, "Yes  y")  # the second of two quick clicks
        await click(s, "Yes  y")
        assert len(s.commands) == 1
        assert len(s.room.state.approvals) == 1
        await s.room.send(Interrupt())
        await s.rested()


@pytest.mark.proves("V04")
async def test_a_model_and_its_effort_are_chosen_with_the_mouse(tmp_path: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": "x"}
    async with small(tmp_path, environment=environment, model="echo") as s:
        s.app.open(ModelPicker())
        await s.until(lambda: picks(s))
        s.app.screen.query_one(Input).value = "anthropic opus"
        await s.until(lambda: all("opus" in pick.name for pick in picks(s)))
        names = [pick.name for pick in picks(s)]
        await click(s, f"{names[1]}  ")
        await s.sees("How much should", "high")
        await click(s, "high")
        await s.until(lambda: s.app.results)
        assert s.app.results == [SetModel(model=names[1], effort="high")]


@pytest.mark.deep
@pytest.mark.proves("V04")
async def test_another_open_session_is_chosen_with_the_mouse(tmp_path: Path) -> None:
    async with small(tmp_path, [DONE]) as s:
        other = await s.hub.open()
        await other.send(Submit(text="look here"))
        await s.until(lambda: not other.running)
        s.app.open(RoomsScreen())
        await s.sees("look here", "(here)")
        await click(s, "look here")
        await s.until(lambda: s.app.results)
        assert s.app.results == [other.id]
