"""The page for everybody: no finding of axe that matters, in light and dark, at a desk and on a phone."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.window import DESK, PHONE, Window

_RUN = """axe.run(document, {resultTypes: ['violations'], ...%s}).then((found) => found.violations
  .filter((each) => ['serious', 'critical'].includes(each.impact))
  .map((each) => [each.id, each.nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary.slice(0, 200))]))"""
_NAMED = (
    "(() => { const { title } = ouro.page.views.find((each) => each.id === ouro.store.route.view);"
    "return [...document.querySelectorAll('.where, .bottom [aria-current]')].some((each) => each.innerText.includes(title))"
    " && document.querySelectorAll('.bottom [aria-current]').length === 1; })()"
)
_DRAWN = "document.querySelector('.middle .loading') === null"
_STICKS_OUT = """[...document.querySelectorAll('.middle *')].filter((each) => each.checkVisibility()
  && each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.tabs, .scroll, pre, .hunk-lines'))
  .slice(0, 3).map((each) => each.outerHTML.slice(0, 120))"""
_NARROW = "[...document.querySelectorAll('input.field')].filter((each) => each.checkVisibility() && each.offsetWidth < 100).map((each) => each.placeholder)"
_SQUEEZED = "[...document.querySelectorAll('.menu-list .hush')].filter((each) => each.offsetHeight > 60).map((each) => each.innerText)"
_TAB_IS_SEEN = """(() => { const box = document.querySelector('.settings [role=tab][aria-selected=true]').getBoundingClientRect();
  return box.left >= 0 && box.right <= innerWidth; })()"""
_PAINTED = """new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime !== Infinity).map((each) => each.finished)))
  .then(() => 0)"""
_ALL, _COLOURS = "{}", "{runOnly: ['color-contrast']}"


def _axe() -> str:
    """The rules, as the development package brings them."""
    found = importlib.util.find_spec("axe_playwright_python")
    assert found is not None
    assert found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


async def findings(window: Window, name: str) -> list[Any]:
    """Serious and critical ones, each with the elements that it is about; in the dark only colours differ."""
    found: list[Any] = []
    for scheme, rules in (("dark", _COLOURS), ("light", _ALL)):
        await window.colours(scheme)
        await window.run(_PAINTED)  # what was just drawn has its colours
        found += [[name, scheme, *each] for each in await window.run(_RUN % rules)]
    return found


async def fits(window: Window) -> None:
    """The conversation has the room that is left, and nothing sticks out."""
    wide = "[document.documentElement, document.querySelector('.home, .chat')]"
    await window.until(
        "document.querySelector('.middle').clientWidth > innerWidth * 0.6"
        f" && {wide}.every((each) => each.scrollWidth <= innerWidth)"
    )


@pytest.mark.proves("V20")
@pytest.mark.deep
async def test_axe_sees_what_is_wrong(page: Shown) -> None:
    async with page() as window:
        await window.tab.call("Runtime.evaluate", {"expression": _axe()})
        await window.run(
            "(() => { const make = (name, words = '') => { const one = document.createElement(name);"
            "one.textContent = words; document.querySelector('.home').append(one); return one; };"
            "make('img').src = 'mark.svg'; make('button'); const pale = make('p', 'pale');"
            "pale.style.color = '#999'; pale.style.background = '#aaa'; })()"
        )
        found = {each[2] for each in await findings(window, "wrong")}
        assert {"image-alt", "button-name", "color-contrast"} <= found


@pytest.mark.proves("V20")
@pytest.mark.deep
async def test_axe_finds_nothing_serious_in_light_and_dark(page: Shown) -> None:
    text = "# So\n\n**It** is [there](https://a.example/x): `x`\n\n```py\nx = 1  # one\n```\n\n| a |\n|---|\n| 1 |"
    plan = call("update_plan", plan=[{"step": "Look", "status": "in_progress"}])
    turns = [
        Turn(reasoning="Well", text=text, tool_calls=(plan, call("exec_command", cmd="false"))),
        Turn(tool_calls=(call("write", path="a.txt", content="a\n"),)),
        Turn(text=text),
    ]
    async with page(turns, mode="ask") as window:
        await window.tab.call("Runtime.evaluate", {"expression": _axe()})
        found = await findings(window, "home")
        await window.size(PHONE)
        await fits(window)
        await window.size(DESK)
        await window.session()
        await window.say("Look at it")
        await window.until("document.querySelector('.ask .diff') !== null")
        found += await findings(window, "asked")
        await fits(window)
        await window.size(PHONE)
        await fits(window)
        found += await findings(window, "asked on a phone")
        await window.answer()
        await window.until("document.querySelector('.ending') !== null")
        await window.size(DESK)
        found += await findings(window, "chat")
        await window.press("Alt+2")
        await window.until("document.querySelectorAll('.event').length > 5")
        await window.click(".event")
        await window.run("ouro.page.sheet('palette')")
        await window.until("document.querySelector('[role=dialog]') !== null")
        found += await findings(window, "timeline and palette")
        assert found == []


@pytest.mark.proves("interfaces-reach", "interfaces-reach-phone")
@pytest.mark.deep
async def test_every_view_and_sheet_is_for_everybody_and_fits_a_phone(page: Shown) -> None:
    turns = [Turn(tool_calls=(call("write", path="a.txt", content="a\n"),)), Turn(text="Written")]
    async with page(turns, place=PHONE, mode="full-auto") as window:
        await window.tab.call("Runtime.evaluate", {"expression": _axe()})
        await window.session()
        await window.say("Write it")
        await window.until("document.querySelector('.ending') !== null")
        found: list[Any] = []
        for sheet in ("palette", "help", "model", "mode"):
            await window.run(f"ouro.page.sheet('{sheet}')")
            await window.until("document.querySelector('[role=dialog]') !== null")
            found += await findings(window, sheet)
            # A hint beside a long name goes below it, and is not squeezed to a letter a line.
            assert await window.run(_SQUEEZED) == [], sheet
            await window.press("Escape")
            await window.until("document.querySelector('[role=dialog]') === null")
        for view in ("timeline", "files", "review", "tree", "rewind", "artifacts", "meter"):
            await window.run(f"ouro.page.show('{view}')")
            await window.until(f"{_NAMED} && {_DRAWN}")
            found += await findings(window, view)
            assert await window.run(_STICKS_OUT) == [], view
        await window.run("ouro.page.show('sessions')")
        await window.until(f"document.querySelector('.session-row') !== null && {_DRAWN}")
        found += await findings(window, "sessions")
        await window.run("ouro.page.show('settings')")
        await window.until("document.querySelectorAll('.settings [role=tab]').length === 5")
        for at in range(5):
            await window.run(f"document.querySelectorAll('.settings [role=tab]')[{at}].click()")
            await window.until(
                f"document.querySelectorAll('.settings [role=tab]')[{at}].ariaSelected === 'true'"
                f" && {_DRAWN}"
            )
            found += await findings(window, f"settings {at}")
            assert await window.run(_STICKS_OUT) == [], at
            assert await window.run(_NARROW) == [], at
            assert await window.run(_TAB_IS_SEEN), at
        assert found == []
