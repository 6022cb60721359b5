"""The selector dialect, and handles."""

import anyio
import msgspec
import pytest

from ouroboros.browser.errors import CannotAct, PageChanged
from ouroboros.browser.frames import FrameMap, World
from ouroboros.browser.page.act import click, type_text
from ouroboros.browser.page.observe import outline
from ouroboros.browser.page.read import get_handle, query_selector_all
from tests.browser.stage import Stage, loaded, read

PAGE = """<!doctype html><script>var words = "Save all"</script><h2>Orders</h2>
<nav><a id=home href="/">Home</a><a id=mail href="/mail" aria-label="Mail box">@</a></nav>
<button id=save>Save all</button><button id=save2 hidden>Save all</button><div id=role role=button>Save draft</div>
<label for=n>Your name</label><input id=n><input id=s placeholder="Search here"><span id=t>City</span><input id=c aria-labelledby=t>
<input type=submit id=sub value="Send it"><img id=im alt="A dog"><input type=checkbox id=box>
<p id=long>This is <b id=bold>bold</b> text</p><p id="q>>>q">odd</p>"""


DIALECT: list[tuple[str, list[str]]] = [
    ("#save", ["save"]),
    ("text=save all", ["save", "save2"]),
    ('text="Save all"', ["save", "save2"]),
    ("text='save all'", []),
    ("text=Send", ["sub"]),
    ("text=bold", ["bold"]),
    ("text=is bold text", ["long"]),
    ("role=button", ["save", "save2", "role", "sub"]),
    ('role=button[name="Save draft"]', ["role"]),
    ('role=link[name="Mail box"]', ["mail"]),
    ("role=link[name=home]", ["home"]),
    ('role=img[name="A dog"]', ["im"]),
    ("role=checkbox", ["box"]),
    ("role=heading[name=orders]", [""]),
    ("label=Your name", ["n"]),
    ("label=city", ["c"]),
    ("label=Search here", ["s"]),
    ("//nav/a[2]", ["mail"]),
    ("xpath=//p[b]", ["long"]),
    ("nav >>> a", ["home", "mail"]),
    ('[id="q>>>q"]', ["q>>>q"]),
]


@pytest.mark.deep
@pytest.mark.proves("C07")
async def test_the_dialect(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    for selector, ids in DIALECT:
        found = msgspec.json.decode(await query_selector_all(tab, selector))
        assert [item["id"] for item in found] == ids, selector


async def test_nothing_found_names_what_is_like_it(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    with pytest.raises(CannotAct, match=r"no element matches #saveall among \d+; similar: #save"):
        await click(tab, "#saveall")


@pytest.mark.deep
async def test_a_handle_stands_for_its_element_however_the_page_is_shuffled(stage: Stage) -> None:
    tab = await stage.show(PAGE + "<script>onclick = (e) => { window.hit = e.target.id }</script>")
    handle = msgspec.json.decode(await get_handle(tab, "#save"))
    await read(tab, "document.body.prepend(save2); save2.hidden = false; save.id = 'other'")
    await click(tab, handle)
    assert await read(tab, "hit") == "other"


@pytest.mark.deep
@pytest.mark.proves("browser-stale")
async def test_a_handle_of_a_page_that_was_left_or_of_a_removed_element_is_refused(
    stage: Stage,
) -> None:
    tab = await stage.show(PAGE)
    handle = msgspec.json.decode(await get_handle(tab, "#save"))
    await read(tab, "save.remove()")
    with pytest.raises((CannotAct, PageChanged), match=r"no longer|gone"):
        await click(tab, handle)
    handle = msgspec.json.decode(await get_handle(tab, "#role"))
    await tab.navigate(tab.url)
    await loaded(tab)
    with pytest.raises(PageChanged, match="left"):
        await click(tab, handle)


@pytest.mark.deep
async def test_what_is_no_target_is_refused(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    odd: list[dict[str, object]] = [{}, {"__handle": 3}, {"__handle": {"node": "x"}}]
    for each in odd:
        with pytest.raises(CannotAct, match="a selector or a handle"):
            await click(tab, each)


@pytest.mark.proves("C04", "C07")
@pytest.mark.deep
async def test_two_that_come_to_a_new_page_at_once_share_one_world(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    frames = FrameMap(tab.connection, tab.frames.top)
    frames.seed(await tab.call("Page.getFrameTree"), tab.session)
    worlds: list[World] = []

    async def come() -> None:
        worlds.append(await frames.world())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(come)
        tasks.start_soon(come)
    assert worlds[0] is worlds[1]


@pytest.mark.proves("C04", "C07")
@pytest.mark.deep
async def test_a_handle_lasts_when_our_library_comes_a_second_time(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    handle = msgspec.json.decode(await get_handle(tab, "#save"))
    (await tab.world()).installed.clear()  # as the second of two sees it that begin at once
    await get_handle(tab, "#role")
    assert (await click(tab, handle)).did.startswith("clicked <button#save>")


@pytest.mark.proves("browser-stale")
@pytest.mark.deep
async def test_a_handle_that_was_made_up_reaches_nothing(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    handle = msgspec.json.decode(await get_handle(tab, "#save"))
    handle["__handle"]["node"] = 999
    with pytest.raises(PageChanged):
        await click(tab, handle)
    handle["__handle"]["frame"] = "nowhere"
    with pytest.raises(PageChanged):
        await click(tab, handle)


@pytest.mark.deep
async def test_the_outline_gives_handles_to_act_with(stage: Stage) -> None:
    tab = await stage.show(PAGE)
    found = msgspec.json.decode(await outline(tab))
    items = {item["name"]: item for item in found["items"]}
    assert found["total"] == len(found["items"]) == 9
    assert items["Your name"]["role"] == "textbox"
    assert items["Save draft"]["role"] == "button"
    await type_text(tab, items["City"]["handle"], "Rome")
    assert await read(tab, "c.value") == "Rome"
    assert len(msgspec.json.decode(await outline(tab, 2))["items"]) == 2
