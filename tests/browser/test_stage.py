"""The stage itself: tabs on loopback pages, requests on record, three sites."""

from ouroboros.browser.tabs import Tab
from tests.browser.site import Asked
from tests.browser.stage import Stage, read


async def test_pages_open_requests_are_on_record_and_frames_of_another_site_are_targets(
    stage: Stage, tab: Tab
) -> None:
    def hello(asked: Asked) -> str:
        return f"<p>{asked.query['who']}"

    assert await read(tab, "1 + 1") == 2
    form = await stage.open("form.html")
    assert await read(form, "document.title") == "A form"
    assert stage.site.paths() == ["/form.html"]
    stage.site.put("hello", hello)
    other = await stage.open(stage.site.url("hello?who=you", host=1))
    assert await read(other, "document.body.innerText") == "you"
    assert stage.site.paths(0) == ["/form.html"]
    page = f"<iframe src='{stage.site.url('hello?who=me', host=2)}'></iframe>"
    assert len((await stage.show(page, tab=tab)).sessions) == 2
