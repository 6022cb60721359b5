"""A browser of ours behind the proxy of the person's network."""

import os
from pathlib import Path

import pytest

from ouroboros.app.browsing.browser import Ground, opened
from ouroboros.app.settings import Browser
from ouroboros.browser.tab import Tab
from ouroboros.core.events import Event
from tests.browser.site import Site
from tests.unit.llm.proxy_parts import proxying


async def reached(tab: Tab) -> None:
    await tab.until(lambda: tab.title == "reached", 15, "not reached")


@pytest.mark.deep
async def test_it_goes_through_the_proxy_but_for_this_machine(site: Site, tmp_path: Path) -> None:
    here = site.put("x", "<title>reached</title>")
    there = here.replace("127.0.0.1", "shop.test")
    events: list[Event] = []
    async with proxying("ann:secret") as proxy:
        proxy.leads_to = "127.0.0.1"
        address = proxy.url.replace("//", "//ann:secret@")
        ground = Ground(
            settings=Browser(profile=""),
            home=tmp_path / "home",
            cwd=tmp_path,
            environment={
                "PATH": os.environ["PATH"],
                "TMPDIR": str(tmp_path),
                "HTTP_PROXY": address,
            },
            session="ses_1",
            publish=events.append,
        )
        async with opened(ground) as browser:
            tabs = await browser.tabs()
            for url in (there, here):
                await reached(tabs.tab(await tabs.open(url)))
    assert f"GET {there} HTTP/1.1" in proxy.lines
    assert not [line for line in proxy.lines if "127.0.0.1" in line]
