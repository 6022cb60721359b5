"""Clicks: real ones, that reach their element or say why they would not."""

from threading import Event

import pytest

from ouroboros.browser.errors import CannotAct, PageChanged
from ouroboros.browser.page.act import aim, click, dblclick, hover
from ouroboros.browser.page.wait import wait_for_selector
from ouroboros.browser.tabs import Tab
from ouroboros.browser.wire import Incoming
from tests.browser.site import Asked
from tests.browser.stage import Stage, loaded, read
from tests.cases import every

LOG = """<!doctype html><script>
window.heard = [];
for (const name of ["mousedown", "mouseup", "click", "dblclick", "contextmenu", "auxclick"])
  addEventListener(name, (e) => heard.push([name, e.target.id, e.isTrusted, e.button]));
</script>"""


async def heard(tab: Tab) -> list[list[object]]:
    return await read(tab, "heard")


async def clicked(tab: Tab) -> list[object]:
    return [entry[1] for entry in await heard(tab) if entry[0] == "click"]


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_a_click_is_real_and_tells_what_came_of_it(stage: Stage) -> None:
    tab = await stage.show(LOG + "<button id=b>Save</button>")
    acted = await click(tab, "#b")
    assert await heard(tab) == [[n, "b", True, 0] for n in ("mousedown", "mouseup", "click")]
    assert acted.did == 'clicked <button#b> "Save"'
    assert acted.focus == '<button#b> "Save"'
    assert not acted.navigated
    assert acted.matches == 1


UNPRESSABLE = [
    ("display:none", "not displayed"),
    ("visibility:hidden", "visibility: hidden"),
    ("pointer-events:none", "pointer-events: none"),
    ("position:absolute;left:-900px", "outside"),
    ("width:0;height:0;padding:0;border:0;overflow:hidden;display:block", "no size"),
]


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_what_cannot_be_pressed_is_said_and_not_pressed(stage: Stage) -> None:
    tab = await stage.show(LOG + "<button id=b>Save</button>")
    for style, why in UNPRESSABLE:
        await read(tab, f"b.style = {style!r}")
        with pytest.raises(CannotAct, match=why):
            await click(tab, "#b")
        assert await heard(tab) == []


@pytest.mark.proves("C05")
@pytest.mark.deep
@every(
    "body, why",
    [
        ("<button id=b disabled>x</button>", "disabled"),
        ("<fieldset disabled><button id=b>x</button></fieldset>", "disabled"),
        ("<div aria-disabled=true><span id=b>x</span></div>", "aria-disabled"),
        ("<div inert><button id=b>x</button></div>", "inert"),
        ("<p id=other>x</p>", "no element matches #b among"),
    ],
)
async def test_what_takes_no_press_is_refused(stage: Stage, tab: Tab, body: str, why: str) -> None:
    await stage.show(LOG + body, tab=tab)
    with pytest.raises(CannotAct, match=why):
        await click(tab, "#b")
    assert await heard(tab) == []


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_a_cover_is_named_and_not_pressed(stage: Stage) -> None:
    cover = "<div id=veil style='position:fixed;inset:0'></div>"
    tab = await stage.show(LOG + f"<button id=b>Save</button>{cover}")
    with pytest.raises(CannotAct, match="<div#veil> covers it"):
        await click(tab, "#b")
    assert await heard(tab) == []


@pytest.mark.deep
async def test_a_free_spot_of_a_half_covered_element_is_found(stage: Stage) -> None:
    cover = "<div style='position:fixed;left:0;top:0;width:130px;height:600px'></div>"
    button = (
        "<button id=b style='position:absolute;left:0;top:0;width:200px;height:40px'>x</button>"
    )
    tab = await stage.show(LOG + button + cover)
    await click(tab, "#b")
    assert await clicked(tab) == ["b"]


@pytest.mark.deep
async def test_a_veil_that_goes_away_is_waited_for(stage: Stage) -> None:
    veil = "<div id=v style='position:fixed;inset:0'></div>"
    script = "<script>setTimeout(() => v.remove(), 150)</script>"
    tab = await stage.show(LOG + f"<button id=b>x</button>{veil}{script}")
    await click(tab, "#b")
    assert await clicked(tab) == ["b"]


