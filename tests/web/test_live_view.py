"""The browser inside the page: what a person does to a picture in one Chromium happens in another."""

import contextlib
import itertools
import json
import os
import signal
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import axe_playwright_python
import pytest

from ouroboros.llm.turns import Turn
from tests.browser.chromium import Chromium
from tests.browser.site import Site, serving
from tests.browser.test_session import running_on
from tests.web.serving import Served, web
from tests.web.window import PHONE, Window, window

FORM = """<!doctype html><meta charset=utf-8><title>Form</title>
<style>body{margin:0} button{position:absolute;left:0;top:0;width:300px;height:150px}
input{position:absolute;left:0;top:200px;width:600px;height:60px}</style>
<button onclick="fetch('/pressed')">Press</button>
<input id=field oninput="fetch('/typed?' + new URLSearchParams({v: field.value}))">"""
ON_PICTURE = "document.querySelector('.stage canvas')"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as made:
        made.put("form", FORM)
        made.put("pressed", "")
        made.put("typed", "")
        yield made


@asynccontextmanager
async def viewed(
    chromium: Chromium, tmp_path: Path, turns: tuple[Turn, ...] = ()
) -> AsyncGenerator[tuple[Served, Window, str]]:
    async with web(tmp_path, turns) as served, window(chromium, served) as person:
        await person.enter()
        session = await person.session(browser=True, mind="rlm")
        await person.run("ouro.page.show('browser')")
        await person.until("document.querySelector('.live-bar input') !== null")
        yield served, person, session


async def opens(person: Window, url: str, title: str) -> None:
    """Types an address into the bar, and Enter; waits until its tab is in view and takes keys."""
    await person.run("document.querySelector('.live-bar input').focus()")
    await person.type(url)
    await person.press("Enter")
    await person.until(chosen(title))
    await person.until(f"{ON_PICTURE}?.dataset.number > 0")
    await person.until("document.activeElement?.matches('.stage-keys') === true")


