"""Scrolling says where it stands and whether it moved."""

import itertools

import anyio
import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.act import drag, scroll, wheel
from tests.browser.stage import Stage, read

TALL = "<!doctype html><body style='margin:0'><div style='height:5000px'>top</div><p id=end>end</p>"


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_the_page_scrolls_by_an_amount_and_to_its_ends(stage: Stage) -> None:
    tab = await stage.show(TALL)
    down = await scroll(tab, "down", 300)
    assert (down.y, down.moved, down.at_end) == (300, True, False)
    assert await read(tab, "scrollY") == 300
    assert (await scroll(tab)).y == 800
    end = await scroll(tab, "bottom")
    assert (end.moved, end.at_end) == (True, True)
    assert not (await scroll(tab, "down")).moved
    assert (await scroll(tab, "top")).y == 0
    assert not (await scroll(tab, "up")).moved


@pytest.mark.deep
async def test_the_part_that_scrolls_is_found_when_the_page_does_not(stage: Stage) -> None:
    pane = "<div id=p style='height:400px;overflow:auto'><div style='height:2000px'>x</div></div>"
    tab = await stage.show("<!doctype html><body style='overflow:hidden'><i id=i>x</i>" + pane)
    assert (await scroll(tab, "down", 100)).y == 100
    assert await read(tab, "p.scrollTop") == 100
    assert (await scroll(tab, "down", 100, target="#p")).y == 200


async def test_an_element_is_brought_into_view_even_on_a_page_that_scrolls_smoothly(
    stage: Stage,
) -> None:
    tab = await stage.show("<style>html{scroll-behavior:smooth}</style>" + TALL)
    into = await scroll(tab, "into", target="#end")
    assert into.visible is True
    assert into.y > 4000
    with pytest.raises(CannotAct, match="no element matches"):
        await scroll(tab, "into", target="#nothing")
    with pytest.raises(CannotAct, match="no direction"):
        await scroll(tab, "sideways")


@pytest.mark.parametrize("drawing", [0, 4])
@pytest.mark.deep
async def test_a_list_that_grows_as_it_is_scrolled(stage: Stage, drawing: int) -> None:
    page = """<div id=l></div><script>let n = 0;
    const more = () => { for (let i = 0; i < 50; i++) l.insertAdjacentHTML("beforeend", `<p>${++n}</p>`) };
    more(); addEventListener("scroll", () => { if (n < 150 && innerHeight + scrollY >= document.documentElement.scrollHeight - 5) more() });
    </script>"""
    veil = "position:fixed;inset:0;pointer-events:none;backdrop-filter:blur(90px)"
    page += f"<i style='{veil}'></i>" * drawing
    if drawing:
        page += "<script>const draw = () => { l.style.color = `hsl(${performance.now() % 360} 50% 50%)`; requestAnimationFrame(draw) }; draw()</script>"
    tab = await stage.show("<!doctype html>" + page)
    ends = 0
    while (await scroll(tab, "bottom")).moved:
        ends += 1
    assert await read(tab, "n") == 150
    assert ends == 3


@pytest.mark.deep
async def test_the_wheel_is_heard(stage: Stage) -> None:
    tab = await stage.show(
        TALL
        + "<script>addEventListener('wheel', (e) => { window.turned = [e.deltaY, e.isTrusted] })</script>"
    )
    await wheel(tab, 0, 120, at=(50, 50))
    with anyio.fail_after(60):
        for pause in itertools.repeat(0.01):
            if await read(tab, "window.turned"):
                break
            await anyio.sleep(pause)
    assert await read(tab, "turned") == [120, True]


DRAGS = """<!doctype html><style>div{position:absolute;width:80px;height:60px}</style>
<div id=a style="left:10px;top:10px;background:red;z-index:1"></div><div id=b style="left:400px;top:300px;background:blue"></div>
<script>window.heard = []; let on = null;
a.onpointerdown = (e) => { on = [e.clientX - a.offsetLeft, e.clientY - a.offsetTop]; heard.push(e.isTrusted) };
addEventListener("pointermove", (e) => { if (on) { a.style.left = e.clientX - on[0] + "px"; a.style.top = e.clientY - on[1] + "px" } });
addEventListener("pointerup", () => { on = null; heard.push("up") });</script>"""
DROPS = """<!doctype html><p id=a draggable=true>card</p><div id=b style="margin-top:200px;height:90px;background:#ddd"></div>
<script>window.heard = [];
a.ondragstart = (e) => { e.dataTransfer.setData("text/plain", "card 7"); heard.push(["start", e.isTrusted]) };
b.ondragenter = (e) => e.preventDefault(); b.ondragover = (e) => e.preventDefault();
b.ondrop = (e) => { e.preventDefault(); heard.push(["drop", e.isTrusted, e.dataTransfer.getData("text/plain")]) };
a.ondragend = () => heard.push(["end"]);</script>"""


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_the_mouse_drags_onto_a_target_and_by_a_way(stage: Stage) -> None:
    tab = await stage.show(DRAGS)
    await drag(tab, "#a", "#b")
    assert await read(tab, "[a.offsetLeft, a.offsetTop]") == [400, 300]
    await drag(tab, "#a", by=(-100, -50))
    assert await read(tab, "[a.offsetLeft, a.offsetTop, ...heard]") == [
        300,
        250,
        True,
        "up",
        True,
        "up",
    ]


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_drag_and_drop_of_the_browser_carries_its_data(stage: Stage) -> None:
    tab = await stage.show(DROPS)
    acted = await drag(tab, "#a", "#b")
    assert acted.note == "by the browser's drag and drop"
    heard = await read(tab, "heard")
    assert heard[:2] == [["start", True], ["drop", True, "card 7"]]


@pytest.mark.deep
async def test_a_drag_that_cannot_reach_says_so(stage: Stage) -> None:
    tab = await stage.show(
        DRAGS + "<div id=v style='inset:0;width:auto;height:auto;z-index:2'></div>"
    )
    with pytest.raises(CannotAct, match="v> covers"):
        await drag(tab, "#a", "#b")
    with pytest.raises(CannotAct, match="not both"):
        await drag(tab, "#a")
    assert await read(tab, "heard") == []
