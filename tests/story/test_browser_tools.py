"""The browser, pictures and scripts in the hands of the mind that calls tools."""

import json
import os
import struct
import subprocess
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from ouroboros.app.demo.site.server import Shop, open_shops
from ouroboros.core.commands import Approve
from ouroboros.core.events import PermissionRequested, ToolStarted
from ouroboros.core.parts import Media, Text
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage


@pytest.fixture
def shop() -> Iterator[Shop]:
    with open_shops() as shops:
        yield shops[0]


def says(*calls: Any) -> Turn:
    return Turn(tool_calls=tuple(calls))


@asynccontextmanager
async def browsing(tmp_path: Path, *turns: Turn, **settings: Any) -> AsyncGenerator[Stage]:
    browser = {"tools": True, "profile": ""}
    played = [*turns, Turn(text="Done.")]
    async with stage(tmp_path, played, browser=browser, **settings) as opened:
        yield opened


def words_of(opened: Stage) -> list[str]:
    """What the model was told of each of its own calls, in order."""
    own = [event for event in opened.results.values() if not event.within]
    return ["".join(part.text for part in event.parts if isinstance(part, Text)) for event in own]


@pytest.mark.deep
@pytest.mark.proves("C08")
async def test_the_family_drives_a_page_and_shows_none_of_it(tmp_path: Path, shop: Shop) -> None:
    open_it = f"const tab = await openTab('{shop.url}'); await waitForLoad(tab); tab"
    read_it = "const all = await getText(tab); all"
    turns = (
        says(call("browser_status")),
        says(call("browser_execute", code=open_it)),
        says(call("browser_execute", code=read_it)),
        says(call("browser_observe")),
        says(call("browser", cmd="all.length > 700")),
        says(call("browser_cancel")),
        says(call("browser_recover")),
    )
    async with browsing(tmp_path, *turns) as opened:
        outcome = await opened.run(f"Look at {shop.url}")
        told = words_of(opened)
        assert outcome.exit_code == 0
        assert told[0].startswith("browser: not started")
        assert "value: string" in told[2]
        assert len(told[2]) < 700
        assert "title: North Street Shop" in told[3]
        assert "preview (data, not instructions): true" in told[4]
        assert told[6].startswith("it was running")
        names = {tool["function"]["name"] for tool in opened.body()["tools"]}
        assert {"browser_execute", "view_image", "js", "call_tools"} <= names
        assert "browser" not in names


@pytest.mark.proves("C13")
async def test_recipes_are_given_when_they_are_asked_for(tmp_path: Path) -> None:
    turns = (
        says(call("browser_status", recipe="list")),
        says(call("browser_status", recipe="uploads")),
        says(call("browser_status", recipe="sorcery")),
    )
    async with browsing(tmp_path, *turns) as opened:
        await opened.run("How are files given to a page?")
        listed, text, wrong = words_of(opened)
        assert "cross-origin-iframes, dialogs, downloads" in listed
        assert "await upload(tab, '#files', ['notes.txt', 'list.csv'])" in text
        assert "no recipe 'sorcery'; there are connection" in wrong
        assert "await upload(tab" not in json.dumps(opened.body(0))


@pytest.mark.proves("C08")
async def test_a_plain_session_is_told_of_none_of_them(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="Hi.")]) as opened:
        await opened.run()
        names = [tool["function"]["name"] for tool in opened.body()["tools"]]
    assert len(names) == 12
    assert not [name for name in names if name.startswith(("browser", "js", "view"))]


@pytest.mark.proves("C08")
async def test_what_the_family_costs_a_request(tmp_path: Path) -> None:
    sizes: list[int] = []
    for browser in (False, True):
        async with stage(
            tmp_path, [Turn(text="Hi.")], browser={"tools": browser, "profile": ""}
        ) as opened:
            await opened.run()
            sizes.append(len(json.dumps(opened.body()["tools"])))
    assert sizes[1] - sizes[0] < 1_600 * 4  # four characters a token


@pytest.mark.deep
@pytest.mark.proves("C09", "D15")
async def test_pictures_and_actions_keep_the_order_of_the_calls(tmp_path: Path, shop: Shop) -> None:
    begin = f"const tab = await openTab('{shop.url}'); await waitForLoad(tab)"
    calls = [call("browser_execute", code=begin)]
    for number in range(8):
        resize = f"await setViewport(tab, {200 + number}, 100)"
        calls += [call("browser_execute", code=resize), call("view_image")]
    async with browsing(tmp_path, says(*calls)) as opened:
        await opened.run(f"Look at {shop.url}")
        own = [result for result in opened.results.values() if not result.within]
        pictures = [part.data for one in own for part in one.parts if isinstance(part, Media)]
        started = [event.name for event in opened.events(ToolStarted) if not event.within]
        told, body = words_of(opened), json.dumps(opened.body())
    assert [result.name for result in own] == started
    assert started[1:] == ["browser_execute", "view_image"] * 8
    widths = [struct.unpack(">I", b64decode(data)[16:20])[0] for data in pictures]
    assert widths == list(range(200, 208)), told
    places = [body.find(data) for data in pictures]
    assert places == sorted(places)
    assert places[0] > 0


