"""The live view of a tab in real Chromium: what is seen, and what a person's hands do."""

import base64
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup

from ouroboros.browser.capture.casting import Cast, Frame, Looker, Size
from ouroboros.browser.capture.screenshots import Screenshots
from ouroboros.browser.channel.socket import socket
from ouroboros.browser.connection import Channel
from ouroboros.browser.live.viewer import AHEAD, TooSlow
from ouroboros.browser.tab import Tab
from ouroboros.browser.tabs import opened
from ouroboros.browser.transfer.artifacts import Artifacts
from tests.browser.chromium import Chromium
from tests.browser.looking import SECONDS, Gallery, Person, Picture, gallery
from tests.browser.site import Site
from tests.browser.stage import Stage, read

FORM = """<!doctype html><title>Form</title><style>body{margin:0}input,textarea,button{position:absolute}
</style><button id=go style="left:0;top:0;width:200px;height:100px" onclick="this.textContent = ++n">0
</button><input id=field style="left:0;top:120px;width:400px;height:30px">
<textarea id=area style="left:0;top:160px;width:400px;height:60px"></textarea>
<div style="height:5000px"></div><script>
  let n = 0; const seen = []
  for (const kind of ['click', 'dblclick', 'contextmenu', 'wheel', 'touchstart', 'paste', 'keydown'])
    addEventListener(kind, event => seen.push(event.isTrusted ? kind : kind + '?'))
</script>"""


@pytest.fixture
async def views(stage: Stage, work: Path) -> AsyncIterator[Gallery]:
    async with gallery(stage, work) as made:
        yield made


async def settled(tab: Tab, code: str, wanted: object) -> None:
    """Waits until ``code`` comes to what is wanted: nobody waits for what hands do."""
    found: object = None
    with anyio.move_on_after(SECONDS):
        for pause in itertools.repeat(0.01):
            found = await read(tab, code)
            if found == wanted:
                break
            await anyio.sleep(pause)
    assert found == wanted


def place(x: float, y: float, person: Person) -> dict[str, float]:
    shape = person.pictures[-1]
    return {"x": x / shape.width, "y": y / shape.height}


def click(person: Person, tab: str, x: float, y: float, *, button: str = "left") -> None:
    at = place(x, y, person)
    person.wish("mouse", tab=tab, what="move", **at)
    person.wish("mouse", tab=tab, what="down", button=button, buttons=1, count=1, **at)
    person.wish("mouse", tab=tab, what="up", button=button, count=1, **at)


