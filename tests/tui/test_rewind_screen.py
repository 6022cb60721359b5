"""Going back on the full screen: what each turn changed, what goes back, others' changes asked."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.commands import Restore, Rewind, Submit, Undo
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.diff import DiffScreen
from ouroboros.faces.tui.screens.rewind import RewindScreen
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import Small, small

TURNS = [
    Turn(tool_calls=(call("write", path="a.txt", content="one\n"),)),
    Turn(text="made"),
    Turn(tool_calls=(call("write", path="a.txt", content="two\n"),)),
    Turn(text="changed"),
    Turn(text="only words"),
]


async def worked(s: Small) -> Path:
    """Three turns: one makes a file, one changes it, one only talks."""
    for words in ("make it", "change it", "talk"):
        await s.room.send(Submit(text=words))
        await s.until(lambda: not s.room.running)
    return s.app.cwd / "a.txt"


async def opened(s: Small) -> RewindScreen:
    screen = RewindScreen()
    s.app.open(screen)
    await s.until(lambda: s.app.screen is screen)
    await s.until(lambda: len(screen.query_one("#turns", Select).picks) == 3)
    return screen


@pytest.mark.deep
@pytest.mark.proves("interfaces-rewind-in-the-terminal")
@pytest.mark.parametrize(
    ("keys", "commands", "content", "turns"),
    [
        (["2", "b"], [Undo(turns=2)], "one\n", 1),
        (["2", "c"], [Rewind], "two\n", 1),
        pytest.param(["2", "f"], [Restore], "one\n", 3, marks=pytest.mark.deep),
        pytest.param(
            ["down", "down", "enter", "enter"], [Undo(turns=3)], None, 0, marks=pytest.mark.deep
        ),
        pytest.param(["1", "enter"], [Rewind], "two\n", 2, marks=pytest.mark.deep),
        pytest.param(["2", "escape", "1", "c"], [Rewind], "two\n", 2, marks=pytest.mark.deep),
    ],
)
async def test_what_goes_back_is_the_person_s_choice(
    tmp_path: Path, keys: list[str], commands: list[object], content: str | None, turns: int
) -> None:
    async with small(tmp_path, TURNS, mode="full-auto") as s:
        file = await worked(s)
        screen = await opened(s)
        for key in keys:
            await s.press(key)
            is_asking = key in {"1", "2", "enter"} and screen.is_attached
            if is_asking and not s.commands:
                await s.until(lambda: screen.has_class("-asking") or s.app.results)
        await s.until(lambda: s.app.results)

        assert [
            each if isinstance(wish, type) is False else type(each)
            for each, wish in zip(s.commands, commands, strict=True)
        ] == commands
        assert len(s.room.state.tree.turns()) == turns
        text = await to_thread.run_sync(lambda: file.read_text() if file.exists() else None)
        assert text == content
        assert "as before" in s.app.told[-1].text


@pytest.mark.deep
@pytest.mark.proves("interfaces-rewind-in-the-terminal")
@pytest.mark.parametrize(
    "size",
    [
        (120, 30),
        pytest.param((80, 24), marks=pytest.mark.deep),
        pytest.param((40, 10), marks=pytest.mark.deep),
    ],
)
async def test_each_turn_tells_what_it_changed(tmp_path: Path, size: tuple[int, int]) -> None:
    async with small(tmp_path, TURNS, mode="full-auto", size=size) as s:
        await worked(s)
        await opened(s)
        await s.sees("talk", "no files")
        await s.press("down")
        if size[0] < 70:
            await s.press("tab")
            await s.press("pagedown")
        await s.sees("- one", "+ two")
        if size[0] < 70:
            await s.press("tab")
        await s.press("d")
        await s.until(lambda: isinstance(s.app.screen, DiffScreen))
        await s.sees("a.txt +1 -1")


@pytest.mark.proves("interfaces-rewind-in-the-terminal")
@pytest.mark.deep
async def test_changes_of_others_are_asked_about(tmp_path: Path) -> None:
    async with small(tmp_path, TURNS, mode="full-auto") as s:
        file = await worked(s)
        await to_thread.run_sync(file.write_text, "mine\n")
        screen = await opened(s)
        await s.press("2")
        await s.sees("changed since by somebody else: a.txt")
        await s.press("b")
        await s.sees("Leave these files as they are")
        assert s.commands == []
        await s.press("escape")
        await s.until(lambda: not screen.has_class("-asking"))
        await s.press("2")
        await s.until(lambda: screen.has_class("-asking"))
        await s.press("b")
        await s.sees("Leave these files")
        await s.press("o")
        await s.until(lambda: s.app.results)

        assert s.commands == [Undo(turns=2, foreign="overwrite")]
        assert await to_thread.run_sync(file.read_text) == "one\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-rewind-in-the-terminal")
async def test_changes_of_others_can_be_kept(tmp_path: Path) -> None:
    async with small(tmp_path, TURNS, mode="full-auto") as s:
        file = await worked(s)
        await to_thread.run_sync(file.write_text, "mine\n")
        screen = await opened(s)
        await s.press("2")
        await s.until(lambda: screen.has_class("-asking"))
        await s.press("f")
        await s.sees("Leave these files")
        await s.press("enter")
        await s.until(lambda: s.app.results)

        (wish,) = s.commands
        assert isinstance(wish, Restore)
        assert wish.foreign == "keep"
        assert await to_thread.run_sync(file.read_text) == "mine\n"


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_each_way_tells_what_it_would_do_to_a_file_no_turn_touched(tmp_path: Path) -> None:
    async with small(tmp_path, TURNS, mode="full-auto") as s:
        file = await worked(s)
        mine = file.with_name("mine")
        await to_thread.run_sync(mine.write_text, "mine\n")
        await opened(s)
        await s.press("2")
        await s.sees("1 file changes", "stays: mine: it was changed by somebody else")
        await s.press("down")
        await s.sees("no file changes")
        await s.press("down")
        await s.sees("1 file changes, 1 file goes", "changed since by somebody else: mine")
        await s.press("b")
        await s.until(lambda: s.app.results)

        assert s.commands == [Undo(turns=2)]
        assert await to_thread.run_sync(file.read_text) == "one\n"
        assert await to_thread.run_sync(mine.read_text) == "mine\n"


@pytest.mark.proves("interfaces-rewind-in-the-terminal")
async def test_a_session_without_words_has_nothing_to_go_back_to(tmp_path: Path) -> None:
    async with small(tmp_path) as s:
        s.app.open(RewindScreen())
        await s.sees("Nothing was said yet")
        await s.press("enter")
        await s.press("escape")
        await s.until(lambda: s.app.results)

        assert s.commands == []
