"""Past and open sessions on the full screen: found, looked into, forked, renamed, removed, switched."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.past import sessions
from ouroboros.core.commands import Branch, SetTitle, Submit
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.confirm import Confirm, Naming
from ouroboros.faces.tui.screens.rooms import ContextScreen, RoomsScreen
from ouroboros.faces.tui.screens.sessions import SessionPicker
from ouroboros.faces.tui.screens.tree import TreeScreen
from ouroboros.llm.turns import Fault, Turn
from tests.tui.small_app import Small, small


async def past(s: Small, *words: str) -> list[str]:
    """Sessions with one turn each that are closed again, oldest first."""
    made: list[str] = []
    for each in words:
        room = await s.hub.open()
        await room.send(Submit(text=each))
        await s.until(lambda room=room: not room.running)
        made.append(room.id)
        await s.hub.close(room.id)
    return made


async def known(s: Small, session: str) -> sessions.Session:
    return await to_thread.run_sync(sessions.find, s.app.loaded.home, session)


def listed(s: Small) -> list[str]:
    return [pick.name for select in s.app.screen.query(Select) for pick in select.picks]


async def opened(s: Small, count: int) -> SessionPicker:
    picker = SessionPicker()
    s.app.open(picker)
    await s.until(lambda: s.app.screen is picker and len(listed(s)) == count)
    return picker


def replies(*texts: str) -> list[Turn]:
    return [Turn(text=text) for text in texts]


@pytest.mark.proves("interfaces-sessions-in-the-terminal")
@pytest.mark.parametrize("size", [(100, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_sessions_are_found_by_what_was_said_and_gone_on_with(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    turns = replies("It is a lemon [b]tart[/b].", "A walrus.", "Nothing.")
    async with small(tmp_path, turns, size=size) as s:
        lemon, walrus, other = await past(s, "yellow and sour", "tusks", "what else")
        picker = await opened(s, 3)
        assert listed(s) == [other, walrus, lemon]

        await s.type("lemon")
        await s.until(lambda: listed(s) == [lemon])
        await s.sees("yellow and sour", "lemon")
        await s.press("tab")
        # Before it is laid out there is nothing to turn the pages of.
        await s.sees("yellow and sour", "1 turn")
        await s.press("pagedown")
        await s.sees("It is a lemon [b]tart[/b].")
        if size == (40, 10):
            preview = picker.query_one(Pager)
            before = preview.rows
            await s.type(" ")  # the list is read anew and finds the same
            await s.until(lambda: preview.rows is not before)
            await s.sees("It is a lemon [b]tart[/b].")
        await s.press("enter")
        await s.until(lambda: s.app.results)

        assert s.app.results == [lemon]


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_arrows_choose_while_words_are_typed_and_escape_leaves(tmp_path: Path) -> None:
    async with small(tmp_path, replies("a", "b")) as s:
        first, _ = await past(s, "one", "two")
        await opened(s, 2)
        await s.press("down")
        await s.press("enter")
        await s.until(lambda: s.app.results)
        await opened(s, 2)
        await s.type("nothing like this")
        await s.sees("Nothing was found")
        await s.press("enter")
        await s.press("escape")
        await s.until(lambda: len(s.app.results) == 2)

        assert s.app.results == [first, None]


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_a_session_is_renamed_forked_and_removed_with_a_yes(tmp_path: Path) -> None:
    async with small(tmp_path, replies("a", "b")) as s:
        one, two = await past(s, "one", "two")
        await opened(s, 2)
        await s.press("ctrl+r")
        await s.until(lambda: isinstance(s.app.screen, Naming))
        await s.press("ctrl+u", *"new name", "enter")
        await s.sees("new name")
        assert (await known(s, two)).title == "new name"

        await s.press("down")
        await s.press("ctrl+d")
        await s.until(lambda: isinstance(s.app.screen, Confirm))
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, SessionPicker))
        assert set(listed(s)) == {one, two}
        await s.press("ctrl+d")
        await s.until(lambda: isinstance(s.app.screen, Confirm))
        await s.press("y")
        await s.until(lambda: listed(s) == [two])

        await s.press("ctrl+f")
        await s.until(lambda: s.app.results)
        (child,) = s.app.results
        assert isinstance(child, str)
        assert (await known(s, child)).parent == two


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_the_session_on_the_screen_is_told_and_not_removed(tmp_path: Path) -> None:
    async with small(tmp_path, replies("hello")) as s:
        await s.room.send(Submit(text="say hello"))
        await s.until(lambda: not s.room.running)
        await opened(s, 1)
        await s.sees("here")
        await s.press("ctrl+r")
        await s.until(lambda: isinstance(s.app.screen, Naming))
        await s.press("ctrl+u", *"mine", "enter")
        await s.until(lambda: s.room.state.title == "mine")
        await s.until(lambda: isinstance(s.app.screen, SessionPicker) and listed(s) == [s.room.id])
        await s.press("ctrl+d")
        await s.until(lambda: isinstance(s.app.screen, Confirm))
        await s.press("y")
        await s.sees("this session is on the screen")

        assert s.commands == [SetTitle(title="mine")]
        assert listed(s) == [s.room.id]


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_sessions_of_all_folders(tmp_path: Path) -> None:
    async with small(tmp_path, replies("a")) as s:
        other = tmp_path / "elsewhere"
        other.mkdir()
        room = await s.hub.open(cwd=other)
        await room.send(Submit(text="over there"))
        await s.until(lambda: not room.running)
        await opened(s, 0)
        await s.sees("no session of this folder")
        await s.press("ctrl+a")
        await s.until(lambda: listed(s) == [room.id])


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_open_sessions_and_what_goes_on_in_each(tmp_path: Path) -> None:
    stalled = Turn(text="slow", fault=Fault(kind="stall", after=1, seconds=600))
    async with small(tmp_path, [stalled, *replies("done")]) as s:
        rooms = [s.room, *[await s.hub.open() for _ in range(4)]]
        await rooms[1].send(Submit(text="take your time"))
        s.app.open(RoomsScreen())
        await s.sees("[at work] take your time", "(here)", "[rests]")
        assert listed(s) == [room.id for room in rooms]

        await s.press("down")
        await s.press("x")
        await s.until(lambda: not rooms[1].running)
        await s.until(lambda: "[at work]" not in s.text())
        await s.press("down")
        await s.press("c")
        await s.until(lambda: listed(s) == [room.id for room in rooms if room is not rooms[2]])
        await s.press("home")
        await s.press("c")
        await s.sees("go to another one first")
        await s.press("4")
        await s.until(lambda: s.app.results)

        assert s.app.results == [rooms[4].id]
        assert s.commands == []


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
async def test_the_tree_goes_on_after_a_message_or_in_another_session(tmp_path: Path) -> None:
    async with small(tmp_path, replies("first answer", "second answer")) as s:
        for words in ("one", "two"):
            await s.room.send(Submit(text=words))
            await s.until(lambda: not s.room.running)
        s.app.open(TreeScreen())
        await s.sees("you: one", "it: first answer", "you: two", "it: second answer")
        await s.press("up")
        await s.press("up")
        await s.press("enter")
        await s.until(lambda: s.app.results)
        wish = s.commands[-1]
        assert isinstance(wish, Branch)
        assert s.room.state.tree.head == wish.message_id
        assert s.room.state.history[-1].text == "first answer"

        s.app.open(TreeScreen())
        await s.sees("it: second answer")
        await s.press("end")
        await s.press("f")
        await s.until(lambda: len(s.app.results) == 2)
        child = s.app.results[1]
        assert isinstance(child, str)
        room = await s.hub.open(resume=child)
        assert room.state.history[-1].text == "second answer"
        assert s.room.id != child


@pytest.mark.deep
@pytest.mark.proves("interfaces-sessions-in-the-terminal")
@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_what_fills_the_context(tmp_path: Path, size: tuple[int, int]) -> None:
    async with small(tmp_path, replies("hello"), size=size) as s:
        await s.room.send(Submit(text="say hello"))
        await s.until(lambda: not s.room.running)
        s.app.open(ContextScreen())
        meter = s.room.session.meter()
        await s.sees(f"{meter.used:,} of {meter.window:,} tokens", meter.blocks[0].name)
        await s.press("end")
        await s.sees("free")
        await s.press("q")
        await s.until(lambda: s.app.results)
