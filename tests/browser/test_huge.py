"""Pages of hundreds of megabytes: every look and act ends, in bounds, and the tab lives."""

import msgspec
import pytest

from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.page.act import click
from ouroboros.browser.page.observe import observe, outline
from ouroboros.browser.page.read import get_dom, query_selector, query_selector_all
from ouroboros.browser.page.wait import wait_for_selector
from ouroboros.browser.tabs import Tab
from ouroboros.browser.waits import wait_for_load
from tests.browser.stage import Stage, read

HUGE = """<!doctype html><title>Huge</title><button id=b onclick="window.hit = 1">Go</button><script>
const row = "<p><a href='/x'>" + "words and more words ".repeat(10) + "</a><i></i></p>";
for (let i = 0; i < 100; i++) {
  const part = document.createElement("section");
  part.style.contentVisibility = "auto";
  part.innerHTML = row.repeat(ROWS);
  document.body.append(part);
}</script>"""


async def looked_at(stage: Stage, rows: int) -> Tab:
    stage.site.put("huge", HUGE.replace("ROWS", str(rows)))
    tab = await stage.open()
    await tab.navigate(stage.site.url("huge"))
    await wait_for_load(tab, timeout_seconds=600)
    found = await observe(tab)
    assert found.links == 100 * rows
    assert len(found.text()) <= 800
    assert len(msgspec.json.decode(await outline(tab, 10))["items"]) == 10
    assert await query_selector(tab, "#none") == b"null"
    with pytest.raises(CannotAct, match="no element matches"):
        await click(tab, "#none")
    with pytest.raises(BrowserFailed, match="more than 100000 are not listed"):
        await query_selector_all(tab, "p, a, i")
    await click(tab, "#b")
    await wait_for_selector(tab, "#b")
    assert await read(tab, "hit") == 1
    return tab


@pytest.mark.proves("browser-faults")
@pytest.mark.deep
async def test_a_hundred_thousand_elements(stage: Stage) -> None:
    await looked_at(stage, 350)


@pytest.mark.soak
async def test_half_a_million_elements_and_hundreds_of_megabytes(stage: Stage) -> None:
    tab = await looked_at(stage, 1_500)
    assert len(await get_dom(tab)) > 30_000_000
    assert (await observe(tab)).ready == "complete"
