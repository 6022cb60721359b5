"""No code in a page gets a request past the guard, whichever way it takes."""

from contextlib import suppress

import anyio
import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.guard.policy import ALLOWED, AllowList, Asked, Reach, Verdict
from ouroboros.core.events.browser import RequestBlocked
from tests.browser.attacks import IN_PAGE, LEAVING, SOCKETS, UNSEEN, away, codes, job
from tests.browser.chromium import Chromium
from tests.browser.guarded import Guarded, guarded
from tests.browser.settling import until
from tests.browser.site import Site

SETTLE = 1.2


class NewPlaces:
    """Known origins may be asked by anybody; others by pages that no code of ours ran in."""

    def __init__(self, *known: str, reach: Reach = "documents") -> None:
        self.known = set(known)
        self.reach: Reach = reach
        self.asked: list[Asked] = []

    async def judge(self, asked: Asked) -> Verdict:
        self.asked.append(asked)
        new = asked.origin not in self.known
        if new and (asked.is_main or asked.touched):
            return Verdict(allowed=False, reason=f"{asked.origin} is new")
        return ALLOWED


@pytest.fixture
def shop(own_site: Site) -> Site:
    """A harmless shop; the third host is where nothing may arrive."""
    own_site.put("shop", "<title>Shop</title><body>goods</body>")
    own_site.put("next", "<title>Next</title>")
    own_site.put("away", away)
    own_site.put("job.js", job)
    return own_site


def _arrived(site: Site) -> set[str]:
    return {path.strip("/") for path in site.paths(2)}


async def _attack(held: Guarded, site: Site, groups: tuple[dict[str, str], ...]) -> None:
    evil = site.origin(2)
    tab = await held.open(site.url("shop"))
    for group in groups:
        for code in codes(group, evil).values():
            await held.run(tab, code)
    for code in codes(LEAVING, evil).values():
        await held.run(await held.open(site.url("shop")), code)
    await anyio.sleep(SETTLE)


@pytest.mark.proves("browser-new-origin", "divergences-requests-of-a-page-that")
@pytest.mark.deep
async def test_nothing_that_code_in_a_page_tries_arrives_at_a_new_place(
    chromium: Chromium, shop: Site
) -> None:
    policy = NewPlaces(shop.origin())
    async with guarded(chromium, policy) as held:
        await _attack(held, shop, (IN_PAGE, SOCKETS))
        assert _arrived(shop) == set()
        told = {event.kind for event in held.events if isinstance(event, RequestBlocked)}
        assert {"document", "fetch", "image", "ping", "socket"} <= told
        assert any(asked.is_submit for asked in policy.asked)


@pytest.mark.proves("browser-new-origin")
@pytest.mark.soak
async def test_the_same_attempts_arrive_where_nobody_holds_them(
    chromium: Chromium, shop: Site
) -> None:
    async with guarded(chromium, NewPlaces(reach="nothing")) as held:
        await _attack(held, shop, (IN_PAGE, SOCKETS))
        missed = {*IN_PAGE, *SOCKETS, *LEAVING} - UNSEEN
        with suppress(TimeoutError):
            await until(lambda: not missed - _arrived(shop))
        assert "".join(sorted(missed - _arrived(shop))) == ""
        assert held.guard.count == 0


@pytest.mark.deep
async def test_a_page_that_no_code_ran_in_asks_whom_it_likes(
    chromium: Chromium, shop: Site
) -> None:
    shop.put(
        "ads",
        f"<img src='{shop.url('pixel.png', 2)}'><script>fetch('{shop.url('x', 2)}',{{mode:'no-cors'}})</script>",
    )
    async with guarded(chromium, NewPlaces(shop.origin())) as held:
        await held.open(shop.url("ads"))
        await until(lambda: {"pixel.png", "x"} <= _arrived(shop))


async def test_a_place_that_the_page_asked_itself_is_told_apart(
    chromium: Chromium, shop: Site
) -> None:
    shop.put("ads", f"<img src='{shop.url('pixel.png', 2)}'>")
    policy = NewPlaces(shop.origin())
    async with guarded(chromium, policy) as held:
        tab = await held.open(shop.url("ads"))
        await held.run(tab, f"(()=>{{new Image().src='{shop.url('later.png', 2)}'}})()")
        await until(lambda: any(asked.url.endswith("later.png") for asked in policy.asked))
        (later,) = [asked for asked in policy.asked if asked.url.endswith("later.png")]
        assert (later.touched, later.seen) == (True, True)