@pytest.mark.deep
async def test_an_element_under_a_sticky_header_is_scrolled_free(stage: Stage) -> None:
    page = """<style>header{position:sticky;top:0;height:300px;background:red}</style>
    <header>top</header><div style="height:3000px"></div><button id=b>x</button>
    <div style="height:3000px"></div>"""
    tab = await stage.show(LOG + page)
    await click(tab, "#b")
    await read(tab, "scrollTo(0, b.offsetTop - 100)")
    await click(tab, "#b")
    assert await clicked(tab) == ["b", "b"]


@pytest.mark.deep
async def test_a_moving_element_is_met_when_it_stands(stage: Stage) -> None:
    page = """<style>@keyframes go{from{left:0}to{left:500px}}
    #b{position:absolute;top:50px;animation:go .4s linear forwards}</style><button id=b>x</button>"""
    tab = await stage.show(LOG + page)
    await click(tab, "#b")
    assert await clicked(tab) == ["b"]


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_a_press_that_would_reach_another_element_is_kept_from_the_page(stage: Stage) -> None:
    page = """<button id=b style="position:absolute;left:0;top:0;width:80px;height:40px">b</button>
    <button id=evil style="position:absolute;left:0;top:0;width:80px;height:40px;display:none">e</button>
    <script>addEventListener("mousemove", () => { evil.style.display = "block" })</script>"""
    tab = await stage.show(LOG + page)
    with pytest.raises(CannotAct, match="evil"):
        await click(tab, "#b")
    assert await clicked(tab) == []


@pytest.mark.deep
async def test_the_first_visible_of_several_is_taken_and_the_number_told(stage: Stage) -> None:
    page = "<button id=x hidden class=c>1</button><button id=y class=c>2</button><i class=c>3</i>"
    tab = await stage.show(LOG + page)
    acted = await click(tab, ".c")
    assert (acted.matches, await clicked(tab)) == (3, ["y"])


@pytest.mark.deep
async def test_transforms_and_nested_scrolling_are_followed(stage: Stage) -> None:
    page = """<div style="height:200px;overflow:auto"><div style="height:900px"></div>
    <div style="transform:rotate(30deg) scale(.6) translate(90px,20px);width:150px">
    <button id=b>turned</button></div></div>"""
    tab = await stage.show(LOG + page)
    await click(tab, "#b")
    assert await clicked(tab) == ["b"]


