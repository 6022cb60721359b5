"""Frames of the same origin and of another, nested, scrolled and scaled: read, aimed at, pressed."""

import itertools
import threading

import anyio
import msgspec
import pytest

from ouroboros.browser.errors import CannotAct, PageChanged
from ouroboros.browser.page.act import click, fill, key_press, select, type_text
from ouroboros.browser.page.door import Handle, object_of, opened_up
from ouroboros.browser.page.facts import focused_for
from ouroboros.browser.page.keys import key_of
from ouroboros.browser.page.quads import middle
from ouroboros.browser.page.read import (
    get_handle,
    get_links,
    get_text,
    query_selector,
    query_selector_all,
)
from ouroboros.browser.page.wait import wait_for_selector
from ouroboros.browser.tabs import Tab
from tests.browser.site import Asked, Reply
from tests.browser.stage import Stage, loaded, read
from tests.cases import every

INNER = """<!doctype html><title>inner</title><body style="margin:0"><button id=go>Go</button>
<input id=name placeholder=Name><select id=pick><option>red<option>blue</select>
<a href="/inside">inside</a><script>
window.heard = [];
addEventListener("click", (e) => { heard.push([e.target.id, e.isTrusted]); parent.postMessage(e.target.id, "*") });
addEventListener("input", (e) => { if (e.target.id) parent.postMessage(e.target.id + "=" + e.target.value + e.isTrusted, "*") });
</script>"""
OUTER = """<!doctype html><body style="margin:0"><script>window.told = [];
addEventListener("message", (e) => told.push(e.data))</script>"""


async def told(tab: Tab, last: str) -> list[str]:
    """What the page heard from its frames, once it has heard ``last``."""
    with anyio.fail_after(60):
        for pause in itertools.repeat(0.01):
            heard: list[str] = await read(tab, "told")
            if last in heard:
                return heard
            await anyio.sleep(pause)
    raise AssertionError


async def framed(stage: Stage, host: int, style: str = "", tab: Tab | None = None) -> Tab:
    stage.site.put("inner", INNER)
    frame = (
        f"<iframe id=f name=side style='{style}' src='{stage.site.url('inner', host)}'></iframe>"
    )
    tab = await stage.show(OUTER + "<div style='height:40px'></div>" + frame, tab=tab)
    await wait_for_selector(tab, "iframe#f >>> #go")
    return tab


@pytest.mark.proves("C07")
@every("host", [0, 1])
async def test_what_lies_in_a_frame_is_pressed_typed_into_and_chosen(
    stage: Stage, tab: Tab, host: int
) -> None:
    await framed(stage, host, "border:7px solid;padding:11px;margin-left:23px", tab)
    acted = await click(tab, "iframe#f >>> #go")
    assert acted.did == 'clicked <button#go> "Go"'
    await type_text(tab, "iframe#f >>> #name", "Ann")
    await select(tab, "iframe#f >>> #pick", "blue")
    heard = await told(tab, "pick=bluetrue")
    assert heard[0] == "go"
    assert "name=Anntrue" in heard


@pytest.mark.deep
@every("host", [0, 1])
async def test_an_element_far_down_in_a_frame_is_scrolled_to(stage: Stage, host: int) -> None:
    stage.site.put("long", INNER.replace("<button", "<div style='height:3000px'></div><button"))
    frame = f"<iframe id=f src='{stage.site.url('long', host)}'></iframe>"
    tab = await stage.show(OUTER + "<div style='height:1500px'></div>" + frame)
    await wait_for_selector(tab, "iframe >>> #go", state="attached")
    await click(tab, "iframe >>> #go")
    assert await told(tab, "go") == ["go"]


@pytest.mark.deep
@every("host", [0, 1])
async def test_a_covered_frame_is_not_pressed(stage: Stage, host: int) -> None:
    tab = await framed(stage, host)
    await read(
        tab,
        "document.body.insertAdjacentHTML('beforeend', '<p id=ad style=\"position:fixed;inset:0;margin:0\">')",
    )
    with pytest.raises(CannotAct, match="ad> covers"):
        await click(tab, "iframe >>> #go")
    assert await read(tab, "told") == []


@pytest.mark.proves("C07")
@every(
    "style",
    [
        "transform:scale(.5);margin-top:2500px;height:300px",
        "zoom:1.5",
        "transform:rotate(20deg);margin:80px",
        "transform:rotate(180deg)",
    ],
)
@pytest.mark.parametrize("host", [0, 1])
@pytest.mark.deep
async def test_a_scaled_zoomed_or_turned_frame_is_met(
    stage: Stage, tab: Tab, host: int, style: str
) -> None:
    await framed(stage, host, style, tab)
    await click(tab, "iframe >>> #pick")
    assert await told(tab, "pick") == ["pick"]


