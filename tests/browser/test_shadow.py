"""Shadow roots, open and closed, nested and slotted."""

import anyio
import msgspec
import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.act import click, type_text
from ouroboros.browser.page.observe import outline
from ouroboros.browser.page.read import get_inputs, get_links, get_text, query_selector
from ouroboros.browser.page.wait import wait_for_selector
from tests.browser.stage import Stage, read

PAGE = """<!doctype html><script>window.heard = [];</script>
<x-box id=host><span slot=name>slotted</span></x-box><script>
customElements.define("x-deep", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: this.getAttribute("mode") || "MODE" });
    root.innerHTML = "<button id=deep>Deep</button><input name=inner><a href='/deep'>deep link</a>";
    root.querySelector("button").onclick = (e) => heard.push(["deep", e.isTrusted]);
    root.querySelector("input").oninput = (e) => heard.push([e.target.value, e.isTrusted]);
  }
});
customElements.define("x-box", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "MODE" });
    root.innerHTML = "<p id=say>in the shadow</p><slot name=name></slot><x-deep id=in></x-deep>";
  }
});
</script>"""


@pytest.mark.proves("C07")
@pytest.mark.parametrize("mode", [pytest.param("open", marks=pytest.mark.deep), "closed"])
async def test_what_lies_in_shadow_roots_is_found_pressed_and_typed_into(
    stage: Stage, mode: str
) -> None:
    tab = await stage.show(PAGE.replace("MODE", mode))
    assert await get_text(tab, "x-box >>> #say") == b'"in the shadow"'
    await click(tab, "x-box >>> x-deep >>> #deep")
    await type_text(tab, "x-box >>> x-deep >>> input", "ab")
    assert await read(tab, "heard") == [["deep", True], ["a", True], ["ab", True]]


@pytest.mark.deep
@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_plain_selectors_go_into_shadow_roots_when_the_page_has_no_match(
    stage: Stage, mode: str
) -> None:
    tab = await stage.show(PAGE.replace("MODE", mode))
    found = msgspec.json.decode(await query_selector(tab, "#deep"))
    assert found["innerText"] == "Deep"
    await click(tab, 'role=button[name="Deep"]')
    await click(tab, "text=Deep")
    assert await read(tab, "heard.length") == 2


@pytest.mark.proves("C04", "C07")
@pytest.mark.deep
async def test_two_that_look_at_once_both_find_what_is_closed(stage: Stage) -> None:
    tab = await stage.show(PAGE.replace("MODE", "closed"))
    found: list[bytes] = []

    async def look(selector: str) -> None:
        found.append(await query_selector(tab, selector))

    async with anyio.create_task_group() as tasks:
        for selector in ("#deep", "#say", "role=button"):
            tasks.start_soon(look, selector)
    words = {msgspec.json.decode(one)["innerText"] for one in found}
    assert words == {"Deep", "in the shadow"}


@pytest.mark.deep
async def test_reading_lists_what_is_in_open_roots(stage: Stage) -> None:
    tab = await stage.show(PAGE.replace("MODE", "open"))
    links = msgspec.json.decode(await get_links(tab))
    assert links == [{"text": "deep link", "href": stage.site.url("deep")}]
    assert [field["name"] for field in msgspec.json.decode(await get_inputs(tab))] == ["inner"]
    names = [item["name"] for item in msgspec.json.decode(await outline(tab))["items"]]
    assert "Deep" in names


@pytest.mark.deep
async def test_a_cover_in_the_page_keeps_a_press_from_a_closed_root(stage: Stage) -> None:
    tab = await stage.show(
        PAGE.replace("MODE", "closed") + "<div id=v style='position:fixed;inset:0'>"
    )
    with pytest.raises(CannotAct, match="v> covers it"):
        await click(tab, "x-box >>> x-deep >>> #deep")
    assert await read(tab, "heard") == []


@pytest.mark.deep
async def test_our_look_leaves_no_mark_in_the_page(stage: Stage) -> None:
    tab = await stage.show(PAGE.replace("MODE", "closed"))
    before = await read(tab, "[document.documentElement.outerHTML, Object.keys(window).length]")
    await click(tab, "#deep")
    await outline(tab)
    assert (
        await read(tab, "[document.documentElement.outerHTML, Object.keys(window).length]")
        == before
    )


@pytest.mark.proves("C07")
@pytest.mark.deep
async def test_what_comes_into_a_closed_root_is_waited_for(stage: Stage) -> None:
    page = """<x-y id=h></x-y><script>const root = h.attachShadow({mode: "closed"});
    setTimeout(() => { root.innerHTML = "<b id=deep>x</b>" }, 80)</script>"""
    tab = await stage.show(page)
    await wait_for_selector(tab, "#deep", 60)
