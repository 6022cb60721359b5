"""The whole screen by keys: scrolling, folding, sessions, a script in the status line, endings."""

from pathlib import Path

import pytest

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.transcript.blocks import Call, Prose, Said, Told
from ouroboros.faces.wording.face import Notice
from tests.passing import until as until_so
from tests.tui.pictures import text
from tests.tui.screen_stage import sees, settled, shown, started, turns, until

LONG = {"text": "\n\n".join(f"Paragraph {at}." for at in range(60))}
WRITES = {
    "text": "",
    "tool_calls": [{"name": "write", "arguments": {"path": "a.py", "content": "x = 1\n"}}],
}


@pytest.mark.proves("V01")
async def test_it_follows_the_end_until_the_person_scrolls_away(tmp_path: Path) -> None:
    model = turns(tmp_path, LONG, {"text": "The second answer."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(app, pilot, "task.completed")
        await sees(app, pilot, "Paragraph 59.")
        await pilot.press("pageup")
        await settled(pilot)
        before = [row[:70].rstrip() for row in text(app).split("\n")[:15]]
        assert "Paragraph 59." not in text(app)
        assert " below" in text(app)
        app.tell(Notice(text="something new"))
        await settled(pilot)
        assert [row[:70].rstrip() for row in text(app).split("\n")[:15]] == before
        await pilot.press("ctrl+pagedown")
        await sees(app, pilot, "something new")
        await pilot.press("ctrl+pageup")
        await settled(pilot)
        assert "go" in text(app).split("\n")[0]
        await pilot.press(*"more", "enter")
        await settled(pilot)
        assert app.transcript.follows


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_cards_unfold_by_key_and_by_click(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        lines = "\n".join(f"line {at}" for at in range(9))
        app.transcript.add(Call(id="c", name="shell", title="Run", status="done", output=lines))
        await settled(pilot)
        assert "line 5" not in text(app)
        await pilot.press("ctrl+o")
        await settled(pilot)
        assert "line 5" in text(app)
        await pilot.click("#transcript", offset=(3, 0))
        await settled(pilot)
        assert "line 5" not in text(app)


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_changes_stand_side_by_side_by_key(tmp_path: Path) -> None:
    model = turns(tmp_path, WRITES, {"text": "Done."})
    async with shown(started(tmp_path, model=model), size=(100, 30)) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(app, pilot, "task.completed")
        await sees(app, pilot, "x = 1")
        below = text(app)
        await pilot.press("ctrl+x")
        await settled(pilot)
        assert text(app) != below
        assert any("│" in row[20:] and "x = 1" in row for row in text(app).split("\n"))


@pytest.mark.deep
async def test_another_session_comes_on_the_screen_with_its_words(tmp_path: Path) -> None:
    model = turns(tmp_path, {"text": "Answer one."}, {"text": "Answer two."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        await pilot.press(*"first", "enter")
        await until(app, pilot, "task.completed")
        assert app.room is not None
        first = app.room.id
        await app.switch("")
        await settled(pilot)
        assert app.room.id != first
        assert "Answer one." not in text(app)
        await app.switch(first)
        await sees(app, pilot, "Answer one.")


async def test_a_wish_that_does_not_fit_is_told_and_the_screen_lives_on(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        app.complain(OuroborosError("it does not fit", hint="try another"))
        await sees(app, pilot, "error: it does not fit", "hint: try another")


@pytest.mark.deep
@pytest.mark.proves("V07")
async def test_a_script_of_the_persons_joins_the_status_line(tmp_path: Path) -> None:
    start = started(tmp_path, model="echo", tui__status_script="echo 'mine is here'")
    async with shown(start) as (app, pilot):
        await sees(app, pilot, "mine is here")
        assert "mine is here" in text(app).split("\n")[-1]


@pytest.mark.deep
@pytest.mark.proves("V07")
async def test_a_script_that_fails_is_told_once(tmp_path: Path) -> None:
    start = started(tmp_path, model="echo", tui__status_script="exit 7")
    async with shown(start) as (app, pilot):
        await pilot.press(*"hello", "enter")
        await until(app, pilot, "task.completed")
        await sees(app, pilot, "ended with 7")
        told = [each for each in app.transcript.blocks if isinstance(each, Told)]
        assert sum("ended with 7" in each.text for each in told) == 1


@pytest.mark.deep
async def test_words_before_the_session_is_open_wait_for_it(tmp_path: Path) -> None:
    model = turns(tmp_path, {"text": "Heard."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        hub, room = app.hub, app.room
        assert hub is not None
        assert room is not None
        app.room = None
        await pilot.press(*"early", "enter")
        await settled(pilot)
        assert app.transcript.blocks == []
        app.opened(hub, room)
        await until(app, pilot, "task.completed")
        said = [each.text for each in app.transcript.blocks if isinstance(each, Said)]
        assert said == ["early"]


@pytest.mark.proves("V25")
async def test_a_bug_in_a_widget_ends_the_screen_and_is_handed_on(tmp_path: Path) -> None:
    class Broken(Exception):
        """Something nobody thought of."""

    app = OuroApp(started(tmp_path, model="echo"))

    def fail() -> None:
        raise Broken("inside")

    async def run() -> None:
        async with app.run_test():
            app.call_later(fail)
            await until_so(lambda: app.failure is not None)

    with pytest.raises(Broken, match="inside"):
        await run()
    assert isinstance(app.failure, Broken)


@pytest.mark.deep
@pytest.mark.proves("V01")
@pytest.mark.parametrize(
    "size",
    [
        (12, 3),
        pytest.param((40, 10), marks=pytest.mark.deep),
        pytest.param((300, 100), marks=pytest.mark.deep),
    ],
)
async def test_any_size_is_drawn(tmp_path: Path, size: tuple[int, int]) -> None:
    async with shown(started(tmp_path, model="echo"), size=size) as (app, pilot):
        app.transcript.add(Prose(text="| a | b |\n|---|---|\n| 世界 | 12 |\n\n> quoted"))
        app.transcript.add(Call(id="c", name="shell", title="世界" * 20, status="done"))
        await settled(pilot)
        await pilot.resize_terminal(33, 9)
        await settled(pilot)
        assert len(text(app).split("\n")) == 9