@pytest.mark.deep
async def test_a_document_to_a_new_place_is_stopped_and_the_page_stays(
    chromium: Chromium, shop: Site
) -> None:
    async with guarded(chromium, NewPlaces(shop.origin())) as held:
        tab = await held.open(shop.url("shop"))
        with pytest.raises(BrowserFailed, match="ERR_ABORTED"):
            await tab.navigate(shop.url("shop", 2))
        assert await held.run(tab, "document.title") == "Shop"
        (blocked,) = held.guard.reasons()
        assert (blocked.origin, blocked.is_main) == (shop.origin(2), True)
        assert shop.paths(2) == []


@pytest.mark.deep
@pytest.mark.proves("C16")
async def test_only_listed_domains_are_reached_even_by_pages_themselves(
    chromium: Chromium, shop: Site
) -> None:
    shop.put(
        "page",
        f"<title>Page</title><img src='{shop.url('p.png', 2)}'><script>new WebSocket('{shop.url('s', 2).replace('http', 'ws')}');new Worker(URL.createObjectURL(new Blob([`fetch('{shop.url('w', 2)}',{{mode:'no-cors'}})`])))</script>",
    )
    async with guarded(chromium, AllowList(["127.0.0.1"])) as held:
        await held.open(shop.url("page"))
        await anyio.sleep(0.5)
        assert shop.paths(2) == []
        with pytest.raises(BrowserFailed):
            await held.tabs.open(shop.url("page", 1))
        assert shop.paths(1) == []


@pytest.mark.deep
@pytest.mark.proves("C16")
async def test_each_hop_of_a_redirect_is_judged(chromium: Chromium, shop: Site) -> None:
    async with guarded(chromium, AllowList(["127.0.0.1"])) as held:
        tab = await held.open(shop.url("shop"))
        inner = shop.url("away") + "?to=" + shop.url("end", 2)
        with pytest.raises(BrowserFailed):
            await tab.navigate(f"{shop.url('away')}?to={inner.replace('?', '%3F')}")
        assert shop.paths(2) == []
        assert shop.paths(0).count("/away") == 2


@pytest.mark.proves("C16")
@pytest.mark.deep
async def test_a_judge_that_breaks_blocks(chromium: Chromium, shop: Site) -> None:
    class Broken:
        reach: Reach = "everything"

        async def judge(self, asked: Asked) -> Verdict:
            raise LookupError("nothing known")

    async with guarded(chromium, Broken()) as held:
        with pytest.raises(BrowserFailed):
            await held.tabs.open(shop.url("shop"))
        assert shop.requests == []


@pytest.mark.deep
async def test_what_a_tab_is_touched_by_ends_with_its_page(chromium: Chromium, shop: Site) -> None:
    shop.put("ads", f"<img src='{shop.url('own.png', 2)}'>")
    policy = NewPlaces(shop.origin(), shop.origin(1))
    async with guarded(chromium, policy) as held:
        tab = await held.open(shop.url("shop"))
        await held.run(tab, "1")
        await tab.navigate(shop.url("ads", 1))
        await until(lambda: shop.paths(2))
        assert shop.paths(2) == ["/own.png"]


@pytest.mark.proves("browser-new-origin")
@pytest.mark.deep
async def test_without_a_gate_what_the_browser_reports_is_still_held(
    chromium: Chromium, shop: Site
) -> None:
    """In a browser that is not ours to start; what is missing is named in the decision page."""
    async with guarded(chromium, NewPlaces(shop.origin()), way_out=False) as held:
        await _attack(held, shop, (IN_PAGE, SOCKETS))
        known = {"iframe-sandboxed", "speculation-prefetch", "speculation-prerender"}
        assert sorted(_arrived(shop) - known) == []


@pytest.mark.proves("browser-new-origin")
@pytest.mark.parametrize("way_out", [True, False], ids=["gate", "no-gate"])
@pytest.mark.deep
async def test_our_own_world_of_a_page_has_no_way_out_either(
    chromium: Chromium, shop: Site, way_out: bool
) -> None:
    async with guarded(chromium, NewPlaces(shop.origin()), way_out=way_out) as held:
        tab = await held.open(shop.url("shop"))
        await held.guard.touch(tab.id)
        for code in codes(SOCKETS, shop.origin(2)).values():
            await tab.evaluate(code, world="isolated")
        await tab.evaluate(f"fetch('{shop.url('x', 2)}',{{mode:'no-cors'}}).catch(() => 0)")
        await anyio.sleep(0.6)
        assert shop.paths(2) == []