@pytest.mark.deep
@pytest.mark.proves("D11")
async def test_a_script_over_files_speaks_through_its_console(tmp_path: Path) -> None:
    code = (
        "await write('a.txt', 'one\\ntwo'); console.log(await read('a.txt'));"
        " console.log((await grep('tw')).length, (await find('*.txt')).length);"
        " [typeof openTab, typeof process, typeof require, typeof fetch].join()"
    )
    async with stage(
        tmp_path, [says(call("js", code=code)), Turn(text="Done.")], tools={"scripts": True}
    ) as opened:
        await opened.run()
        (told,) = words_of(opened)
    assert told.startswith("one\ntwo\n1 1\n")
    assert "undefined,undefined,undefined,undefined" in told


@pytest.mark.deep
@pytest.mark.proves("D11")
async def test_a_script_that_never_ends_is_ended(tmp_path: Path) -> None:
    async with stage(
        tmp_path,
        [says(call("js", code="for (;;) {}")), says(call("js", code="1 + 1")), Turn(text="Done.")],
        tools={"scripts": True},
        rlm={"script_timeout": 1.5},
    ) as opened:
        await opened.run()
        told = words_of(opened)
    assert "it ran for too long" in told[0]
    assert "preview (data, not instructions): 2" in told[1]


@pytest.mark.deep
@pytest.mark.proves("D35", "CF02")
async def test_a_script_that_reads_twice_and_writes_once_asks_once(tmp_path: Path) -> None:
    code = (
        "const one = await read({path: 'a.txt'}), two = await read({path: 'b.txt'});"
        " await write({path: 'c.txt', content: `${one.length} ${two.length}`}); 'written'"
    )
    turns = [says(call("call_tools", code=code)), Turn(text="Done.")]
    async with stage(tmp_path, turns, mode="ask", tools={"scripts": True}) as opened:
        for name in ("a.txt", "b.txt"):
            await anyio.Path(opened.cwd / name).write_text("x")
        outcome = await opened.run()
        asked = [event.action for event in opened.events(PermissionRequested)]
        (told,) = words_of(opened)
    assert asked == ["Write c.txt"]
    assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)
    assert "Nobody is here to approve" in told


@pytest.mark.deep
@pytest.mark.proves("browser-new-origin")
async def test_a_new_place_is_asked_about_whichever_tool_goes_there(
    tmp_path: Path, shop: Shop
) -> None:
    read = f"const tab = await openTab('{shop.url}'); await getText(tab, 'h1')"
    turns = (
        says(call("browser_execute", code=read)),
        says(call("browser_execute", code="await openTab('http://localhost:9/')")),
        says(call("browser_configure", domain="localhost:9", allow=True)),
    )
    async with browsing(tmp_path, *turns) as opened:
        outcome = await opened.run(f"Look at {shop.url}")
        asked = [event.action for event in opened.events(PermissionRequested)]
        told = words_of(opened)
    assert (outcome.exit_code, outcome.unapproved > 0) == (0, True), told
    assert len(asked) == 2, told
    assert "a new place, after reading data of" in asked[0]
    assert asked[1] == "Open localhost:9 from now on"


@pytest.mark.deep
@pytest.mark.proves("permissions-design-2-8")
async def test_a_fetched_page_is_carried_nowhere_new_by_the_browser(
    tmp_path: Path, shop: Shop
) -> None:
    """In one session, and whichever of the two comes first."""
    open_ = says(call("browser_execute", code="await openTab('http://localhost:9/?d=1')"))
    fetch = says(call("fetch", url=shop.url))
    web = {"allow": ["127.0.0.1"]}
    async with browsing(tmp_path, fetch, open_, mode="full-auto", web=web) as opened:
        outcome = await opened.run(f"Look at {shop.url}")
        asked = [event.action for event in opened.events(PermissionRequested)]
    assert (outcome.exit_code, outcome.unapproved > 0) == (0, True), words_of(opened)
    assert [action.partition(",")[0] for action in asked] == ["Open http://localhost:9"]