async def presses(person: Window, x: float, y: float) -> None:
    """Presses the picture at a place of the page behind it, in the page's pixels."""
    code = (
        f"(() => {{ const box = {ON_PICTURE}.getBoundingClientRect();"
        f"return [box.left + {x} / 1280 * box.width, box.top + {y} / 1280 * box.width]; }})()"
    )
    spot = await person.run(code)
    at = {"x": spot[0], "y": spot[1], "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        await person.tab.call("Input.dispatchMouseEvent", {"type": kind, **at})


async def asked(site: Site, path: str, **query: str) -> None:
    """Waits until the page behind the picture has asked for this."""
    with anyio.fail_after(60):
        for pause in itertools.repeat(0.02):
            if any(
                each.path == path and (not query or each.query == query) for each in site.requests
            ):
                return
            await anyio.sleep(pause)


@pytest.mark.deep
@pytest.mark.proves("interfaces-hands-in-a-tab", "interfaces-who-drives", "V20")
async def test_a_click_and_typing_in_the_picture_land_in_the_page_behind_it(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    async with viewed(chromium, tmp_path) as (served, person, session):
        await person.shows("The browser has not been started")
        await person.run(_axe())
        assert await serious(person) == []
        await opens(person, site.url("form").removeprefix("http://"), "Form")
        await presses(person, 150, 75)
        await asked(site, "/pressed")
        await person.until(
            "document.querySelector('.browser-foot').innerText.includes('You drive')"
        )
        await presses(person, 100, 230)
        for letter in "Hi":
            await person.press(letter)
        await person.type(" Grüße 日本")
        await asked(site, "/typed", v="Hi Grüße 日本")
        log = await served.log(session)
        kept = json.dumps(log)
        assert "Grüße" not in kept
        assert "Gr\\u00fc" not in kept
        driven = [each["data"]["driver"] for each in log if each["type"] == "tab.driver"]
        assert driven == ["person"]
        await hands_back_and_takes_over(person)
        await person.session()
        await person.run("ouro.page.show('browser')")
        await person.shows("This session has no browser")


async def hands_back_and_takes_over(person: Window) -> None:
    """By a key each."""
    await person.until("document.querySelector('.stage.is-person') !== null")
    await person.press("F10")
    await person.until("document.querySelector('.stage.is-nobody') !== null")
    await person.press("F9")
    await person.until("document.querySelector('.stage.is-person') !== null")
    # The page is loaded again, and what its person held is still theirs.
    await person.tab.reload()
    await person.until("document.querySelector('.stage.is-person canvas')?.width > 300")


def chosen(title: str) -> str:
    """Whether the tab in view has this title and has loaded."""
    strip = "document.querySelector('.live-strip .tab[aria-selected=true]')"
    return f"{strip}?.innerText.trim() === {json.dumps(title)}"


@pytest.mark.proves("C21")
@pytest.mark.deep
async def test_the_bar_goes_back_forward_and_loads_again_and_tabs_open_and_close(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    site.put("other", "<title>Other</title><body style='background:#00f'>")
    async with viewed(chromium, tmp_path) as (_, person, _session):
        await opens(person, site.url("form"), "Form")
        await opens(person, site.url("other"), "Other")
        await person.click(".live-bar button[title=Back]")
        await person.until(chosen("Form"))
        await person.click(".live-bar button[title=Forward]")
        await person.until(chosen("Other"))
        site.requests.clear()
        await person.click(".live-bar button[title=Reload]")
        await asked(site, "/other")
        await person.click(".live-strip button[title='New tab']")
        await person.until("document.querySelector('.live-bar input').value === ''")
        await opens(person, site.url("form"), "Form")
        drawn = (
            "[...document.querySelectorAll('.thumb canvas')].filter((each) => each.dataset.number)"
        )
        await person.until(f"{drawn}.length >= 3")
        await person.click(".thumb", "Other")
        await person.until(chosen("Other"))
        await person.click(".live-strip button[title='Close this tab']")
        await person.until("document.querySelectorAll('.thumb').length === 2")


@pytest.mark.proves("C21")
@pytest.mark.deep
async def test_the_page_has_the_keys_at_once_and_the_bar_again_when_an_address_is_refused(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    released = threading.Event()
    site.put("slow", lambda _: "<title>Slow</title>" if released.wait(60) else "")
    bar = "document.querySelector('.live-bar input')"
    async with viewed(chromium, tmp_path) as (_, person, _session):
        await opens(person, site.url("form"), "Form")
        await person.press("F6")
        await person.until(f"document.activeElement === {bar}")
        await person.type(site.url("slow"))
        await person.press("Enter")
        await asked(site, "/slow")
        # The answer is still to come: whoever types another address meanwhile keeps it.
        await person.until("document.activeElement.matches('.stage-keys')")
        await person.press("F6")
        await person.until(f"document.activeElement === {bar}")
        await person.type("ftp://nowhere")
        released.set()
        await person.until(chosen("Slow"))
        assert await person.run(f"{bar}.value") == "ftp://nowhere"
        await person.press("Enter")
        await person.until("document.querySelector('.toast.is-error') !== null")
        await person.until(f"document.activeElement === {bar}")
        assert await person.run(f"{bar}.value") == "ftp://nowhere"


@pytest.mark.proves("interfaces-hands-in-a-tab")
@pytest.mark.deep
async def test_a_phone_taps_types_copies_and_pastes(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    async with web(tmp_path) as served, window(chromium, served, PHONE) as person:
        await person.tab.call("Emulation.setTouchEmulationEnabled", {"enabled": True})
        await person.enter()
        await person.session(browser=True)
        await person.run("ouro.page.show('browser')")
        await person.until("document.querySelector('.live-bar input') !== null")
        await opens(person, site.url("form"), "Form")
        await taps(person, 150, 75)
        await asked(site, "/pressed")
        await person.press("F10")
        await person.until("document.querySelector('.stage.is-nobody') !== null")
        await taps(person, 150, 230)
        await person.click(".browser-foot button", "Keyboard")
        await person.type("Hallo ü")
        await asked(site, "/typed", v="Hallo ü")
        await person.run(
            "navigator.clipboard.write = undefined; globalThis.copied = '';"
            "navigator.clipboard.writeText = async (text) => { globalThis.copied = text }"
        )
        await person.press("Control+a")
        await person.run(clipboard("copy", ""))
        await person.until("copied === 'Hallo ü'")
        await person.run(clipboard("paste", "Ende"))
        await asked(site, "/typed", v="Ende")


async def taps(person: Window, x: float, y: float) -> None:
    """A finger on the picture at a place of the page behind it."""
    box = await person.run(
        f"(() => {{ const box = {ON_PICTURE}.getBoundingClientRect();"
        "return [box.left, box.top, box.width]; })()"
    )
    point = {"x": box[0] + x / 1280 * box[2], "y": box[1] + y / 1280 * box[2]}
    for kind, points in (("touchStart", [point]), ("touchEnd", [])):
        await person.tab.call("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def clipboard(kind: str, text: str) -> str:
    """What the person's own browser tells the page at Ctrl-C and Ctrl-V."""
    return (
        "(() => { const carried = new DataTransfer();"
        f"carried.setData('text/plain', {json.dumps(text)});"
        "document.querySelector('.stage-keys').dispatchEvent("
        f"new ClipboardEvent({json.dumps(kind)}, {{bubbles: true, cancelable: true, clipboardData: carried}})) }})()"
    )


@pytest.mark.proves("interfaces-tabs-in-trouble")
@pytest.mark.deep
async def test_a_dialog_of_the_page_is_answered_over_its_picture(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    site.put(
        "ask",
        "<title>Ask</title><button style='position:absolute;left:0;top:0;width:300px;height:150px' onclick=\""
        "fetch('/typed?' + new URLSearchParams({v: prompt('<b>Name?</b>', 'x')}))\">ask</button>",
    )
    async with viewed(chromium, tmp_path) as (_, person, _session):
        await opens(person, site.url("ask"), "Ask")
        await presses(person, 100, 75)
        await person.shows("<b>Name?</b>")
        await person.until("document.querySelector('.stage-card input') !== null")
        await person.run("document.querySelector('.stage-card input').select()")
        await person.type("Ümit")
        await person.press("Enter")
        await asked(site, "/typed", v="Ümit")
        await person.until("document.querySelector('.stage-card') === null")


@pytest.mark.proves("C23")
async def test_a_program_speaks_to_the_tabs_over_the_websocket_and_hears_of_its_end(
    tmp_path: Path, site: Site
) -> None:
    async with web(tmp_path) as served:
        session = await served.open(browser=True)
        async with served.socket(f"/sessions/{session}/browser?viewer=program") as socket:
            assert (await socket.hear())["state"] == "off"
            await socket.raw.send(json.dumps({"kind": "tab:get-all", "id": "1"}))
            assert await socket.hear() == {"kind": "done", "id": "1", "tabs": [], "active": ""}
            await socket.raw.send(json.dumps({"kind": "tab:navigate", "id": "2", "url": "x.y"}))
            assert (await socket.until("refused"))["error"] == "no browser runs"
            await socket.raw.send(b"\xff\x00")
            assert "not understood" in (await socket.until("refused"))["error"]
            await served.client.delete(f"/api/v1/sessions/{session}")
            assert (await socket.until("closed"))["reason"] == "closed"
        async with served.socket("/sessions/ses_none/browser") as socket:
            assert (await socket.hear())["reason"] == "failed"


def writes(code: str) -> Turn:
    """A reply that runs code."""
    return Turn(text=f"```repl\n{code}\n```")


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_a_run_waits_for_the_person_and_is_told_that_they_drove(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    url = site.url("form")
    taken = threading.Event()
    site.put("held", lambda _: str(taken.wait(120)))
    held = json.dumps(site.url("held"))
    turns = (
        writes(f"const tab = await openTab({json.dumps(url)})"),
        writes(f"await openTab({held})\nawait click(tab, 'button')"),
        writes("setFinal('done')"),
    )
    async with viewed(chromium, tmp_path, turns) as (served, person, session):
        await served.send(session, "submit", text=f"Press the button of {url}")
        await asked(site, "/held")
        await person.until("document.querySelector('.stage.is-agent canvas')?.width > 300")
        await person.press("F9")
        await person.until("document.querySelector('.stage.is-person') !== null")
        taken.set()
        await person.shows("the agent waits")
        assert "/pressed" not in site.paths()
        await person.press("F10")
        await served.rests(session)
        assert "/pressed" not in site.paths()
        said = served.model.exchanges[-1].body
        assert "a person has driven" in said
        assert "handed it back" in said


async def serious(person: Window) -> list[str]:
    """What axe calls serious in the live view."""
    wish = '{resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}'
    return await person.run(
        f"axe.run({{include: [['.browser']]}}, {wish}).then((found) => found.violations"
        ".filter((each) => ['serious', 'critical'].includes(each.impact))"
        ".map((each) => each.id + ' ' + each.nodes.map((node) => node.html).join(' ')))"
    )


def _axe() -> str:
    return Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")


@pytest.mark.proves("V20")
@pytest.mark.deep
async def test_the_view_has_no_barrier_in_light_and_dark_driven_and_asked(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    site.put(
        "ask", "<title>Ask</title><script>setTimeout(() => prompt('Name?', 'x'), 300)</script>"
    )
    async with viewed(chromium, tmp_path) as (_, person, _session):
        await person.run(_axe())
        for scheme in ("light", "dark"):
            await person.colours(scheme)
            assert await serious(person) == []
        await opens(person, site.url("form"), "Form")
        for scheme in ("dark", "light"):
            await person.colours(scheme)
            assert await serious(person) == []
        # By keys alone: a page that was gone to has the focus, F6 goes to its address.
        await person.until("document.activeElement === document.querySelector('.stage-keys')")
        await person.press("F6")
        await person.until("document.activeElement === document.querySelector('.live-bar input')")
        await person.type(site.url("ask"))
        await person.press("Enter")
        await person.until("document.querySelector('.stage-card') !== null")
        assert await serious(person) == []


@pytest.mark.proves("interfaces-tabs-in-trouble")
@pytest.mark.deep
async def test_a_browser_that_is_killed_is_told_and_started_again_with_its_tabs(
    chromium: Chromium, tmp_path: Path, site: Site
) -> None:
    async with viewed(chromium, tmp_path) as (_, person, _session):
        await opens(person, site.url("form"), "Form")
        for process in await anyio.to_thread.run_sync(running_on, tmp_path / "home"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        await person.shows("The browser is gone")
        await person.click(".browser button", "Start it again")
        await person.until(f"{ON_PICTURE}?.dataset.number > 0")
        await person.until(
            "[...document.querySelectorAll('.live-strip .tab')].some((each) => each.innerText.includes('Form'))"
        )
        # Whoever drove, drives no more: the tabs are new ones.
        await person.until("document.querySelector('.stage.is-nobody') !== null")


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_a_hold_ends_with_the_server_and_the_session_goes_on(
    tmp_path: Path, site: Site
) -> None:
    async with web(tmp_path) as served:
        session = await served.open(browser=True)
        async with served.socket(f"/sessions/{session}/browser?viewer=one") as socket:
            wish = {"kind": "tab:open", "id": "1", "url": site.url("form")}
            await socket.raw.send(json.dumps(wish))
            tab = (await socket.until("done"))["tab"]
            await socket.raw.send(json.dumps({"kind": "tab:get-all", "id": "2"}))
            states = (await socket.until("done"))["tabs"]
            assert [each["driver"] for each in states if each["id"] == tab] == ["person"]
    async with web(tmp_path) as served:
        again = await served.open(resume=session, browser=True)
        async with served.socket(f"/sessions/{again}/browser?viewer=one") as socket:
            hello = await socket.hear()
            assert (hello["state"], hello["tabs"]) == ("off", [])
        told = [each["data"] for each in await served.log(again) if each["type"] == "tab.driver"]
        assert [(each["driver"], each["why"]) for each in told] == [
            ("person", "taken"),
            ("agent", "closed"),
        ]