@pytest.mark.deep
async def test_a_zoomed_and_a_pinched_page_are_met(stage: Stage) -> None:
    page = "<html style='zoom:1.5'><div style='height:700px'></div><button>a</button><button id=b>x</button>"
    tab = await stage.show(LOG + page)
    await click(tab, "#b")
    await tab.call("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})
    await click(tab, "#b")
    assert await clicked(tab) == ["b", "b"]


@pytest.mark.deep
async def test_a_label_and_the_box_it_covers_are_one(stage: Stage) -> None:
    page = """<style>label{position:relative;display:block;width:90px;height:30px}
    input{opacity:0;position:absolute}label span{position:absolute;inset:0;background:#eee}</style>
    <label><input type=checkbox id=c><span>Agree</span></label>"""
    tab = await stage.show(LOG + page)
    acted = await click(tab, "#c")
    assert await read(tab, "c.checked") is True
    assert acted.checked is True


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_buttons_counts_modifiers_and_positions(stage: Stage) -> None:
    page = """<div id=b style="width:200px;height:100px;margin:20px"></div><script>
    b.onclick = (e) => { window.at = [e.offsetX, e.offsetY, e.shiftKey, e.ctrlKey] }</script>"""
    tab = await stage.show(LOG + page)
    await click(tab, "#b", position=(150, 70), modifiers=["Shift"])
    assert await read(tab, "at") == [150, 70, True, False]
    await dblclick(tab, "#b")
    await click(tab, "#b", button="right")
    names = [entry[0] for entry in await heard(tab)]
    assert names.count("dblclick") == 1
    assert names[-3:] == ["mousedown", "contextmenu", "mouseup"] or "contextmenu" in names[-3:]
    with pytest.raises(CannotAct, match="no such click"):
        await click(tab, "#b", count=9)
    with pytest.raises(CannotAct, match="modifier 'Hyper'"):
        await click(tab, "#b", modifiers=["Hyper"])


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_hovering_shows_what_hovering_shows(stage: Stage) -> None:
    page = """<style>#menu{display:none} #b:hover + #menu{display:block}</style>
    <p id=b>Menu</p><div id=menu>Items</div>"""
    tab = await stage.show(page)
    await hover(tab, "#b")
    assert await read(tab, "getComputedStyle(menu).display") == "block"


@pytest.mark.deep
async def test_a_click_that_navigates_says_so_and_where(stage: Stage) -> None:
    there = stage.site.put("there", "<title>There</title>")
    tab = await stage.show(f"<a id=a href='{there}'>go</a>")
    acted = await click(tab, "#a")
    assert acted.navigated
    assert acted.url == there


@pytest.mark.proves("C18")
@pytest.mark.deep
async def test_a_click_that_opens_a_window_names_its_address(stage: Stage) -> None:
    there = stage.site.put("there", "<title>There</title>")
    tab = await stage.show(f"<a id=a target=_blank href='{there}'>go</a>")
    acted = await click(tab, "#a")
    assert acted.opened == (there,)


@pytest.mark.proves("C18")
@pytest.mark.deep
async def test_a_click_that_opens_a_dialog_returns_while_it_waits(stage: Stage) -> None:
    tab = await stage.show("<button id=b onclick=\"window.said = confirm('Sure?')\">x</button>")

    def opens(happening: Incoming) -> None:
        tab.dialog = "confirm"

    stage.connection.listen("Page.javascriptDialogOpening", opens, session=tab.session)
    acted = await click(tab, "#b")
    assert acted.dialog == "confirm"
    await tab.call("Page.handleJavaScriptDialog", {"accept": True})
    tab.dialog = ""
    assert await read(tab, "said") is True


@pytest.mark.proves("browser-stale")
async def test_an_aim_is_not_carried_over_to_another_page(stage: Stage) -> None:
    stage.site.put("second", LOG + "<button id=b>Delete all</button>")
    tab = await stage.show(LOG + "<button id=b>Save</button>")
    aimed = await aim(tab, "#b")
    assert aimed.facts.label == "Save"
    await tab.navigate(stage.site.url("second"))
    await loaded(tab)
    await aim(tab, "#b")  # which has the first number now
    with pytest.raises(PageChanged):
        await click(tab, aimed)
    assert await heard(tab) == []


@pytest.mark.deep
@pytest.mark.proves("C14")
async def test_an_aim_at_what_does_something_else_by_now_presses_nothing(stage: Stage) -> None:
    tab = await stage.show(LOG + "<form action=/search><button id=b>Go</button></form>")
    aimed = await aim(tab, "#b")
    await read(tab, "document.forms[0].method = 'post'")
    with pytest.raises(PageChanged, match="something else"):
        await click(tab, aimed)
    assert await heard(tab) == []


SWAP = """<div id=w style='height:90px'><button id=a style='width:90px;height:90px'>a</button></div><script>
addEventListener("mousemove", () => { w.innerHTML = "<button id=b style='width:90px;height:90px'>b</button>" })
</script>"""


@pytest.mark.proves("C14")
@pytest.mark.deep
async def test_a_press_that_would_reach_another_button_of_a_card_is_kept_from_the_page(
    stage: Stage,
) -> None:
    tab = await stage.show(LOG + SWAP)
    with pytest.raises(CannotAct, match="in the way"):
        await click(tab, "#w", position=(40, 40))
    assert await clicked(tab) == []


@pytest.mark.proves("browser-stale")
@pytest.mark.deep
async def test_an_aim_at_a_removed_element_reaches_nothing(stage: Stage) -> None:
    tab = await stage.show(LOG + "<button id=b>Save</button>")
    aimed = await aim(tab, "#b")
    await read(tab, "document.body.innerHTML = '<button id=b>Other</button>'")
    with pytest.raises(CannotAct, match="no longer in the page"):
        await click(tab, aimed)
    assert await heard(tab) == []


@pytest.mark.deep
async def test_what_is_covered_but_for_a_corner_is_clicked_there(stage: Stage) -> None:
    cover = "position:absolute;left:8px;top:8px;width:40px;height:40px"
    page = "<button id=b style='%s'>Save</button><button id=c style='%s;%s'>Other</button>"
    tab = await stage.show(LOG + page % (cover, cover, "margin:4px 0 0 -4px"))
    assert (await click(tab, "#b")).did.startswith("clicked")
    assert await clicked(tab) == ["b"]
    await read(tab, "c.style.margin = 0")
    with pytest.raises(CannotAct, match='c> "Other" covers it'):
        await click(tab, "#b")


@pytest.mark.proves("browser-stale")
@pytest.mark.deep
async def test_an_aim_is_covered_between_look_and_act(stage: Stage) -> None:
    tab = await stage.show(LOG + "<button id=b>Save</button>")
    aimed = await aim(tab, "#b")
    assert (await click(tab, aimed)).did.startswith("clicked")
    cover = "document.body.insertAdjacentHTML('beforeend', '<p id=ad style=\"position:fixed;inset:0;margin:0\">')"
    await read(tab, cover)
    with pytest.raises(CannotAct, match="ad> covers it"):
        await click(tab, aimed)
    assert await clicked(tab) == ["b"]


@pytest.mark.deep
@pytest.mark.proves("C14")
async def test_facts_tell_a_submit_a_payment_an_upload_and_a_download(stage: Stage) -> None:
    page = """<form action="/order/new" method=post><input name=action><input name=submit>
    <input autocomplete=cc-number><button id=pay>Place order</button></form>
    <form id=f><input id=q><input type=submit id=go value=Search><button type=button id=no>Help</button></form>
    <input type=file id=up><label id=lab for=up>Choose</label>
    <a id=down download href="/a.pdf">Get it</a><a id=out href="http://localhost:1/x">Out</a>"""
    tab = await stage.show(page)
    pay = (await aim(tab, "#pay")).facts
    assert (pay.is_submit, pay.method, pay.is_payment) == (True, "post", True)
    assert pay.action == stage.site.url("order/new")
    search = (await aim(tab, "#go")).facts
    assert (search.is_submit, search.method, search.is_payment) == (True, "get", False)
    help_ = (await aim(tab, "#no")).facts
    assert (help_.is_submit, help_.is_payment) == (False, False)
    assert (await aim(tab, "#lab")).facts.is_upload
    assert (await aim(tab, "#down")).facts.is_download
    out = (await aim(tab, "#out")).facts
    assert (out.href, out.is_download) == ("http://localhost:1/x", False)
    assert out.page == tab.url


FORMS = [
    ("<form><input name=q><button>Go</button></form>", True),
    (
        "<form><input name=q><select name=in><option>All</select><button>Go</button></form>",
        True,
    ),
    ("<form role=search><input name=q><input name=near><button>Go</button></form>", True),
    ("<search><form><input name=q><input name=near><button>Go</button></form></search>", True),
    ("<form><input type=search name=q><input name=near><button>Go</button></form>", True),
    ("<form id=f><input name=q></form><button form=f>Go</button>", True),
    (
        "<form><input name=q><input type=hidden name=lang value=en><button>Go</button></form>",
        True,
    ),
    ("<form method=post><input type=search name=q><button>Go</button></form>", False),
    ("<form><input type=search name=q><button formmethod=post>Go</button></form>", False),
    ("<form><input name=a><input name=b><button>Go</button></form>", False),
    ("<form><button>Go</button></form>", False),
    ("<form role=search><button>Go</button></form>", False),
    ("<form role=search><input name=q><input type=password><button>Go</button></form>", False),
    ("<form id=f><input name=q><button>Go</button></form><input type=password form=f>", False),
    ("<form><input type=email><button>Go</button></form>", False),
    ("<form role=search><input name=q><input type=tel><button>Go</button></form>", False),
    ("<form><input name=q><input autocomplete=cc-csc><button>Go</button></form>", False),
    (
        "<form><input name=q><input type=hidden name=csrf_token><button>Go</button></form>",
        False,
    ),
    ("<form><input name=id><button>Delete</button></form>", False),
    ("<form action=/unsubscribe><input name=who><button>Go</button></form>", False),
    ("<form><textarea name=q></textarea><button>Go</button></form>", False),
]


@pytest.mark.proves("C14", "divergences-search-forms")
@every("form, is_search", FORMS)
async def test_only_a_form_that_merely_searches_counts_as_a_search(
    stage: Stage, tab: Tab, form: str, is_search: bool
) -> None:
    if not tab.url.startswith("http"):
        await stage.show("<!doctype html>", tab=tab)
    await read(tab, f"document.body.innerHTML = {form!r}")
    facts = (await aim(tab, "button")).facts
    assert (facts.is_submit, facts.is_search) == (True, is_search)


LINKS = [
    ("href='#part'", False),
    ("href='javascript:void 0'", False),
    ("href='/x' onclick='history.pushState(0, 0, \"/pushed\"); return false'", False),
    ("href='/x' download", False),
    ("href='/there'", True),
]


@pytest.mark.deep
@every("link, navigated", LINKS)
async def test_only_another_page_counts_as_a_navigation(
    stage: Stage, tab: Tab, link: str, navigated: bool
) -> None:
    stage.site.put("there", "<p>there")
    await stage.show(f"<a id=a {link}>x</a>", tab=tab)
    acted = await click(tab, "#a")
    assert acted.navigated is navigated
    assert bool(acted.url) is ("#" in link or "push" in link or navigated)


@pytest.mark.deep
async def test_a_page_that_is_slow_to_begin_is_not_waited_for(stage: Stage) -> None:
    gate = Event()

    def slow(asked: Asked) -> str:
        gate.wait(60)
        return "<p id=slow>slow"

    stage.site.put("slow", slow)
    tab = await stage.show("<a id=a href=/slow>x</a>")
    acted = await click(tab, "#a")
    assert not gate.is_set()
    gate.set()
    assert (acted.navigated, acted.note) == (
        True,
        "another page was asked for and has not begun; wait for it",
    )
    await wait_for_selector(tab, "#slow")


@pytest.mark.deep
async def test_a_page_that_hides_the_press_is_not_pressed_again(stage: Stage) -> None:
    page = """<!doctype html><button id=b>x</button><script>window.count = 0;
    for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
      addEventListener(name, (e) => { count += name === "click"; e.stopImmediatePropagation() }, true);
    </script>"""
    tab = await stage.show(page)
    acted = await click(tab, "#b")
    assert (acted.did, acted.note) == ('clicked <button#b> "x"', "")
    assert await read(tab, "count") == 1


@pytest.mark.proves("browser-stale")
@pytest.mark.deep
async def test_an_element_of_a_frame_that_was_left_is_not_pressed(stage: Stage) -> None:
    stage.site.put("inner", "<button id=b>Save</button>")
    stage.site.put("other", "<button id=b onclick='parent.hit = 1'>Delete</button>")
    tab = await stage.show("<iframe id=f src=/inner></iframe>")
    aimed = await aim(tab, "iframe >>> #b")
    await read(tab, "f.src = '/other', 0")
    await wait_for_selector(tab, "text=Delete")
    with pytest.raises(PageChanged, match="its frame was left"):
        await click(tab, aimed)
    assert await read(tab, "window.hit === undefined")


@pytest.mark.proves("browser-a-page-that-was-left")
@pytest.mark.deep
async def test_what_goes_away_under_the_press_is_said_to_have_had_no_click(stage: Stage) -> None:
    hides = "<button id=b onmousedown='this.style.marginLeft=`200px`'>Go</button>"
    tab = await stage.show(LOG + f"<div>{hides}</div><button id=c>Stay</button>")
    acted = await click(tab, "#b")
    assert acted.note.startswith("it was let go over <div>")
    assert acted.note.endswith("so it was pressed and not clicked")
    assert (await click(tab, "#c")).note == ""
