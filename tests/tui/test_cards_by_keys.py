"""One card of the conversation: marked, folded and unfolded by keys alone; lists taken by the mouse."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left
from ouroboros.faces.tui.transcript.blocks import Call, Prose
from tests.tui.pictures import Album, text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import settled, shown, started, until


def call(name: str, lines: int = 9) -> Call:
    """A call with output that is folded."""
    output = "\n".join(f"{name} {at}" for at in range(lines))
    return Call(id=name, name="shell", title=f"Run {name}", status="done", output=output)


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_one_card_is_unfolded_by_keys_alone(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        app.transcript.empty()
        for block in (call("a"), Prose(text="Words."), call("b")):
            app.transcript.add(block)
        await settled(pilot)
        await keys(pilot, "typed<ctrl+up><ctrl+up>")
        await settled(pilot)
        assert "Enter unfolds or folds, Esc leaves" in text(app)
        await keys(pilot, "<enter>")
        await settled(pilot)
        assert "a 5" in text(app)
        assert "b 5" not in text(app)
        await keys(pilot, "<down><space>")
        await settled(pilot)
        assert "b 5" in text(app)
        await keys(pilot, "<space><up><enter><escape>")
        await settled(pilot)
        assert "a 5" not in text(app)
        assert "b 5" not in text(app)
        assert app.prompt.text == "typed"
        await keys(pilot, "<alt+p>x<enter>")
        assert app.transcript.marked is None
        assert app.prompt.text == ""


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_the_marked_card_is_in_sight_and_nothing_carries_it_away(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo"), size=(60, 14)) as (app, pilot):
        app.transcript.empty()
        for at in range(8):
            app.transcript.add(call(f"card{at}"))
        await settled(pilot)
        await keys(pilot, "<ctrl+up>")
        await settled(pilot)
        before = [row[:50].rstrip() for row in text(app).split("\n")[:8]]
        app.transcript.add(call("meanwhile"))
        await settled(pilot)
        assert [row[:50].rstrip() for row in text(app).split("\n")[:8]] == before
        for at in range(6, -1, -1):
            await keys(pilot, "<ctrl+up>")
            await settled(pilot)
            assert f"Run card{at}" in text(app)
        await keys(pilot, "<enter>")
        app.transcript.add(call("later"))
        await settled(pilot)
        assert text(app).split("\n")[0].startswith("▾ Run card0")
        assert "later" not in text(app)
        await keys(pilot, "<escape><ctrl+pagedown>")
        await settled(pilot)
        assert "Run later" in text(app)


@pytest.mark.deep
@pytest.mark.proves("V02")
@pytest.mark.parametrize("theme", ["dark", "none"])
async def test_the_marked_card_stands_out(tmp_path: Path, album: Album, theme: str) -> None:
    start = started(tmp_path, model="echo", tui__theme=theme)
    async with shown(start, size=(60, 12)) as (app, pilot):
        app.transcript.empty()
        app.transcript.add(call("a", 2))
        app.transcript.add(call("b", 2))
        await settled(pilot)
        await keys(pilot, "<ctrl+up>")
        await settled(pilot)
        await album.check(app, f"marked-{theme}")


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_keys_for_cards_are_the_persons_too(tmp_path: Path) -> None:
    own = {"mark_above": "f5", "card_toggle": "o", "card_leave": "q"}
    start = started(tmp_path, model="echo", **{f"tui__keys__{k}": v for k, v in own.items()})
    async with shown(start) as (app, pilot):
        app.transcript.empty()
        app.transcript.add(call("a"))
        await settled(pilot)
        await keys(pilot, "<f5>o")
        await settled(pilot)
        assert "a 5" in text(app)
        await keys(pilot, "q")
        assert app.transcript.marked is None
        assert app.prompt.text == ""


@pytest.mark.deep
@pytest.mark.proves("interfaces-lists-by-mouse")
async def test_words_of_the_conversation_are_copied_with_the_mouse(tmp_path: Path) -> None:
    start = started(tmp_path, model="echo", tui__theme="none")
    async with shown(start) as (app, pilot):
        app.transcript.empty()
        app.transcript.add(Prose(text="one 世界 two\n\nthree four"))
        await settled(pilot)
        await pilot.mouse_down("#transcript", offset=(6, 0))
        await pilot.hover("#transcript", offset=(7, 2))
        await pilot.mouse_up("#transcript", offset=(7, 2))
        await settled(pilot)
        rows = app.transcript.render_lines(Region(0, 0, 79, 3))
        reverse = [part.text for row in rows for part in row if part.style and part.style.reverse]
        assert "".join(reverse).split() == ["世界", "two", "three"]
        await keys(pilot, "<ctrl+c>")
        assert app.clipboard == "世界 two\n\n  three"


@pytest.mark.proves("interfaces-lists-by-mouse")
async def test_what_a_list_offers_is_taken_with_the_mouse(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        await keys(pilot, "/mode a")
        rows = text(app).split("\n")
        at = next(row for row, line in enumerate(rows) if "auto-edit" in line)
        await pilot.click(offset=(4, at))
        await settled(pilot)
        assert app.state.mode == "auto-edit"
        await keys(pilot, "/hel")
        rows = text(app).split("\n")
        at = next(row for row, line in enumerate(rows) if line.lstrip("> ").startswith("/help"))
        await pilot.click(offset=(4, at))
        await settled(pilot)
        assert type(app.screen).__name__ == "HelpScreen"


@pytest.mark.deep
@pytest.mark.proves("interfaces-lists-by-mouse")
async def test_screens_with_a_list_are_used_with_the_mouse(tmp_path: Path) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        await keys(pilot, "remember this<enter>")
        await until(app, pilot, "task.completed")
        room = app.room
        assert room is not None
        await keys(pilot, "/clear<enter>")
        await sees(app, pilot, lambda: app.room is not room)
        for command, row, holds in (
            ("/sessions", "remember", lambda: app.room is room),
            ("/tree", "remember this", lambda: room.state.moves == 1),
            ("/rewind", "remember this", lambda: "Back to before" in text(app)),
            ("", "The conversation;", lambda: room.state.moves == 2),
        ):
            if command:
                # What was chosen may have happened before the screen of the list is gone.
                await sees(app, pilot, lambda: type(app.screen).__name__ == "Screen")
                await keys(pilot, f"{command}<enter>")
                await sees(app, pilot, lambda: type(app.screen).__name__ != "Screen")
            await sees(app, pilot, lambda row=row: row in text(app))
            rows = [line[:40] for line in text(app).split("\n")]
            at = next(place for place, line in enumerate(rows) if row in line)
            await pilot.click(offset=(rows[at].index(row) + 1, at))
            await sees(app, pilot, holds)


async def sees(app: OuroApp, pilot: Pilot[Left], holds: Callable[[], object]) -> None:
    with anyio.move_on_after(60):
        while not holds():
            await pilot.pause(0.005)
        await settled(pilot)
        return
    raise AssertionError(text(app))
