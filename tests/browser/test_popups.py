"""Windows that pages open: tabs with an opener, alive, and refused where a browser refuses them."""

import pytest

from tests.browser.settling import until
from tests.browser.stage import Stage, read


@pytest.mark.parametrize("rel", ["opener", "noopener"])
async def test_a_link_to_a_new_tab_opens_one_that_lives(stage: Stage, rel: str) -> None:
    stage.site.put("there", "<title>There</title>")
    tab = await stage.show(f"<a target=_blank rel={rel} href=/there>go</a>")
    await tab.evaluate("document.querySelector('a').click()", world="main")
    await until(lambda: [facts.status for facts in stage.tabs.all()] == ["complete"] * 2)
    opened = stage.tabs.all()[-1]
    assert (opened.url, opened.opener) == (stage.site.url("there"), tab.id)
    assert await read(stage.tabs.tab(opened.id), "document.title") == "There"


async def test_a_page_may_open_no_window_by_itself(stage: Stage) -> None:
    stage.site.put("there", "<title>There</title>")
    tab = await stage.show("<script>window.got = window.open('/there')</script>")
    assert await read(tab, "window.got === null")
    assert len(stage.tabs.all()) == 1
    assert "/there" not in stage.site.paths()
