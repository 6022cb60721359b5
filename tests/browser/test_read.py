"""Reading: exact shapes, long texts whole, passwords masked."""

import msgspec
import pytest

from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.page.read import (
    get_dom,
    get_inputs,
    get_links,
    get_text,
    query_selector,
    query_selector_all,
)
from tests.browser.stage import Stage

PAGE = """<!doctype html><title>T</title><body><h1 id=h class="big red">Hello   <b>there</b></h1>
<a href="/a?x=1#y"> One
  link </a><a>no href</a><svg width=10 height=10><a href="/svg"><text>in svg</text></a></svg>
<form id=fm><input name=id><input name=action value=v id=i placeholder=Say><input type=password name=pw value=secret>
<textarea name=t>words</textarea><select name=s><option value=1>One<option value=2 selected>Two</select></form>
<img id=im src="/pic.png"><p hidden>unseen</p></body>"""


@pytest.mark.deep
@pytest.mark.proves("C04")
async def test_the_shapes_are_exact(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    decode = msgspec.json.decode
    assert decode(await query_selector(tab, "#h")) == {
        "tagName": "H1",
        "id": "h",
        "className": "big red",
        "innerText": "Hello there",
        "href": None,
        "src": None,
        "value": None,
        "type": None,
    }
    assert decode(await query_selector(tab, "#i")) == {
        "tagName": "INPUT",
        "id": "i",
        "className": "",
        "innerText": "",
        "href": None,
        "src": None,
        "value": "v",
        "type": "text",
    }
    assert decode(await query_selector(tab, "form"))["id"] == "fm"
    assert decode(await query_selector_all(tab, "img")) == [
        {
            "tagName": "IMG",
            "id": "im",
            "className": "",
            "innerText": "",
            "href": None,
            "src": stage.site.url("pic.png"),
        }
    ]
    assert decode(await get_links(tab)) == [
        {"text": "One link", "href": stage.site.url("a?x=1#y")},
        {"text": "in svg", "href": stage.site.url("svg")},
    ]
    assert decode(await get_inputs(tab))[1:] == [
        {"id": "i", "name": "action", "type": "text", "value": "v", "placeholder": "Say"},
        {"id": "", "name": "pw", "type": "password", "value": "********", "placeholder": ""},
        {"id": "", "name": "t", "type": "textarea", "value": "words", "placeholder": ""},
        {"id": "", "name": "s", "type": "select-one", "value": "2", "placeholder": ""},
    ]


@pytest.mark.proves("C04")
async def test_text_is_what_is_rendered_dom_what_is_there_and_absent_is_null_or_empty(
    stage: Stage,
) -> None:
    tab = await stage.show(PAGE)
    text = msgspec.json.decode(await get_text(tab))
    assert "Hello there" in text
    assert "unseen" not in text
    dom = msgspec.json.decode(await get_dom(tab))
    assert dom.startswith("<html><head>")
    assert "unseen" in dom
    assert msgspec.json.decode(await get_dom(tab, "h1 b")) == "<b>there</b>"
    assert await get_text(tab, "#none") == b"null"
    assert await get_dom(tab, "#none") == b"null"
    assert await query_selector(tab, "#none") == b"null"
    assert await query_selector_all(tab, "#none") == b"[]"
    for selector in ("p[", "//p[", "a >>> >>> b", "role=!!", "xpath=//*["):
        with pytest.raises(CannotAct, match=r"not|empty"):
            await query_selector(tab, selector)


@pytest.mark.proves("C04")
@pytest.mark.deep
async def test_long_texts_come_whole(stage: Stage) -> None:
    page = """<pre id=p></pre><script>
    p.textContent = "x".repeat(5_000_000) + "END";
    const big = document.createElement("pre"); big.id = "q";
    big.textContent = "y" + "😀".repeat(6_000_000) + "END";
    big.style.display = "none"; document.body.append(big);</script>"""
    tab = await stage.show("<!doctype html>" + page)
    assert msgspec.json.decode(await get_text(tab, "#p")) == "x" * 5_000_000 + "END"
    whole = msgspec.json.decode(await get_text(tab, "#q"))
    assert (len(whole), whole[-4:], whole[:2]) == (6_000_004, "😀END", "y😀")


@pytest.mark.proves("C04")
@pytest.mark.deep
async def test_a_text_beyond_all_measure_is_refused_and_not_cut(stage: Stage) -> None:
    page = """<pre id=p style="display:none"></pre><script>p.textContent = "x".repeat(70_000_000)</script>"""
    tab = await stage.show("<!doctype html>" + page)
    with pytest.raises(BrowserFailed, match="70,000,000 characters"):
        await get_text(tab, "#p")


HOSTILE = """<!doctype html><script>
const bad = () => { throw new Error("mine") };
Array.prototype.map = Array.prototype.push = Array.prototype[Symbol.iterator] = bad;
JSON.stringify = JSON.parse = Object.keys = String.prototype.replace = Promise.prototype.then = bad;
Element.prototype.getBoundingClientRect = Element.prototype.querySelectorAll = bad;
Element.prototype.getClientRects = Document.prototype.querySelector = EventTarget.prototype.addEventListener = bad;
Object.defineProperty(HTMLElement.prototype, "innerText", { get: bad });
Object.defineProperty(HTMLInputElement.prototype, "value", { get: bad, set: bad });
Object.defineProperty(Object.prototype, "toJSON", { get: bad });
window.globalThis = window.setTimeout = window.MutationObserver = null;
</script><img name=body><img name=querySelectorAll><form name=documentElement><input name=getAttribute></form>
<form id=f><input name=id><input name=parentNode><input name=attributes><input name=method><button id=b>Go</button></form>
<input id=i value=v><script>window.onclick = (e) => { window.got = e.isTrusted; e.preventDefault() }</script>"""


@pytest.mark.deep
@pytest.mark.proves("browser-faults")
async def test_a_page_that_breaks_every_built_in_is_read_and_clicked(stage: Stage) -> None:
    from ouroboros.browser.page.act import click, fill
    from ouroboros.browser.page.observe import observe, outline
    from ouroboros.browser.waits import wait_for_load

    stage.site.put("hostile", HOSTILE)
    tab = await stage.open()
    await tab.navigate(stage.site.url("hostile"))
    await wait_for_load(tab)
    assert b'"Go"' in await get_text(tab, "#b")
    assert msgspec.json.decode(await query_selector(tab, "#i"))["value"] == "v"
    assert len(msgspec.json.decode(await get_inputs(tab))) == 6
    await fill(tab, {"#i": "w"})
    assert msgspec.json.decode(await query_selector(tab, "#i"))["value"] == "w"
    acted = await click(tab, "#b")
    assert acted.did == 'clicked <button#b> "Go"'
    assert (await observe(tab)).buttons == 1
    assert msgspec.json.decode(await outline(tab))["total"] == 7
