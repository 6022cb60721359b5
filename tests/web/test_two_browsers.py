"""Two sessions of one server with a browser each: both work, and who has which profile is told."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.browser.site import serving
from tests.web.serving import Served, Socket, web
from tests.web.test_live_view import opens
from tests.web.window import window


@asynccontextmanager
async def hands(served: Served, session: str, viewer: str) -> AsyncGenerator[Socket]:
    """The live view of a session, as a program has it."""
    async with served.socket(f"/sessions/{session}/browser?viewer={viewer}") as socket:
        await socket.until("hello")
        yield socket


async def asks(socket: Socket, kind: str, **fields: Any) -> dict[str, Any]:
    """What comes of a wish."""
    await socket.raw.send(json.dumps({"kind": kind, "id": kind, **fields}))
    while (said := await socket.hear()).get("id") != kind:
        pass
    return said


async def started(served: Served, session: str) -> list[tuple[str, str]]:
    """The profiles that the browsers of a session began on, and what each stood in for."""
    return [
        (each["data"]["profile"], each["data"].get("instead_of", ""))
        for each in await served.log(session)
        if each["type"] == "browser.started"
    ]


@pytest.mark.proves("interfaces-two-browsers-at-once", "divergences-two-browsers-of-one-person")
@pytest.mark.deep
async def test_a_second_session_has_a_browser_of_its_own_and_the_page_says_on_which_profile(
    chromium: Chromium, tmp_path: Path
) -> None:
    with serving() as site:
        site.put("form", "<title>Form</title><p>one")
        async with web(tmp_path) as served, window(chromium, served) as person:
            first = await served.open(browser=True)
            async with hands(served, first, "one") as one:
                assert (await asks(one, "tab:open", url=site.url("form")))["kind"] == "done"
                await person.enter()
                second = await person.session(browser=True)
                await person.run("ouro.page.show('browser')")
                await person.until("document.querySelector('.live-bar input') !== null")
                await opens(person, site.url("form"), "Form")
                await person.shows("Another browser runs on the profile default")
                await person.until(
                    "document.querySelector('.browser-foot').innerText.includes('Profile default-2')"
                )
                # The first one is left alone.
                assert len((await asks(one, "tab:get-all"))["tabs"]) >= 1
            assert await started(served, first) == [("default", "")]
            assert await started(served, second) == [("default-2", "default")]


@pytest.mark.proves("interfaces-two-browsers-at-once")
@pytest.mark.deep
async def test_one_that_is_started_again_keeps_its_profile_though_the_first_is_free(
    tmp_path: Path,
) -> None:
    async with web(tmp_path) as served:
        first, second = await served.open(browser=True), await served.open(browser=True)
        async with hands(served, first, "one") as one:
            await asks(one, "tab:open")
        async with hands(served, second, "two") as two:
            await asks(two, "tab:open")
            await served.client.delete(f"/api/v1/sessions/{first}")
            await asks(two, "browser:recover")
        assert {name for name, _ in await started(served, second)} == {"default-2"}
