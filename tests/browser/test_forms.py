"""Fields of every kind take their value by trusted events; controlled inputs believe it."""

import anyio
import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.act import (
    FieldValue,
    check,
    clear,
    fill,
    fill_one,
    focus,
    select,
    type_text,
    uncheck,
)
from ouroboros.browser.tabs import Tab
from tests.browser.stage import Stage, read
from tests.cases import every

LOG = """<!doctype html><script>window.heard = [];
for (const name of ["keydown", "input", "change"])
  addEventListener(name, (e) => heard.push([name, e.isTrusted, e.target.value]), true);
</script>"""
CONTROLLED = """<!doctype html><input id=c><p id=shown></p><script>
// As React does: the property is shadowed, and a value that it was told of is no news.
const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
let tracked = "", state = "";
Object.defineProperty(c, "value", {
  configurable: true,
  get() { return own.get.call(this); },
  set(v) { tracked = String(v); own.set.call(this, v); },
});
c.addEventListener("input", (e) => {
  const now = own.get.call(c);
  if (!e.isTrusted || now === tracked) return;
  tracked = state = now;
  shown.textContent = state;
});
setInterval(() => { if (own.get.call(c) !== state) own.set.call(c, state) }, 5);
</script>"""


async def _in_place(stage: Stage, tab: Tab, field: str) -> None:
    if not tab.url.startswith("http"):
        await stage.show(LOG, tab=tab)
    await read(tab, f"heard.length = 0; document.body.innerHTML = {field!r}")


async def trusted(tab: Tab, name: str) -> list[object]:
    return [entry[2] for entry in await read(tab, "heard") if entry[0] == name and entry[1]]


@pytest.mark.deep
@pytest.mark.proves("C06")
async def test_what_is_typed_is_pressed_key_by_key(stage: Stage) -> None:
    tab = await stage.show(LOG)
    await _in_place(stage, tab, "<input id=i>")
    await type_text(tab, "#i", "a 1?")
    assert await trusted(tab, "keydown") == ["", "a", "a ", "a 1"]
    assert await read(tab, "i.value") == "a 1?"


@pytest.mark.deep
@pytest.mark.proves("C06")
async def test_a_controlled_input_takes_what_is_filled_and_typed(stage: Stage) -> None:
    tab = await stage.show(CONTROLLED)
    (acted,) = await fill(tab, {"#c": "hello"})
    assert (acted.value, acted.trusted, acted.note) == ("hello", True, "")
    await anyio.sleep(0.05)
    assert await read(tab, "[c.value, shown.textContent]") == ["hello", "hello"]
    await type_text(tab, "#c", " you")
    await anyio.sleep(0.05)
    assert await read(tab, "[c.value, shown.textContent]") == ["hello you", "hello you"]
    await fill(tab, {"#c": ""})
    assert await read(tab, "shown.textContent") == ""


@pytest.mark.deep
@pytest.mark.proves("C06")
@every(
    "field, value, comes_to",
    [
        ("<input id=f value=old>", "new", "new"),
        ("<input id=f type=email>", "a@b.example", "a@b.example"),
        ("<input id=f type=number>", 12.5, "12.5"),
        ("<input id=f type=search>", "füße 😀", "füße 😀"),
        ("<textarea id=f>old</textarea>", "two\nlines", "two\nlines"),
        ("<input id=f type=range min=0 max=10 step=2>", 6, "6"),
        ("<input id=f type=range value=7>", 0, "0"),
        ("<select id=f><option value=1>One<option value=2>Two</select>", "Two", "2"),
        ("<select id=f><option>a<option disabled>b<option>c</select>", "c", "c"),
    ],
)
async def test_a_field_takes_its_value_by_trusted_events(
    stage: Stage, tab: Tab, field: str, value: FieldValue, comes_to: str
) -> None:
    await _in_place(stage, tab, field)
    acted = await fill_one(tab, "#f", value)
    assert await read(tab, "f.value") == comes_to
    assert acted.trusted
    assert acted.value == comes_to
    assert (await trusted(tab, "input"))[-1] == comes_to


@pytest.mark.proves("C06", "divergences-dates-colours-and-several-choices")
@every(
    "kind, value",
    [
        ("date", "2026-01-31"),
        ("time", "13:45"),
        ("month", "2026-02"),
        ("week", "2026-W05"),
        ("datetime-local", "2026-01-31T13:45"),
        ("color", "#ff8800"),
    ],
)
async def test_fields_without_keys_are_set_and_it_is_said(
    stage: Stage, tab: Tab, kind: str, value: str
) -> None:
    await _in_place(stage, tab, f"<input id=f type={kind}>")
    acted = await fill_one(tab, "#f", value)
    assert await read(tab, "f.value") == value
    assert not acted.trusted
    assert [entry[0] for entry in await read(tab, "heard")] == ["input", "change"]
    if kind != "color":
        with pytest.raises(CannotAct, match=f"not a {kind}"):
            await fill_one(tab, "#f", "tomorrow")


