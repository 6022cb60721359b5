"""The lists over the prompt: commands by use, what they take, and files by their names."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.typed.uses import Uses
from ouroboros.core.clock import SystemClock
from ouroboros.core.events.browser import TabClosed, TabUpdated
from ouroboros.core.events.run import SessionReady
from ouroboros.faces.slashes.table import SLASHES
from tests.tui.prompt_stage import Stage, keys, settled, staged
from tests.tui.screen_stage import envelope


def listed(stage: Stage) -> list[str]:
    menu = stage.prompt.menu
    return [choice.text.strip() for choice in menu.choices] if menu is not None else []


async def test_a_slash_lists_all_commands_with_what_they_do(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "/")
        assert listed(stage) == [f"/{name}" for name in SLASHES if name[0].isalpha()]
        assert any("> /help" in row and "this list" in row for row in stage.rows)
        await keys(pilot, "<down><down><up>")
        assert any(row.startswith("> /mode") for row in stage.rows)
        await keys(pilot, "<escape>")
        assert listed(stage) == []
        await keys(pilot, "h")
        assert listed(stage) == []  # closed for this word
        await keys(pilot, "<ctrl+c>/h")
        assert listed(stage)[0] == "/help"


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("co", "/compact"),
        pytest.param("sr", "/security-review", marks=pytest.mark.deep),
        pytest.param("rev", "/review", marks=pytest.mark.deep),
        pytest.param("cost", "/cost", marks=pytest.mark.deep),
    ],
)
async def test_letters_find_a_command(tmp_path: Path, typed: str, first: str) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, f"/{typed}")
        assert listed(stage)[0] == first


@pytest.mark.proves("V08")
async def test_what_is_used_often_comes_first(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "/cost<enter>")
        await settled(stage, pilot)
        await keys(pilot, "/cost<enter>/context<enter>")
        await settled(stage, pilot)
        await keys(pilot, "/co")
        assert listed(stage)[:3] == ["/cost", "/context", "/compact"]
        assert stage.said == ["line: /cost", "line: /cost", "line: /context"]
    uses = await to_thread.run_sync(Uses, tmp_path / "home", SystemClock())
    assert uses.weight("cost") > uses.weight("context") > uses.weight("compact") == 0


@pytest.mark.proves("V08")
async def test_what_has_to_wait_for_the_end_of_a_run_says_so(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "/comp")
        assert not any("(after the run)" in row for row in stage.rows)
        stage.prompt.is_at_work = True
        await keys(pilot, "a")
        assert any("/compact" in row and "(after the run)" in row for row in stage.rows)
        await keys(pilot, "<ctrl+c>/cost")
        assert not any("(after the run)" in row for row in stage.rows)


@pytest.mark.proves("V08")
async def test_enter_sends_a_whole_command_and_tab_goes_on_with_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "/chec<enter>")
        await pilot.pause()
        assert stage.said == ["line: /checkpoints"]
        await keys(pilot, "/branc<enter>")
        assert stage.line == "/branch |"
        assert "/branch MESSAGE" in stage.rows[-2]
        await keys(pilot, "<ctrl+c>/eff<tab>")
        assert stage.line == "/effort|"
        await keys(pilot, " <down>")
        assert listed(stage)[:3] == ["none", "minimal", "low"]
        await keys(pilot, "<enter>")
        await pilot.pause()
        assert stage.said[-1] == "line: /effort minimal"


@pytest.mark.deep
@pytest.mark.proves("interfaces-file-mentions")
async def test_a_name_after_the_sign_is_found_by_its_letters(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await to_thread.run_sync(_fill, stage.cwd)
        await keys(pilot, "see @mapy")
        await settled(stage, pilot)
        assert listed(stage) == ["src/main.py"]
        await keys(pilot, "<enter>")
        assert stage.line == "see @src/main.py |"
        await keys(pilot, "and @my")
        await settled(stage, pilot)
        await keys(pilot, "<tab>")
        assert stage.line == 'see @src/main.py and @"my file.txt" |'
        await keys(pilot, "<ctrl+c>@src")
        await settled(stage, pilot)
        await keys(pilot, "<tab>")
        await settled(stage, pilot)
        assert stage.line == "@src/|"
        assert listed(stage) == ["src/", "src/main.py"]
        await keys(pilot, "<escape><ctrl+c>me@x.org")
        await settled(stage, pilot)
        assert listed(stage) == []


@pytest.mark.proves("interfaces-file-mentions")
async def test_tabs_of_the_browser_are_names_too(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        for event in (
            TabUpdated(tab="tab_0", url="https://a.example/", title="Shoes \x1b[31mcheap"),
            TabUpdated(tab="tab_1", url="https://b.example/"),
            TabUpdated(tab="tab_2", url="https://c.example/"),
            TabClosed(tab="tab_2"),
        ):
            stage.prompt.take(envelope(event))
        await keys(pilot, "look at @")
        await settled(stage, pilot)
        assert listed(stage) == ["tab:tab_0", "tab:tab_1"]
        assert any("tab:tab_0  Shoes cheap" in row for row in stage.rows)
        await keys(pilot, "shoe")
        await settled(stage, pilot)
        await keys(pilot, "<enter>")
        assert stage.line == "look at @tab:tab_0 |"
        ready = SessionReady(cwd="/w", model="echo", mode="ask", version="1")
        stage.prompt.take(envelope(ready))
        await keys(pilot, "@")
        await settled(stage, pilot)
        assert listed(stage) == []


@pytest.mark.proves("V03")
async def test_the_list_leaves_room_on_a_small_screen(tmp_path: Path) -> None:
    async with staged(tmp_path, size=(40, 10)) as (stage, pilot):
        await keys(pilot, "/")
        assert len(stage.rows) <= 6
        assert all(len(row) <= 40 for row in stage.rows)
        await keys(pilot, "<up>")
        assert any(row.startswith("> /checkpoints") for row in stage.rows)


async def test_a_picture_that_is_dropped_stays_words_without_a_session(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, pilot):
        await keys(pilot, "<ctrl+v>")
        await settled(stage, pilot)
        assert stage.line == "|"


def _fill(folder: Path) -> None:
    (folder / "src").mkdir()
    for name in ("src/main.py", "my file.txt", "notes.md"):
        (folder / name).touch()
