"""``/web``: the sessions of the screen in a page too, served by the same process."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import httpx2
import msgspec
import pytest
from textual.pilot import Pilot

from ouroboros.faces.cli.commands.tasks.tui import page
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left, Start
from ouroboros.faces.tui.transcript.blocks import Said, Told
from tests.tui.pictures import text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import sees, shown, started, turns, until


def with_page(folder: Path, *, model: str) -> Start:
    start = started(folder, model=model, server__port=0)
    return msgspec.structs.replace(start, web=partial(page, start.loaded))


def client(entrance: str) -> httpx2.AsyncClient:
    """Somebody who was told the address."""
    address, _, token = entrance.partition("#token=")
    return httpx2.AsyncClient(
        base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
    )


async def told(app: OuroApp, pilot: Pilot[Left], holds: Callable[[str], object]) -> str:
    """The latest of what was told that is so."""
    with anyio.fail_after(60):
        while True:
            for each in reversed(app.transcript.blocks):
                if isinstance(each, Told) and holds(each.text):
                    return each.text
            await pilot.pause(0.005)


async def opened(app: OuroApp, pilot: Pilot[Left], line: str = "/web") -> str:
    """The address that the line tells."""
    await keys(pilot, f"{line}<enter>")
    return (await told(app, pilot, lambda words: "#token=" in words)).split("\n")[1]


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_the_page_shows_and_drives_the_session_of_the_screen(tmp_path: Path) -> None:
    model = turns(tmp_path, {"text": "Heard from the page."})
    async with shown(with_page(tmp_path, model=model), size=(100, 30)) as (app, pilot):
        entrance = await opened(app, pilot)
        assert app.room is not None
        session = f"/api/v1/sessions/{app.room.id}"
        async with client(entrance) as asks:
            assert (await asks.get(session)).json()["id"] == app.room.id
            said = await asks.post(
                f"{session}/commands", json={"type": "submit", "text": "said in the page"}
            )
            assert said.status_code == 202
            await sees(app, pilot, "said in the page", "Heard from the page.")
            nobody = {"Authorization": "Bearer nobody"}
            assert (await asks.get(session, headers=nobody)).status_code == 401


@pytest.mark.proves("T16")
async def test_a_session_that_the_page_closes_is_opened_again_by_the_next_words(
    tmp_path: Path,
) -> None:
    async with shown(with_page(tmp_path, model="echo"), size=(100, 30)) as (app, pilot):
        entrance = await opened(app, pilot)
        closed = app.room
        assert closed is not None
        async with client(entrance) as asks:
            assert (await asks.delete(f"/api/v1/sessions/{closed.id}")).status_code == 200
        await told(app, pilot, lambda words: "was closed in another face" in words)
        await keys(pilot, "still here<enter>")
        with anyio.fail_after(60):
            while app.room is closed:
                await pilot.pause(0.005)
        await until(app, pilot, "task.completed")
        assert app.room is not None
        assert app.room.id == closed.id
        assert app.transcript.blocks[0] == Said(text="still here")


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_it_is_served_once_until_it_is_stopped_or_left(tmp_path: Path) -> None:
    async with shown(with_page(tmp_path, model="echo"), size=(100, 30)) as (app, pilot):
        entrance = await opened(app, pilot)
        app.transcript.empty()
        assert await opened(app, pilot) == entrance
        await keys(pilot, "/web stop<enter>")
        await told(app, pilot, lambda words: words == "the page is closed; sessions go on here")
        async with client(entrance) as asks:
            with pytest.raises(httpx2.ConnectError):
                await asks.get("/")
        await keys(pilot, "/web stop<enter>")
        await told(app, pilot, lambda words: words == "the page is not open")
        app.transcript.empty()
        later = await opened(app, pilot)
        async with client(later) as asks:
            assert (await asks.get("/")).status_code == 200
    async with client(later) as asks:
        with pytest.raises(httpx2.ConnectError):
            await asks.get("/")


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_one_server_of_a_home_is_enough_and_nonsense_is_refused(tmp_path: Path) -> None:
    start = with_page(tmp_path, model="echo")
    async with shown(start, size=(100, 30)) as (app, pilot):
        assert app.hub is not None
        async with page(start.loaded, app.hub):
            await keys(pilot, "/web<enter>")
            await told(app, pilot, lambda words: "a server of this home runs already, at" in words)
        app.transcript.empty()
        await keys(pilot, "/web nonsense<enter>")
        await told(app, pilot, lambda words: "/web takes nothing, 'open' or 'stop'" in words)
        assert "#token=" in await opened(app, pilot, "/web open")
        await told(app, pilot, lambda words: "there is no browser to show it in" in words)


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_it_is_listed_where_it_can_be_served_and_nowhere_else(tmp_path: Path) -> None:
    async with shown(with_page(tmp_path, model="echo")) as (app, pilot):
        await keys(pilot, "/we")
        await sees(app, pilot, "/web [open|stop]")
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        await keys(pilot, "/we")
        assert "/web" not in text(app)
        await keys(pilot, "b<enter>")
        await told(app, pilot, lambda words: "there is no /web here" in words)
        app.transcript.empty()
        await keys(pilot, "/help web<enter>")
        await told(app, pilot, lambda words: "there is no command /web" in words)