@pytest.mark.proves("C05", "C07", "divergences-a-frame-that-hides-the")
@pytest.mark.deep
async def test_a_frame_that_is_not_drawn_yet_is_waited_for(stage: Stage) -> None:
    """Until then the browser gives what the mouse does to the page around it."""

    def late(asked: Asked) -> Reply:
        drawn.wait(60)
        return Reply("", "text/css")

    drawn = threading.Event()
    stage.site.put("late.css", late)
    url = stage.site.url("inner", 1)
    says = "<script>onclick = (e) => parent.postMessage(e.target.id, '*')</script>"
    style = "<link rel=stylesheet href=/late.css>"
    stage.site.put("inner", says + style + "<body><button id=go>Go</button>")
    tab = await stage.show(
        OUTER + "<script>onmousedown = (e) => told.push(`${e.target.id} outside`)</script>"
    )
    await read(tab, f"void (document.body.innerHTML = `<iframe id=f src={url}></iframe>`)")
    await wait_for_selector(tab, "iframe >>> #go", state="attached")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(click, tab, "iframe >>> #go")
        await anyio.sleep(0.5)
        drawn.set()
    assert await told(tab, "go") == ["go"]


@pytest.mark.proves("C07")
@pytest.mark.deep
async def test_frames_in_frames_of_other_sites(stage: Stage) -> None:
    stage.site.put("inner", INNER)
    middle = f"""<script>addEventListener("message", (e) => parent.postMessage(e.data, "*"))</script>
    <p>middle</p><iframe style="margin:9px" src="{stage.site.url("inner", 2)}"></iframe>"""
    stage.site.put("middle", middle)
    frame = (
        f"<iframe style='margin:31px;height:250px' src='{stage.site.url('middle', 1)}'></iframe>"
    )
    tab = await stage.show(OUTER + frame)
    await wait_for_selector(tab, "iframe >>> iframe >>> #go")
    await click(tab, "iframe >>> iframe >>> #go")
    assert await told(tab, "go") == ["go"]
    assert await get_text(tab, "iframe >>> p") == b'"middle"'


@pytest.mark.proves("C07")
@pytest.mark.deep
@pytest.mark.parametrize("host", [0, 1])
async def test_a_page_in_an_object_is_a_frame_like_others(stage: Stage, host: int) -> None:
    stage.site.put("inner", INNER)
    url = stage.site.url("inner", host)
    tab = await stage.show(OUTER + f"<object id=o type=text/html data={url}></object>")
    await wait_for_selector(tab, "#o >>> #go")
    await click(tab, "#o >>> #go")
    assert await told(tab, "go") == ["go"]
    with pytest.raises(CannotAct, match="name that by >>>"):
        await click(tab, "#o", position=(20, 10))


@pytest.mark.proves("C07")
@pytest.mark.deep
async def test_an_object_without_a_page_is_an_element_like_others(stage: Stage) -> None:
    tab = await stage.show("<object id=o type=image/png data=/none><b>no picture</b></object>")
    assert (await click(tab, "#o")).did == 'clicked <object#o> "no picture"'


@pytest.mark.deep
async def test_a_frame_is_named_by_number_name_id_and_address(stage: Stage) -> None:
    tab = await framed(stage, 1)
    (inner,) = (frame.id for frame in tab.frames if frame.id != tab.frames.top)
    for name in (1, inner, "side", "f", "/inner"):
        found = msgspec.json.decode(await query_selector(tab, "#go", frame=name))
        assert found["innerText"] == "Go", name
    assert b"Go" in await get_text(tab, frame="side")
    links = msgspec.json.decode(await get_links(tab, frame="side"))
    assert links == [{"text": "inside", "href": stage.site.url("inside", 1)}]
    await fill(tab, {"#name": "Bo"}, frame="side")
    await told(tab, "name=Botrue")
    with pytest.raises(CannotAct, match="no frame nowhere; there are 1: <iframe#f>"):
        await query_selector(tab, "#go", frame="nowhere")


