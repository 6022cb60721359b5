"""Windows that pages open: tabs with an opener, alive, and refused where a browser refuses them."""

import pytest

from ouroboros.browser.tab import WorldName
from tests.browser.settling import until
from tests.browser.stage import Stage, read


@pytest.mark.proves("C18")
@pytest.mark.parametrize("rel", [pytest.param("opener", marks=pytest.mark.deep), "noopener"])
async def test_a_link_to_a_new_tab_opens_one_that_lives(stage: Stage, rel: str) -> None:
    stage.site.put("there", "<title>There</title>")
    tab = await stage.show(f"<a target=_blank rel={rel} href=/there>go</a>")
    await tab.evaluate("document.querySelector('a').click()", world="main")
    await until(lambda: [facts.status for facts in stage.tabs.all()] == ["complete"] * 2)
    opened = stage.tabs.all()[-1]
    assert (opened.url, opened.opener) == (stage.site.url("there"), tab.id)
    assert await read(stage.tabs.tab(opened.id), "document.title") == "There"


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_a_page_may_open_no_window_by_itself(stage: Stage) -> None:
    stage.site.put("there", "<title>There</title>")
    tab = await stage.show("<script>window.got = window.open('/there')</script>")
    assert await read(tab, "window.got === null")
    assert len(stage.tabs.all()) == 1
    assert "/there" not in stage.site.paths()


@pytest.mark.proves("C03")
@pytest.mark.deep
async def test_code_may_open_a_window_each_time_however_soon(stage: Stage) -> None:
    stage.site.put("there", "<title>There</title>")
    stage.site.put("inner", "<p>inner")
    tab = await stage.show(
        f"<iframe src={stage.site.url('inner', 1)}></iframe><input type=file id=f>"
    )
    frame = tab.frames.named(1)
    assert frame is not None
    opens = "window.open('/there') !== null"
    places: tuple[tuple[WorldName, str], ...] = (
        ("isolated", ""),
        ("main", ""),
        ("isolated", frame.id),
        ("main", frame.id),
    )
    for world, place in places:
        for _ in range(3):
            await tab.evaluate("1", frame=place)  # a gesture that nothing has used up yet
            assert await tab.evaluate(opens, world=world, frame=place) == b"true"
    await tab.call("Page.setInterceptFileChooserDialog", {"enabled": True})
    for _ in range(3):
        used = len(tab.connection.events(tab.session, "Page.fileChooserOpened"))
        await tab.evaluate("f.click(); 1", world="main")
        await until(
            lambda used=used: (
                len(tab.connection.events(tab.session, "Page.fileChooserOpened")) > used
            )
        )
    await tab.evaluate("1")
    await tab.reload()
    assert await tab.evaluate(opens) == b"true"
    await until(lambda: len(stage.tabs.all()) == 14)
