"""The conversation on the screen is the branch that goes on, whichever way it came to be that."""

from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from ouroboros.core.commands import Branch, Rollback
from ouroboros.core.state import State
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left
from ouroboros.faces.tui.transcript.blocks import Prose, Said
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import SECONDS, sees, settled, shown, started


def words(app: OuroApp) -> list[str]:
    """What both sides said, as it stands in the conversation."""
    return [each.text for each in app.transcript.blocks if isinstance(each, Said | Prose)]


def said(state: State, answer: str) -> str:
    """The message of the model that has this text."""
    found = (id for id, node in state.tree.nodes.items() if node.message.text == answer)
    return list(found)[-1]


async def stands(app: OuroApp, pilot: Pilot[Left], *expected: str) -> None:
    """Waits until this is what both sides said."""
    with anyio.move_on_after(SECONDS):
        while words(app) != list(expected):
            await pilot.pause(0.005)
    assert words(app) == list(expected)


async def say(app: OuroApp, pilot: Pilot[Left], text: str) -> None:
    """Says something, and waits for the answer."""
    turn = app.state.turn
    await keys(pilot, f"{text}<enter>")
    with anyio.fail_after(SECONDS):
        while app.state.turn == turn or app.room is None or app.room.running:
            await pilot.pause(0.005)
    await settled(pilot)


@pytest.mark.proves("V13")
async def test_only_the_branch_that_goes_on_is_shown(tmp_path: Path) -> None:
    start = started(tmp_path, model="echo")
    async with shown(start) as (app, pilot):
        room = app.room
        assert room is not None
        for each in ("first", "second"):
            await say(app, pilot, each)
        await keys(pilot, "/undo 1<enter>")
        await stands(app, pilot, *["first"] * 2)
        await sees(app, pilot, "goes on without its latest turn")
        await say(app, pilot, "other")
        await stands(app, pilot, *["first"] * 2, *["other"] * 2)
        await room.send(Branch(message_id=said(room.state, "second")))
        await stands(app, pilot, *["first"] * 2, *["second"] * 2)
        await say(app, pilot, "on")
        kept = ["first"] * 2 + ["second"] * 2 + ["on"] * 2
        await stands(app, pilot, *kept)
        session = room.id
    async with shown(start) as (app, pilot):
        await app.switch(session)
        await stands(app, pilot, *kept)
        room = app.room
        assert room is not None
        await room.send(Branch(message_id=""))
        await stands(app, pilot)
        await say(app, pilot, "anew")
        await stands(app, pilot, *["anew"] * 2)
        await room.send(Rollback(turns=1))
        await stands(app, pilot)