@pytest.mark.deep
@pytest.mark.proves("C07")
@pytest.mark.parametrize(
    "hosts",
    [
        pytest.param((1, 1, 1), marks=pytest.mark.deep),
        pytest.param((1, 1, 2), marks=pytest.mark.deep),
        pytest.param((0, 0, 1), marks=pytest.mark.deep),
        (1, 0, 0),
        pytest.param((0, 0, 0), marks=pytest.mark.deep),
    ],
)
async def test_any_frame_that_is_listed_can_be_named(
    stage: Stage, hosts: tuple[int, int, int]
) -> None:
    stage.site.put("inner", INNER)
    for path, within, host in zip(
        ("outer", "middle", "deep"), ("middle", "deep", "inner"), hosts, strict=True
    ):
        url = stage.site.url(within, host)
        stage.site.put(
            path,
            f"""<body style="margin:0"><div style="height:13px"></div><script>told = [];
            addEventListener("message", (e) => {{ told.push(e.data); if (parent !== window) parent.postMessage(e.data, "*") }})
            </script><iframe style="margin:17px;width:600px;height:400px" src="{url}"></iframe>""",
        )
    tab = await stage.open(stage.site.url("outer"))
    await wait_for_selector(tab, "iframe >>> iframe >>> iframe >>> #go")
    (frame,) = (frame for frame in tab.frames if frame.url.endswith("/inner"))
    assert await get_text(tab, "#go", frame=frame.id) == b'"Go"'
    assert await get_text(tab, "#go", frame=3) == b'"Go"'
    await click(tab, "#go", frame=frame.id)
    await type_text(tab, "#name", "Al", frame=3)
    assert (await told(tab, "name=Altrue"))[0] == "go"


@pytest.mark.deep
@pytest.mark.proves("C07")
async def test_plain_css_finds_what_only_a_frame_of_the_same_origin_has(stage: Stage) -> None:
    tab = await framed(stage, 0)
    await click(tab, "#go")
    assert await told(tab, "go") == ["go"]
    assert len(msgspec.json.decode(await query_selector_all(tab, "option"))) == 2


@pytest.mark.proves("browser-keys-into-frames")
@pytest.mark.deep
@every(
    "within",
    [
        "<iframe src={url}></iframe>",
        "<object type=text/html data={url}></object>",
        "<frameset cols='*'><frame src={url}></frameset>",
    ],
)
async def test_what_a_key_would_press_is_known_through_each_kind_of_frame(
    stage: Stage, tab: Tab, within: str
) -> None:
    sends = "<!doctype html><form action=/sent method=post><input id=q><button>Pay</button></form>"
    stage.site.put("sends", sends)
    stage.site.put("middle", within.format(url=stage.site.url("sends", 2)))
    around = OUTER + f"<iframe id=f src={stage.site.url('middle', 1)}></iframe>"
    await stage.show(around, tab=tab)
    inner = next(name for name in ("iframe", "object", "frame") if f"<{name} " in within)
    await wait_for_selector(tab, f"#f >>> {inner} >>> #q")
    await click(tab, f"#f >>> {inner} >>> #q")
    focused = await focused_for(tab, key_of("Enter"))
    assert focused is not None
    facts = focused.facts
    assert (facts.tag, facts.is_submit, facts.method) == ("input", True, "post")


@pytest.mark.deep
@pytest.mark.proves("browser-stale")
async def test_a_handle_in_a_frame_is_refused_once_the_frame_has_moved_on(stage: Stage) -> None:
    tab = await framed(stage, 1)
    handle = msgspec.json.decode(await get_handle(tab, "iframe >>> #go"))
    await click(tab, handle)
    assert await told(tab, "go") == ["go"]
    stage.site.put("other", INNER.replace("id=go", "id=other"))
    await read(tab, f"f.src = {stage.site.url('other', 1)!r}")
    await wait_for_selector(tab, "iframe >>> #other")
    with pytest.raises(PageChanged):
        await click(tab, handle)


@pytest.mark.deep
async def test_keys_go_to_the_field_with_the_focus_in_a_frame_of_another_site(stage: Stage) -> None:
    tab = await framed(stage, 1)
    await click(tab, "iframe >>> #name")
    await key_press(tab, "x")
    await told(tab, "name=xtrue")


@pytest.mark.proves("browser-a-page-that-was-left")
@pytest.mark.deep
async def test_an_element_of_a_page_that_was_left_is_said_to_be_gone(stage: Stage) -> None:
    tab = await stage.show("<div id=d>here</div>", path="first")
    held = msgspec.json.decode(await get_handle(tab, "#d"), type=dict[str, Handle])
    handle = held["__handle"]
    world = await tab.world(handle.frame)
    await tab.navigate(stage.site.put("second", "<p>other</p>"))
    await loaded(tab)
    for asked in (object_of, opened_up, middle):
        with pytest.raises(PageChanged):
            await asked(tab, world, handle.node)
