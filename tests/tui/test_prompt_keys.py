"""Keys that are pressed in the prompt, what becomes of the text, and what the application hears."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from textual import events

from ouroboros.app.typed.history import History
from tests.passing import lingering
from tests.tui.prompt_stage import keys, settled, staged

EDITS = [
    ("hello", "hello|"),
    ("one two<ctrl+left>x", "one x|two"),
    ("one two<alt+b>x", "one x|two"),
    ("one two<home>x<end>y", "xone twoy|"),
    ("one<shift+enter>two<ctrl+j>three<alt+enter>four", "one\ntwo\nthree\nfour|"),
    ("one\\<enter>two", "one\ntwo|"),
    ("one two<ctrl+w>", "one |"),
    ("one two<ctrl+u>", "|"),
    ("one two<home><ctrl+k><ctrl+y><ctrl+y>", "one twoone two|"),
    ("one<ctrl+u>two<ctrl+u><ctrl+y><alt+y>", "one|"),
    ("one two<ctrl+underscore>", "one |"),
    ("one two<alt+z><alt+shift+z>", "one two|"),
    ("one two<shift+left><shift+left>X", "one tX|"),
    ("one two<ctrl+shift+left>X", "one X|"),
    ("one two<alt+a>X", "X|"),
    ("one two<ctrl+c>", "|"),
    ("one<ctrl+j>two<up>X", "oneX|\ntwo"),
    ("one<ctrl+j>two<up><home><down>X", "one\nX|two"),
    ("one<left><backspace><delete>", "o|"),
    ("one<left><ctrl+d>", "on|"),
    ("日本語<left><backspace>x", "日x|語"),
    ("one<ctrl+v>", "one|"),
    ("one<ctrl+home>x<ctrl+end>y", "xoney|"),
    ("one<ctrl+j>two<shift+up><backspace>", "one|"),
]


@pytest.mark.deep
@pytest.mark.proves("V03")
async def test_keys_edit_the_text(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        for script, end in EDITS:
            stage.prompt.set_text("")
            await keys(pilot, script)
            assert stage.line == end, script
        assert stage.said == []


SAID = [
    ("hello<enter>", "steer: hello"),
    ("two<ctrl+j>lines<enter>", "steer: two\nlines"),
    ("/usr/bin/x is odd<enter>", "steer: /usr/bin/x is odd"),
    ("# a title<ctrl+j>and words<enter>", "steer: # a title\nand words"),
    ("!<enter>", "steer: !"),
    ("#5 is open<enter>", "steer: #5 is open"),
    ("/mode plan<enter>", "line: /mode plan"),
    ("/quit<enter>", "line: /quit"),
    ("!ls -la<enter>", "line: !ls -la"),
    ("# use tabs<enter>", "line: # use tabs"),
    ("?", "line: /help"),
    ("<shift+tab>", "mode next"),
    ("<ctrl+d>", "leave 0"),
    ("<escape>", "escaped"),
    ("<escape><escape>", "escaped, escaped twice"),
    ("words<escape><escape>", "escaped"),
    ("<ctrl+c>", ""),
    ("<ctrl+c><ctrl+c>", "leave 0"),
    ("   <enter>", ""),
    ("words<tab>", ""),
]


@pytest.mark.deep
async def test_the_application_hears_what_is_meant(tmp_path: Path) -> None:
    wrong: list[tuple[str, list[str]]] = []
    for script, said in SAID:
        async with staged(tmp_path) as (stage, pilot):
            await keys(pilot, script)
            await pilot.pause()
            if ", ".join(stage.said) != said:
                wrong.append((script, stage.said))
    assert wrong == []


async def test_while_a_run_is_on_enter_steers_tab_queues_and_esc_stops(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        stage.prompt.is_at_work = True
        await keys(pilot, "now<enter>later<tab><escape><escape>")
        await pilot.pause()
        assert stage.said == ["steer: now", "queue: later", "escaped", "escaped"]
        assert "Tab: after the run" in stage.rows[-1]


@pytest.mark.proves("interfaces-keys-of-ones-own")
async def test_own_keys_take_the_place_of_the_usual_ones(tmp_path: Path) -> None:
    own: dict[str, Any] = {"tui.keys.search_history": ["ctrl+t"], "tui.keys.newline": ["ctrl+r"]}
    async with staged(tmp_path, **own) as (stage, pilot):
        await keys(pilot, "a<ctrl+r>b<ctrl+j>")
        assert stage.line == "a\nb|"
        await keys(pilot, "<ctrl+t>")
        assert stage.prompt.history.is_searching


@pytest.mark.proves("V03")
async def test_what_was_typed_comes_back_by_its_beginning_and_by_search(tmp_path: Path) -> None:
    history = await to_thread.run_sync(History, tmp_path / "home")
    for entry in ("git status", "make test", "git push", "make docs"):
        await to_thread.run_sync(history.add, entry)
    async with staged(tmp_path) as (stage, pilot):
        await settled(stage, pilot)
        for script, line in (
            ("<up>", "make docs|"),
            ("<up><up>", "make test|"),
            ("<down><down><down>", "|"),
            ("git<up>", "git push|"),
            ("<up>", "git status|"),
            ("<up>", "git status|"),
            ("<down><down>", "git|"),
            ("<ctrl+c><ctrl+r>STAT", "git status|"),
            ("<ctrl+r>", "git status|"),
            ("<escape>", "|"),
            ("<ctrl+r>git", "git push|"),
            ("<ctrl+r>", "git status|"),
            ("<enter>", "git status|"),
        ):
            await keys(pilot, script)
            assert stage.line == line, script
        await keys(pilot, "<enter>")
        await settled(stage, pilot)
        assert stage.said == ["steer: git status"]
    kept = await to_thread.run_sync(History, tmp_path / "home")
    assert kept.entries[-2:] == ["make docs", "git status"]


@pytest.mark.proves("V03")
async def test_a_paste_of_ten_thousand_lines_is_one_mark_until_it_is_sent(tmp_path: Path) -> None:
    pasted = "\n".join(f"line {number} \x1b[31m" for number in range(10_000))
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "see ")
        stage.prompt.post_message(events.Paste(pasted))
        await pilot.pause()
        assert stage.rows[-1] == "> see [pasted 10,000 lines]"
        await keys(pilot, "<backspace><ctrl+underscore><enter>")
        await pilot.pause()
        assert stage.said == ["steer: see " + pasted.replace("\x1b[31m", "").rstrip()]


@pytest.mark.proves("V03")
async def test_a_short_paste_goes_in_as_it_is_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        stage.prompt.post_message(events.Paste("a\rb\x1b]0;title\x07\x9b2Jc\x00\x08"))
        await pilot.pause()
        assert stage.line == "a\nbc|"
        await keys(pilot, "<enter>")
        await pilot.pause()
        assert stage.said == ["steer: a\nbc"]


@pytest.mark.proves("V03")
@pytest.mark.parametrize(
    "size",
    [
        (80, 24),
        pytest.param((40, 10), marks=pytest.mark.deep),
        pytest.param((20, 5), marks=pytest.mark.deep),
    ],
)
async def test_a_long_text_takes_a_third_of_the_screen_and_shows_the_cursor(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with staged(tmp_path, size=size) as (stage, pilot):
        stage.prompt.set_text("\n".join(f"row {number}" for number in range(10)))
        await keys(pilot, "!")
        assert stage.rows[-1].endswith("row 9!")
        rows = [row for row in stage.rows if "row" in row]
        assert rows[0].startswith("\N{HORIZONTAL ELLIPSIS} row")
        assert len(rows) == max(size[1] // 3, 1)
        await keys(pilot, "<ctrl+home>")
        assert "> row 0" in stage.rows
        last = stage.rows[-1]
        assert last.startswith("> row 0" if len(rows) == 1 else "\N{HORIZONTAL ELLIPSIS} row")
        wanted = (2, stage.screen.size.height - len(rows))
        with anyio.move_on_after(60):
            while stage.cursor_position != wanted:  # it follows once all is drawn
                await pilot.pause(0.005)
        assert stage.cursor_position == wanted


async def test_a_key_with_alt_that_means_nothing_types_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        for name in ("alt+q", "ctrl+q", "super+q"):
            stage.prompt.post_message(events.Key(name, "q"))
        stage.prompt.post_message(events.Key("plus", "+"))
        await pilot.pause()
        assert stage.line == "+|"


async def test_what_a_second_press_would_do_is_said(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        for script, said in (
            ("<escape>", "Esc again goes back"),
            ("x", ""),
            ("<escape>", "Esc again clears"),
            ("<ctrl+c>", ""),
            ("<ctrl+c>", "Ctrl-C again leaves"),
        ):
            with lingering(10):  # a busy machine may be long about one press
                await keys(pilot, script)
                assert said in stage.rows[-2], script


async def test_a_click_puts_the_cursor_there(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "one two<ctrl+j>three")
        await pilot.click("#prompt", offset=(5, 1))
        assert stage.line == "one| two\nthree"


@pytest.mark.proves("V04")
async def test_vim_is_there_for_those_who_want_it(tmp_path: Path) -> None:
    async with staged(tmp_path, tui__vim=True) as (stage, pilot):
        await keys(pilot, "one two<escape>")
        assert "NORMAL" in stage.rows[-2]
        await keys(pilot, "bcw2<escape>")
        assert stage.line == "one |2"
        await keys(pilot, "u")
        assert stage.prompt.editor.text == "one two"
        await keys(pilot, "<escape>")
        await pilot.pause()
        assert stage.said == ["escaped"]
        await keys(pilot, "<enter>next")
        await pilot.pause()
        assert stage.said == ["escaped", "steer: one two"]
        assert stage.line == "next|"  # a new line is typed into at once
        await keys(pilot, "<ctrl+c>")
        await settled(stage, pilot)
        await keys(pilot, "<escape>k")
        assert stage.prompt.editor.text == "one two"