@pytest.mark.deep
@pytest.mark.proves("interfaces-hands-in-a-tab")
async def test_pictures_of_a_tab_arrive_and_a_click_in_one_lands(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        first = person.pictures[0]
        assert first.data[:3] == b"\xff\xd8\xff"
        assert (first.tab, first.width) == (tab.id, 1280)
        click(person, tab.id, 100, 50)
        await settled(tab, "go.textContent", "1")
        await person.until(lambda: len(person.pictures) > 1)
        assert await read(tab, "seen.includes('click') && !seen.join().includes('?')")
    assert not views.casts.of(tab).is_running


def press(person: Person, tab: str, key: str, *, code: str = "", modifiers: int = 0) -> None:
    is_text = len(key) == 1 and not modifiers & 6
    number = ord(key.upper()) if len(key) == 1 and key.isascii() else {"Delete": 46}.get(key, 0)
    about = {"key": key, "code": code, "number": number, "modifiers": modifiers}
    person.wish("key", tab=tab, what="down", text=key if is_text else "", **about)
    person.wish("key", tab=tab, what="up", **about)


async def colour(stage: Stage, picture: Picture) -> list[int]:
    """Red, green and blue in the middle of a picture, as another page reads it."""
    tab = await stage.open()
    data = base64.b64encode(picture.data).decode()
    code = (
        f"await createImageBitmap(new Blob([Uint8Array.from(atob('{data}'), c => c.charCodeAt(0))]))"
        ".then(image => { const canvas = new OffscreenCanvas(1, 1).getContext('2d')\n"
        "canvas.drawImage(image, -image.width / 2, -image.height / 2)\n"
        "return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3) })"
    )
    found: list[int] = await read(tab, code)
    await stage.tabs.close(tab.id)
    return found


async def shows(stage: Stage, person: Person, wanted: tuple[int, int, int]) -> None:
    """Waits until the newest picture has about this colour."""
    found: list[int] = []
    with anyio.move_on_after(SECONDS):
        for pause in itertools.repeat(0.05):
            found = await colour(stage, person.pictures[-1])
            if all(abs(one - other) < 40 for one, other in zip(found, wanted, strict=True)):
                return
            await anyio.sleep(pause)
    raise AssertionError(found)


@pytest.mark.proves("interfaces-hands-in-a-tab")
async def test_typing_arrives_intact_by_keys_by_an_input_method_and_by_pasting(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 100, 135)
        for letter in "Hi ":
            press(person, tab.id, letter)
        person.wish("compose", tab=tab.id, text="に")
        person.wish("compose", tab=tab.id, text="にほ")
        person.wish("insert", tab=tab.id, text="日本")
        person.wish("insert", tab=tab.id, text=" Grüße \U0001f600")
        assert (await person.ask("paste", tab=tab.id, text=" Ende"))["kind"] == "done"
        press(person, tab.id, "!")
        await settled(tab, "field.value", "Hi 日本 Grüße \U0001f600 Ende!")
        press(person, tab.id, "a", modifiers=2)
        press(person, tab.id, "Delete")
        await settled(tab, "field.value", "")
        assert await read(tab, "seen.includes('keydown') && seen.includes('paste?')")


@pytest.mark.proves("interfaces-hands-in-a-tab")
@pytest.mark.deep
async def test_what_is_selected_comes_to_the_person_and_a_password_does_not(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 100, 190)
        await person.ask("paste", tab=tab.id, text="one\ntwo ü")
        press(person, tab.id, "a", modifiers=2)
        assert (await person.ask("copy", tab=tab.id))["text"] == "one\ntwo ü"
        assert (await person.ask("copy", tab=tab.id, cut=True))["text"] == "one\ntwo ü"
        await settled(tab, "area.value", "")
        await read(tab, "field.type = 'password', field.value = 'geheim', field.select()")
        assert (await person.ask("copy", tab=tab.id))["text"] == ""
        await read(tab, "field.type = 'text'")
        await read(
            tab,
            "document.oncopy = e => { e.clipboardData.setData('text/plain', 'own'); e.preventDefault() }",
        )
        assert (await person.ask("copy", tab=tab.id))["text"] == "own"


@pytest.mark.proves("interfaces-hands-in-a-tab")
@pytest.mark.deep
async def test_a_page_that_pastes_by_itself_gets_the_text_once(
    stage: Stage, views: Gallery
) -> None:
    code = """<input id=a maxlength=1 autofocus><input id=b maxlength=1><script>
    a.onpaste = e => { const t = e.clipboardData.getData('text'); a.value = t[0]; b.value = t[1]
      e.preventDefault() }</script>"""
    tab = await stage.show(code)
    async with views.person() as person:
        await person.look(tab.id)
        await read(tab, "a.focus()")
        await person.ask("paste", tab=tab.id, text="47")
        assert await read(tab, "a.value + b.value") == "47"


@pytest.mark.proves("interfaces-hands-in-a-tab")
@pytest.mark.deep
async def test_a_wheel_and_a_finger_scroll_and_a_tap_clicks(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        person.wish("wheel", tab=tab.id, dy=300, **place(600, 300, person))
        await anyio.sleep(0.1)
        assert await read(tab, "scrollY") == 0  # the agent drives: a wheel is no reason to stop it
        await person.ask("take", tab=tab.id)
        person.wish("wheel", tab=tab.id, dy=300, **place(600, 300, person))
        await settled(tab, "+(scrollY > 250)", 1)
        await read(tab, "scrollTo(0, 0)")
        finger = {"id": 0, **place(100, 50, person)}
        person.wish("touch", tab=tab.id, what="start", points=[finger])
        person.wish("touch", tab=tab.id, what="end")
        await settled(tab, "go.textContent", "1")
        for step in range(20):
            point = {"id": 0, **place(600, 500 - step * 20, person)}
            what = "move" if step else "start"
            person.wish("touch", tab=tab.id, what=what, points=[point])
            await anyio.sleep(0.01)
        person.wish("touch", tab=tab.id, what="end")
        await settled(tab, "+(scrollY > 200)", 1)


@pytest.mark.proves("interfaces-pictures-of-a-tab")
async def test_one_cast_serves_viewers_of_several_sizes(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM)
    cast = views.casts.of(tab)
    async with views.person("small") as small:
        await small.look(tab.id, width=320, height=200)
        little = len(small.pictures[-1].data)
        async with views.person("large") as large:
            await large.look(tab.id, width=1280, height=720)
            assert len(large.pictures[-1].data) > little
            click(large, tab.id, 100, 50)
            await large.until(lambda: len(large.pictures) > 1)
            await small.until(lambda: small.pictures[-1].number >= large.pictures[0].number)
        before = len(small.pictures)
        await small.ask("take", tab=tab.id)
        click(small, tab.id, 100, 50)
        await small.until(lambda: len(small.pictures) > before)
        await small.until(lambda: len(small.pictures[-1].data) < little * 2)
        assert cast.is_running
    assert not cast.is_running


class Late:
    """A channel to a browser that hears late which pictures have arrived, as over a long way or under load."""

    def __init__(self, channel: Channel, tasks: TaskGroup, seconds: float) -> None:
        self._channel, self._tasks, self._seconds = channel, tasks, seconds
        self.receive = channel.receive

    async def send(self, message: bytes) -> None:
        if b"screencastFrameAck" in message:
            self._tasks.start_soon(self._later, message)
        else:
            await self._channel.send(message)

    async def _later(self, message: bytes) -> None:
        await anyio.sleep(self._seconds)
        with contextlib.suppress(ConnectionError):
            await self._channel.send(message)


@pytest.mark.proves("interfaces-last-picture")
@pytest.mark.deep
async def test_the_last_picture_comes_though_the_browser_hears_late_what_has_arrived(
    chromium: Chromium, site: Site
) -> None:
    async with (
        socket(chromium.url) as channel,
        anyio.create_task_group() as tasks,
        opened(Late(channel, tasks, 0.2), own_context=True) as tabs,
    ):
        stage = Stage(chromium, site, tabs.connection, tabs)
        tab = await stage.show(
            "<body style='margin:0;background:#f00'><script>let n = 0\n"
            "const step = () => { document.body.style.background = `rgb(0,0,${n++ * 2})`\n"
            "if (n < 90) requestAnimationFrame(step); else document.body.style.background = '#0f0' }\n"
            "</script>"
        )
        cast, frames = Cast(tab), deque[Frame](maxlen=1)
        async with anyio.create_task_group() as looking:

            def take(frame: Frame) -> None:
                frames.append(frame)
                if cast.want():
                    looking.start_soon(cast.freshen)

            await cast.join(Looker(Size(width=640, height=400), take))
            for count in (12, 5, 11):
                await read(tab, f"n = {90 - count}, step()")
                await is_last(stage, frames, (0, 255, 0))
                await read(tab, "document.body.style.background = '#f00'")
                await is_last(stage, frames, (255, 0, 0))
            looking.cancel_scope.cancel()


async def is_last(stage: Stage, frames: deque[Frame], wanted: tuple[int, int, int]) -> None:
    """Waits until the last frame has about this colour."""
    found: list[int] = []
    with anyio.move_on_after(SECONDS):
        for pause in itertools.repeat(0.02):
            if frames:
                last = Picture(tab="", number=0, width=0, height=0, data=frames[-1].data)
                found = await colour(stage, last)
            if found and all(abs(n - m) < 40 for n, m in zip(found, wanted, strict=True)):
                return
            await anyio.sleep(pause)
    raise AssertionError(found)


@pytest.mark.proves("interfaces-last-picture")
async def test_one_who_lets_pictures_wait_is_sent_no_more_of_them(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(
        "<body style='margin:0;background:#f00'><script>let n = 0\n"
        "const step = () => { document.body.style.background = `rgb(0,0,${n++ * 2 % 256})`\n"
        "requestAnimationFrame(step) }\n</script>"
    )
    async with views.person("slow") as slow, views.person("quick") as quick:
        slow.acknowledges = False
        await slow.look(tab.id)
        await quick.look(tab.id)
        await read(tab, "step()")
        await quick.until(lambda: len(quick.pictures) > 8)
        assert len(slow.pictures) == AHEAD
        slow.wish("seen", count=AHEAD)
        await slow.until(lambda: len(slow.pictures) > AHEAD)
        assert slow.pictures[-1].number > quick.pictures[4].number


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_a_viewer_that_is_slow_is_sent_little_and_then_the_newest(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(
        "<body style='margin:0;background:#f00'><script>let n = 0, over = false\n"
        "const step = () => { document.body.style.background = `rgb(0,0,${n++ * 2 % 256})`\n"
        "if (!over) requestAnimationFrame(step)\n"
        "else { n = 'over'; document.body.style.background = '#0f0' } }\n</script>"
    )
    async with views.person("slow") as slow, views.person("quick") as quick:
        slow.acknowledges = False
        await slow.look(tab.id)
        await quick.look(tab.id)
        await read(tab, "step()")
        await quick.until(lambda: len(quick.pictures) > 20)
        assert len(slow.pictures) == AHEAD
        await read(tab, "over = true")
        await settled(tab, "n", "over")
        slow.wish("seen", count=AHEAD)
        slow.acknowledges = True
        for person in (slow, quick):
            await shows(stage, person, (0, 255, 0))


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_what_was_drawn_last_is_shown_however_seldom_one_looks(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(
        "<body style='margin:0;background:#f00'><script>let n = 0\n"
        "const step = () => { document.body.style.background = `rgb(0,0,${n++ * 2})`\n"
        "if (n < 30) requestAnimationFrame(step); else document.body.style.background = '#0f0' }\n"
        "</script>"
    )
    async with views.person() as person:
        await person.look(tab.id, rate=3)
        await read(tab, "step()")
        await shows(stage, person, (0, 255, 0))
        # Nothing moves any more, and then nothing is sent.
        with anyio.fail_after(SECONDS):
            seen: tuple[int, int] | None = None
            while seen != (now := (len(person.pictures), views.casts.of(tab).frames)):
                seen = now
                await anyio.sleep(0.8)
        assert not stage.connection.events(tab.session, "Page.screencastFrame")


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_a_tab_behind_others_is_shown_and_stays_there(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM)
    front = await stage.open()
    await stage.tabs.activate(front.id, front=True)
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 100, 50)
        await settled(tab, "go.textContent", "1")
        assert stage.tabs.active == front.id


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_a_page_of_another_process_is_shown_in_the_same_view(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    stage.site.put("other", "<body style='background:#00f;margin:0'>")
    async with views.person() as person:
        await person.look(tab.id)
        before = len(person.pictures)
        await person.ask("tab:navigate", tab=tab.id, url=stage.site.url("other", 1))
        await person.until(lambda: len(person.pictures) > before)
        await shows(stage, person, (0, 0, 255))


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_a_tab_that_is_looked_at_while_it_goes_to_its_first_page_is_shown(
    stage: Stage, views: Gallery
) -> None:
    stage.site.put("first", FORM)
    async with views.person() as person:
        for step in range(10):
            await opened_and_seen(stage, person, 0.008 * step)


async def opened_and_seen(stage: Stage, person: Person, seconds: float) -> None:
    """For a moment of its first way the browser has no page of the tab, and nothing to show."""
    known = {facts.id for facts in stage.tabs.all()}
    person.wish("tab:open", url=stage.site.url("first"))
    await person.until(lambda: {facts.id for facts in stage.tabs.all()} != known)
    (tab,) = {facts.id for facts in stage.tabs.all()} - known
    await anyio.sleep(seconds)
    await person.look(tab)
    await person.until(lambda: person.state(tab).get("title") == "Form")
    await person.ask("tab:close", tab=tab)


@pytest.mark.proves("interfaces-tabs-in-trouble")
@pytest.mark.deep
async def test_a_crash_is_shown_and_a_reload_brings_pictures_back(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        stage.connection.post("Page.crash", session=tab.session)
        await person.until(lambda: person.state(tab.id)["status"] == "crashed")
        await person.ask("take", tab=tab.id)
        person.wish("key", tab=tab.id, what="down", key="a")
        refused = await person.hear(lambda said: said["kind"] == "refused")
        assert "process died" in refused["error"]
        before = len(person.pictures)
        assert (await person.ask("tab:reload", tab=tab.id))["kind"] == "done"
        await person.until(lambda: len(person.pictures) > before)


@pytest.mark.proves("interfaces-tabs-in-trouble")
async def test_a_tab_that_closes_is_told_and_its_hold_ends(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        await person.ask("take", tab=tab.id)
        assert (await person.ask("tab:close", tab=tab.id))["kind"] == "done"
        await person.hear(lambda said: said == {"kind": "tab:closed", "tab": tab.id})
        assert not views.drivers.held()
        assert (await person.ask("take", tab=tab.id))["kind"] == "refused"


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_a_screenshot_leaves_the_pictures_running_and_none_behind(
    stage: Stage, views: Gallery, tmp_path: Path
) -> None:
    tab = await stage.show(FORM)
    shots = Screenshots(Artifacts(tmp_path / "kept", views.events.append), views.casts)
    await shots.take(tab)
    assert not views.casts.of(tab).is_running
    async with views.person() as person:
        await person.look(tab.id)
        await shots.take(tab)
        before = len(person.pictures)
        click(person, tab.id, 100, 50)
        await person.until(lambda: len(person.pictures) > before)


@pytest.mark.proves("interfaces-pictures-of-a-tab")
@pytest.mark.deep
async def test_of_a_persons_own_browser_only_the_tab_they_look_at_is_drawn(
    stage: Stage, work: Path
) -> None:
    one, two = await stage.show(FORM), await stage.show(FORM, path="two")
    async with gallery(stage, work, is_theirs=True) as views, views.person() as person:
        each: list[dict[str, Any]] = [{"tab": tab.id, "width": 320} for tab in (two, one)]
        person.wish("watch", views=each)
        await person.until(lambda: bool(person.pictures))
        assert not views.casts.of(one).is_running
        assert {picture.tab for picture in person.pictures} == {two.id}


@pytest.mark.deep
@pytest.mark.proves("interfaces-tabs-in-trouble")
async def test_nonsense_is_refused_and_a_window_that_never_reads_is_cut_off(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    nonsense = (
        "",
        "[]",
        '{"kind":"rm -rf"}',
        '{"kind":"mouse","tab":"tab_0","what":"down","x":7,"y":0}',
        '{"kind":"mouse","tab":"tab_0","what":"down","x":NaN,"y":0}',
        '{"kind":"watch","views":[{"tab":"a","width":99999999}]}',
        '{"kind":"key","tab":"tab_0","what":"down","key":"' + "x" * 50 + '"}',
        '{"kind":"paste","tab":"tab_0","text":"' + "x" * 2_000_001 + '"}',
        "[" * 100_000,
        '{"kind":"insert","tab":"tab_99","text":"x"}',
        '{"kind":"tab:navigate","tab":"' + tab.id + '","url":"file:///etc/passwd"}',
        '{"kind":"files","tab":"' + tab.id + '","paths":["/etc/passwd"]}',
    )
    async with views.person() as person:
        for said in nonsense:
            person.window.hear(said)
        person.wish("watch", views=[{"tab": tab.id}, {"tab": "tab_99"}])
        await person.until(lambda: bool(person.pictures))
        await person.until(
            lambda: sum(said["kind"] == "refused" for said in person.told) == len(nonsense)
        )
        assert await read(tab, "location.pathname") == "/page"
    async with views.live.viewer("silent") as window:
        for _ in range(2_000):
            window.hear("?")
        with pytest.raises(TooSlow):
            await window.next()
