"""The prompt while a run is on: steering, words for later, the own shell, pictures, and what waits."""

import base64
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from anyio import Event, create_task_group, to_thread
from textual import events
from textual.pilot import Pilot

from ouroboros.core.commands import Dequeue, SetTitle
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left
from tests.tui.pictures import text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import shown, started, turns

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAITS = {
    "tool_calls": [
        {"name": "shell", "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"}}
    ]
}


async def until(app: OuroApp, pilot: Pilot[Left], holds: Callable[[], object]) -> None:
    with anyio.move_on_after(60):
        while not holds():
            await pilot.pause(0.005)
        return
    raise AssertionError(text(app))


def heard(app: OuroApp) -> list[str]:
    """What the person said, as the model has it."""
    return [each.text for each in app.state.history if each.role == "user" and each.kind == "plain"]


@pytest.mark.deep
@pytest.mark.proves("interfaces-steer-and-queue")
async def test_words_reach_the_run_or_wait_for_its_end_and_can_be_changed(tmp_path: Path) -> None:
    model = turns(tmp_path, WAITS, {"text": "One."}, {"text": "Two."}, {"text": "Three."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        await keys(pilot, "begin<enter>")
        await until(app, pilot, lambda: app.prompt.is_at_work and app.state.calls)
        await keys(pilot, "at once<enter>first later<tab>second later<tab>third later<tab>")
        await until(app, pilot, lambda: len(app.state.later) == 3)
        await until(app, pilot, lambda: "after the run, 2: second later" in text(app))
        assert "next step: at once" in text(app)
        await keys(pilot, "<alt+up><alt+up>")
        assert app.prompt.text == "second later"
        await keys(pilot, " indeed<enter>")
        await until(app, pilot, lambda: "second later indeed" in app.state.later.values())
        await keys(pilot, "<alt+up><ctrl+u><enter>")
        await until(app, pilot, lambda: len(app.state.later) == 2)
        await keys(pilot, "<alt+up><escape>")  # left as they are
        assert app.prompt.text == ""
        await to_thread.run_sync((app.cwd / "go").touch)
        await until(app, pilot, lambda: "Three." in text(app) and not app.prompt.is_at_work)
        assert heard(app) == ["begin", "at once", "first later", "second later indeed"]
        assert "after the run" not in text(app)


@pytest.mark.proves("interfaces-words-for-later")
async def test_words_for_later_are_shown_without_another_key(tmp_path: Path) -> None:
    model = turns(tmp_path, WAITS, {"text": "One."}, {"text": "Two."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        await keys(pilot, "begin<enter>")
        await until(app, pilot, lambda: app.prompt.is_at_work and app.state.calls)
        await keys(pilot, "later<tab>")
        await until(app, pilot, lambda: "after the run, 1: later" in text(app))
        (id,) = app.state.later
        assert app.room is not None
        await app.room.send(Dequeue(id=id))
        await until(app, pilot, lambda: "after the run, 1" not in text(app))
        assert app.prompt.is_at_work
        await to_thread.run_sync((app.cwd / "go").touch)
        await until(app, pilot, lambda: "One." in text(app) and not app.prompt.is_at_work)


@pytest.mark.deep
@pytest.mark.proves("interfaces-steer-and-queue")
async def test_what_has_to_wait_is_refused_and_the_own_shell_is_not(tmp_path: Path) -> None:
    model = turns(tmp_path, WAITS, {"text": "Over."})
    async with shown(started(tmp_path, model=model)) as (app, pilot):
        await keys(pilot, "begin<enter>")
        await until(app, pilot, lambda: app.prompt.is_at_work and app.state.calls)
        for line in ("/compact", "/undo", "/rewind", "/clear"):
            await keys(pilot, f"{line} <enter>")
            await until(app, pilot, lambda line=line: f"{line} has to wait" in text(app))
        await keys(pilot, "/mode plan<enter>")
        await until(app, pilot, lambda: app.state.mode == "plan")
        await keys(pilot, "!echo mine; touch go<enter>")
        await until(app, pilot, lambda: "Over." in text(app))
        assert "! echo mine; touch go" in text(app)


@pytest.mark.deep
@pytest.mark.proves("interfaces-steer-and-queue")
async def test_escape_stops_and_a_second_one_does_not_rewind(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model=turns(tmp_path, WAITS))) as (app, pilot):
        await keys(pilot, "begin<enter>")
        await until(app, pilot, lambda: app.prompt.is_at_work and app.state.calls)
        await keys(pilot, "<escape><escape>")
        await until(
            app, pilot, lambda: app.state.ended == "cancelled" and not app.prompt.is_at_work
        )
        assert type(app.screen).__name__ == "Screen"
        await keys(pilot, "<escape><escape>")
        await until(app, pilot, lambda: type(app.screen).__name__ == "RewindScreen")


@pytest.mark.deep
async def test_what_ends_without_an_event_is_over_for_the_prompt_too(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        room, may_end = app.room, Event()
        assert room is not None

        async def act() -> None:
            await room.session.send(SetTitle(title="Named"))
            await may_end.wait()

        async with create_task_group() as tasks:
            tasks.start_soon(room.work, act)
            await until(app, pilot, lambda: app.state.title == "Named" and app.prompt.is_at_work)
            may_end.set()
        await until(app, pilot, lambda: not app.prompt.is_at_work)


@pytest.mark.deep
@pytest.mark.proves("interfaces-steer-and-queue")
async def test_shift_tab_goes_through_the_careful_modes(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo", mode="plan")) as (app, pilot):
        for mode in ("ask", "auto-edit", "plan"):
            await keys(pilot, "<shift+tab>")
            await until(app, pilot, lambda mode=mode: app.state.mode == mode)


@pytest.mark.proves("interfaces-steer-and-queue")
async def test_a_picture_that_is_dropped_or_pasted_is_kept_and_named(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        picture = app.cwd / "a b.png"
        await to_thread.run_sync(picture.write_bytes, PIXEL)
        app.prompt.post_message(events.Paste(f"'{picture}'"))
        await until(app, pilot, lambda: app.prompt.text)
        assert app.prompt.text == f'@"{picture}" '
        await keys(pilot, "<ctrl+c>")
        data = base64.b64encode(PIXEL).decode()
        app.prompt.post_message(events.Paste(f"data:image/png;base64,{data}"))
        await until(app, pilot, lambda: app.prompt.text)
        assert app.room is not None
        kept = tmp_path / "home" / "artifacts" / app.room.id / "pasted-1.png"
        assert app.prompt.text == f'@"{kept}" '
        assert await to_thread.run_sync(kept.read_bytes) == PIXEL
        await keys(pilot, "<ctrl+c>")
        app.prompt.post_message(events.Paste("data:image/png;base64,!!!"))
        await until(app, pilot, lambda: app.prompt.text)
        assert app.prompt.text == "data:image/png;base64,!!!"


@pytest.mark.deep
@pytest.mark.proves("interfaces-shell-line")
async def test_before_any_words_the_own_shell_is_on_the_disk_before_it_acts(
    tmp_path: Path,
) -> None:
    log = tmp_path / "home" / "ouroboros.db"
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        await keys(pilot, f"!echo found $(cat {log}* | tr -d '\\0' | grep -ac 'echo found')<enter>")
        await until(app, pilot, lambda: " done " in text(app))
        assert " found 0" not in text(app)
        assert " found " in text(app)
        assert app.state.turn == 0
        await keys(pilot, "and now<enter>")
        room = app.room
        await until(app, pilot, lambda: app.state.turn == 1 and room and not room.running)
        assert any("found" in each.text for each in app.state.history if each.text != "and now")
