"""Keys by name, alone and together."""

import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.act import click, key_press, type_text
from ouroboros.browser.page.facts import focused_for
from ouroboros.browser.page.keys import key_of
from tests.browser.stage import Stage, read

LOG = """<!doctype html><input id=f value=abc><script>window.heard = [];
addEventListener("keydown", (e) => heard.push([e.key, e.code, e.ctrlKey, e.shiftKey, e.isTrusted]));
</script>"""


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_keys_arrive_as_a_keyboard_sends_them(stage: Stage) -> None:
    tab = await stage.show(LOG)
    await click(tab, "#f")
    for key in ("a", "A", "!", "Enter", "ArrowLeft", "Escape", "space", "é", "Control+B", "F5"):
        await key_press(tab, key)
    heard = await read(tab, "heard.filter((e) => !['Control', 'Shift'].includes(e[0]))")
    assert heard == [
        ["a", "KeyA", False, False, True],
        ["A", "KeyA", False, True, True],
        ["!", "Digit1", False, True, True],
        ["Enter", "Enter", False, False, True],
        ["ArrowLeft", "ArrowLeft", False, False, True],
        ["Escape", "Escape", False, False, True],
        [" ", "Space", False, False, True],
        ["é", "", False, False, True],
        ["B", "KeyB", True, True, True],
        ["F5", "F5", False, False, True],
    ]


async def test_editing_keys_edit(stage: Stage) -> None:
    tab = await stage.show(LOG)
    await click(tab, "#f")
    await key_press(tab, "a", ["Control"])
    await key_press(tab, "Backspace")
    assert await read(tab, "f.value") == ""
    await type_text(tab, "#f", "xyz")
    await key_press(tab, "Home")
    await key_press(tab, "Delete")
    assert (await key_press(tab, "End")).value == "yz"


@pytest.mark.deep
async def test_tab_moves_the_focus_and_says_where(stage: Stage) -> None:
    tab = await stage.show("<input id=a><input id=b>")
    await click(tab, "#a")
    assert (await key_press(tab, "Tab")).focus == "<input#b>"
    assert (await key_press(tab, "Shift+Tab")).focus == "<input#a>"


@pytest.mark.deep
async def test_enter_sends_a_form_and_is_known_to(stage: Stage) -> None:
    stage.site.put("sent", "<title>Sent</title>")
    tab = await stage.show(
        "<form action=/sent method=post><input id=q name=q><button>Pay now</button></form>"
    )
    await type_text(tab, "#q", "x")
    focused = await focused_for(tab, key_of("Enter"))
    assert focused is not None
    facts = focused.facts
    assert (facts.is_submit, facts.method) == (True, "post")
    acted = await key_press(tab, "Enter")
    assert acted.navigated
    assert stage.site.paths()[-1] == "/sent"


@pytest.mark.deep
async def test_an_unknown_key_is_refused(stage: Stage) -> None:
    tab = await stage.show(LOG)
    with pytest.raises(CannotAct, match="no key 'Entr'"):
        await key_press(tab, "Entr")
    with pytest.raises(CannotAct, match="no modifier 'Super'"):
        await key_press(tab, "Super+a")
    assert await read(tab, "heard") == []
