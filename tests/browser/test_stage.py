"""The stage itself: tabs on loopback pages, requests on record, three sites."""

from ouroboros.browser.tabs import Tab
from tests.browser.site import Asked
from tests.browser.stage import Stage, read


async def test_a_page_of_the_folder_opens(stage: Stage) -> None:
    tab = await stage.open("form.html")
    assert await read(tab, "document.title") == "A form"
    assert stage.site.paths() == ["/form.html"]


async def test_a_page_of_the_test_answers_as_the_test_says(stage: Stage) -> None:
    def hello(asked: Asked) -> str:
        return f"<p>{asked.query['who']}"

    stage.site.put("hello", hello)
    tab = await stage.open(stage.site.url("hello?who=you", host=1))
    assert await read(tab, "document.body.innerText") == "you"
    assert stage.site.paths(0) == []


async def test_frames_of_another_site_are_targets_of_their_own(stage: Stage) -> None:
    stage.site.put("inner", "<p>inside")
    tab = await stage.show(f"<iframe src='{stage.site.url('inner', host=2)}'></iframe>")
    assert len(tab.sessions) == 2


async def test_an_open_tab_is_handed_out(tab: Tab) -> None:
    assert await read(tab, "1 + 1") == 2