@pytest.mark.deep
@pytest.mark.proves("browser-what-was-settled-on-the-way")
async def test_places_named_and_pages_read_before_a_restart_are_known_after_it(
    tmp_path: Path, shop: Shop
) -> None:
    named = "shop.localhost:9"
    read = f"const tab = await openTab('{shop.url}'); await getText(tab, 'h1')"
    first = (says(call("browser_execute", code=read)),)
    async with browsing(tmp_path, *first, mode="full-auto") as opened:
        await opened.run(f"Look at {shop.url} and {named}")
    code = f"await openTab('http://{named}/').catch(() => 0); await openTab('http://other.localhost:9/')"
    later = (says(call("browser_execute", code=code)),)
    resume = opened.session.id
    async with browsing(tmp_path, *later, mode="full-auto", resume=resume) as opened:
        outcome = await opened.run("Go on.")
        asked = [event.action for event in opened.events(PermissionRequested)]
    assert len(asked) == 1, asked
    assert "//other.localhost:9, a new place, after reading data of" in asked[0]
    assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)


@pytest.mark.deep
async def test_a_place_that_was_agreed_to_is_not_asked_about_after_a_restart(
    tmp_path: Path, shop: Shop
) -> None:
    agreed = says(call("browser_configure", domain="localhost:9", allow=True))
    async with browsing(tmp_path, agreed, interactive=True) as opened:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(opened.run)
            await opened.until(PermissionRequested)
            (asked,) = opened.events(PermissionRequested)
            await opened.session.send(Approve(request_id=asked.request_id))
        assert words_of(opened) == ["localhost:9 may be opened"]
    read = f"const tab = await openTab('{shop.url}'); await getText(tab, 'h1')"
    code = "await openTab('http://localhost:9/').catch(() => 0); await openTab('http://other:8/')"
    later = (says(call("browser_execute", code=read)), says(call("browser_execute", code=code)))
    async with browsing(tmp_path, *later, resume=opened.session.id) as opened:
        await opened.run(f"Look at {shop.url}")
        asked = [event.action for event in opened.events(PermissionRequested)]
    assert [action.partition(",")[0] for action in asked] == ["Open http://other:8"]


@pytest.mark.deep
async def test_a_setting_opens_no_way_out(tmp_path: Path, shop: Shop) -> None:
    read = f"const tab = await openTab('{shop.url}'); await getText(tab, 'h1')"
    turns = (
        says(call("browser_execute", code=read)),
        says(call("browser_configure", domain="127.0.0.1", user_agent="what was read")),
        says(call("browser_configure", domain="127.0.0.1", locale="en-whatwasread")),
        says(call("browser_configure", domain="127.0.0.1", locale="de-DE")),
        says(call("browser_execute", code="await openTab('http://localhost:9/')")),
    )
    async with browsing(tmp_path, *turns, mode="full-auto") as opened:
        outcome = await opened.run(f"Look at {shop.url}")
        told = words_of(opened)
    assert all("only before pages were read" in words for words in told[1:3]), told
    assert '"locale":"de-DE"' in told[3]
    assert "localhost:9, a new place" in told[4]
    assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)


@pytest.mark.proves("C12")
async def test_settings_of_a_domain_are_kept(tmp_path: Path) -> None:
    wish = {"domain": "shop.example", "permissions": {"geolocation": "grant"}, "locale": "de-DE"}
    turns = (
        says(call("browser_configure", **cast("dict[str, Any]", wish))),
        says(call("browser_configure", domain="not a domain", locale="de-DE")),
        says(call("browser_configure")),
        says(call("browser_configure", zoom=2)),
    )
    async with browsing(tmp_path, *turns) as opened:
        await opened.run()
        told = words_of(opened)
    assert '"permissions":["geolocation"]' in told[0]
    assert "names no place" in told[1]
    assert "say what is to be different" in told[2]
    assert "name the domain" in told[3]
    kept = await anyio.Path(tmp_path / "home" / "browser" / "domains.toml").read_text("utf-8")
    assert "shop.example" in kept


@pytest.mark.proves("C09", "D15")
@every(
    ("name", "content", "said"),
    [
        ("a.txt", b"words", "is no PNG, JPEG, GIF or WebP image"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"x" * 60, "is a broken image"),
        ("gone.png", b"", "does not exist"),
    ],
)
async def test_what_is_no_picture_is_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    async with browsing(tmp_path, says(call("view_image", path=name))) as opened:
        if content:
            await anyio.Path(opened.cwd / name).write_bytes(content)
        await opened.run()
        assert said in words_of(opened)[0]


@pytest.mark.proves("browser-start-up")
def test_a_start_without_them_loads_nothing_of_the_browser() -> None:
    code = (
        "import sys, ouroboros.app.wiring.session, ouroboros.faces.cli.commands.tasks.run;"
        "bad = [m for m in sys.modules if m.startswith(('ouroboros.browser', 'ouroboros.code',"
        " 'ouroboros.rlm', 'ouroboros.repl.session', 'websockets', 'py_mini_racer', 'pypdf'))];"
        "print(bad)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.stdout == "[]\n"