@pytest.mark.deep
@pytest.mark.proves("C06")
async def test_boxes_and_radio_buttons_are_clicked_where_they_differ(stage: Stage) -> None:
    page = """<input type=checkbox id=a><input type=checkbox id=b checked>
    <input type=radio name=r id=x><input type=radio name=r id=y>"""
    tab = await stage.show(LOG + page)
    await fill(tab, {"#a": True, "#b": True, "#y": "on"})
    assert await read(tab, "[a.checked, b.checked, x.checked, y.checked]") == [
        True,
        True,
        False,
        True,
    ]
    assert len(await trusted(tab, "change")) == 2
    assert (await uncheck(tab, "#b")).checked is False
    assert (await check(tab, "#x")).checked is True
    with pytest.raises(CannotAct, match="choosing another"):
        await uncheck(tab, "#x")


@pytest.mark.deep
@pytest.mark.proves("C06")
async def test_rich_text_is_filled_and_typed(stage: Stage) -> None:
    page = "<div id=e contenteditable><b>old</b> text</div>"
    tab = await stage.show(LOG + page)
    acted = await fill_one(tab, "#e", "new words")
    assert acted.value == "new words"
    await type_text(tab, "#e", "!")
    assert await read(tab, "e.innerText") == "new words!"
    await clear(tab, "#e")
    assert (await read(tab, "e.innerText")).strip() == ""


@pytest.mark.deep
async def test_typing_adds_at_the_end_or_replaces(stage: Stage) -> None:
    tab = await stage.show(LOG + "<input id=f value=ab>")
    await type_text(tab, "#f", "cD?")
    assert await read(tab, "f.value") == "abcD?"
    assert len(await trusted(tab, "keydown")) == 3
    acted = await type_text(tab, "#f", "x", clear=True)
    assert acted.value == "x"


@pytest.mark.deep
async def test_typing_adds_to_fields_that_keep_no_caret(stage: Stage) -> None:
    tab = await stage.show("<input id=f type=number value=12><input id=g type=email value=a@b>")
    assert (await type_text(tab, "#f", "3")).value == "123"
    assert (await type_text(tab, "#g", "3")).value == "a@b3"


@pytest.mark.deep
async def test_a_long_text_is_typed_whole(stage: Stage) -> None:
    tab = await stage.show(LOG + "<textarea id=f></textarea>")
    text = "Größe 😀 line\n" * 400
    await type_text(tab, "#f", text)
    assert await read(tab, "f.value") == text


async def test_a_password_is_not_told(stage: Stage) -> None:
    tab = await stage.show("<input type=password id=f>")
    acted = await type_text(tab, "#f", "secret")
    assert acted.value == "********"
    assert await read(tab, "f.value") == "secret"


@pytest.mark.deep
@every(
    "field, why",
    [
        ("<input id=f readonly>", "read-only"),
        ("<input id=f disabled>", "disabled"),
        ("<p id=f>x</p>", "focus"),
        ("<input id=f type=checkbox>", "no text"),
        ("<select id=f><option>a</select>", "is a select"),
        ("<input id=f style='visibility:hidden'>", "visibility"),
    ],
)
async def test_what_cannot_be_typed_into_says_why(
    stage: Stage, tab: Tab, field: str, why: str
) -> None:
    await stage.show(LOG + field, tab=tab)
    with pytest.raises(CannotAct, match=why):
        await type_text(tab, "#f", "x")
    assert await trusted(tab, "keydown") == []


@pytest.mark.deep
async def test_a_fill_that_fails_says_how_far_it_came(stage: Stage) -> None:
    tab = await stage.show(
        "<input id=a><input id=b readonly><input type=file id=u><input type=number id=n>"
    )
    with pytest.raises(CannotAct, match=r"read-only.*1 fields before"):
        await fill(tab, {"#a": "1", "#b": "2"})
    assert await read(tab, "a.value") == "1"
    with pytest.raises(CannotAct, match="use upload"):
        await fill(tab, {"#u": "/etc/passwd"})
    with pytest.raises(CannotAct, match="did not take"):
        await fill(tab, {"#n": "x"})


@pytest.mark.deep
async def test_a_page_that_changes_what_was_entered_is_told(stage: Stage) -> None:
    tab = await stage.show(
        "<input id=f oninput='this.value = this.value.toUpperCase().slice(0, 3)'>"
    )
    (acted,) = await fill(tab, {"#f": "abcdef"})
    assert (acted.value, acted.note) == ("ABC", "the page changed what was entered")


@pytest.mark.deep
async def test_several_options_are_chosen_and_unknown_ones_refused(stage: Stage) -> None:
    page = (
        "<select id=f multiple><option>a<option>b<option>c</select><select id=s><option>a</select>"
    )
    tab = await stage.show(LOG + page)
    await select(tab, "#f", ["a", "c"])
    assert await read(tab, "[...f.selectedOptions].map((o) => o.value)") == ["a", "c"]
    with pytest.raises(CannotAct, match='no option "z"; it has "a", "b", "c"'):
        await select(tab, "#f", "z")
    with pytest.raises(CannotAct, match="takes one option"):
        await select(tab, "#s", ["a", "a"])
    with pytest.raises(CannotAct, match="not a select"):
        await select(tab, "body", "a")


@pytest.mark.deep
async def test_focus_goes_where_it_is_sent(stage: Stage) -> None:
    tab = await stage.show("<input id=a><label>Name <input id=b></label>")
    assert (await focus(tab, "label=Name")).focus == "<input#b>"
    assert await read(tab, "document.activeElement.id") == "b"
