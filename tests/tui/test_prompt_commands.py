"""Each command as a person types it: keys go in, the session or the screen is another."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from ouroboros.faces.slashes.table import SLASHES
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left
from tests.tui.pictures import text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import shown, started

type Holds = Callable[[OuroApp], object]

_MAIN = "Screen"


def says(words: str) -> Holds:
    """The conversation shows these words, wherever its lines break."""
    return lambda app: words in " ".join(text(app).split())


def opens(name: str) -> Holds:
    """This screen is in front."""
    return lambda app: type(app.screen).__name__ == name


def rests(app: OuroApp) -> bool:
    """Nothing runs."""
    return app.room is not None and not app.room.running


def ended(turns: int) -> Holds:
    """So many turns were had, and nothing runs."""
    return lambda app: app.state.turn == turns and rests(app)


def turns(count: int) -> Holds:
    """So many turns stand in the conversation, and nothing is done about them any more."""
    return lambda app: len(app.state.tree.turns()) == count and rests(app)


# Lines that are typed one after the other into one session, and what holds after each.
BEFORE_ANY_WORDS: list[tuple[str, Holds]] = [
    ("/help", opens("HelpScreen")),
    ("/help undo", says("take the latest turns back")),
    ("/nonsense", says("there is no command /nonsense")),
    ("/mode ask", lambda app: app.state.mode == "ask"),
    ("/plan", lambda app: app.state.mode == "plan"),
    ("/mode full-auto", lambda app: app.state.mode == "full-auto"),
    ("/model", opens("ModelPicker")),
    ("/model nobody/knows", says("nobody")),
    ("/effort high", lambda app: app.state.effort == "high"),
    ("/tier flex", lambda app: app.state.service_tier == "flex"),
    ("/personality friendly", lambda app: app.state.personality == "friendly"),
    ("/permissions", says("mode: full-auto; sandbox:")),
    ("/diff", says("no tool changed a file in the latest turn")),
    ("/sessions", opens("SessionPicker")),
    ("/resume", opens("SessionPicker")),
    ("/rename A good name", lambda app: app.state.title == "A good name"),
    ("/title A better name", lambda app: app.state.title == "A better name"),
    ("/context", opens("ContextScreen")),
    ("# use tabs", says("Where is 'use tabs' to be kept?")),
    ("/note project", says("Noted in")),
    ("# and blanks", says("and blanks; told with your next words")),
    ("/repo", says("none is here yet")),
    ("/checkpoints", says("no checkpoint was made yet")),
    ("/export md kept.md", says("kept.md")),
    ("!echo from my shell; touch made", lambda app: says("from my shell")(app) and rests(app)),
    ("/agent", says("is not in a git repository")),
    ("/agent fixer Mend it", says("is not in a git repository")),
    ("/quit", lambda app: not app.is_running),
]
AFTER_WORDS: list[tuple[str, Holds]] = [
    ("first words", ended(1)),
    ("more words", ended(2)),
    ("/cost", says("for 2 requests")),
    ("/tree", opens("TreeScreen")),
    ("/rewind", lambda app: opens("RewindScreen")(app) and says("no files")(app)),
    ("/rewind 1 conversation", turns(1)),
    ("again", ended(3)),
    ("/undo", turns(1)),
    ("/redo", turns(2)),
    ("/rollback", turns(1)),
    ("/compact", lambda app: app.state.compactions == 1),
    ("/fork", lambda app: app.state.parent),
    ("/branch 1", lambda app: app.state.moves),
    ("/clear", lambda app: app.room and not app.state.tree.nodes and not app.state.parent),
]
BEGINNING_A_RUN: list[tuple[str, Holds]] = [
    ("/init", ended(1)),
    ("/security-review", ended(2)),
    ("/queue later", ended(3)),
    ("/review look", says("Review")),
    # Its turns follow each other so quickly that its words may be out of sight at once.
    ("/goal reach it", lambda app: app.state.goals is not None),
    ("/goal clear", lambda app: app.state.goals and not app.state.goals.active),
]
SCRIPTS = [BEFORE_ANY_WORDS, AFTER_WORDS, BEGINNING_A_RUN]


@pytest.mark.deep
@pytest.mark.proves("V08")
@pytest.mark.parametrize(
    "script",
    [SCRIPTS[0], *(pytest.param(each, marks=pytest.mark.deep) for each in SCRIPTS[1:])],
    ids=["before", "after", "beginning"],
)
async def test_each_command_does_what_it_says(
    tmp_path: Path, script: list[tuple[str, Holds]]
) -> None:
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        for line, holds in script:
            await keys(pilot, f"{line}<enter>")
            await until(app, pilot, line, holds)
            if type(app.screen).__name__ != _MAIN:
                await keys(pilot, "<escape>")
                await until(app, pilot, f"{line}, left", opens(_MAIN))


async def until(app: OuroApp, pilot: Pilot[Left], line: str, holds: Holds) -> None:
    with anyio.move_on_after(60):
        while not holds(app):
            await pilot.pause(0.005)
        return
    raise AssertionError(f"after {line!r}:\n{text(app)}")


@pytest.mark.proves("V08")
def test_every_command_is_pressed_here() -> None:
    pressed = {line.split()[0].removeprefix("/") for script in SCRIPTS for line, _ in script}
    assert {name for name in SLASHES if name != "!"} <= pressed
    assert any(line.startswith("!") for line in pressed)
