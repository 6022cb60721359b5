"""Models, help, whole changes: what they find, and what their keys do."""

from pathlib import Path

import pytest
from textual.widgets import Input

from ouroboros.core.commands import SetModel
from ouroboros.faces.slashes.table import SLASHES
from ouroboros.faces.tui.keys import ACTIONS, spoken
from ouroboros.faces.tui.parts.pager import Pager
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.diff import DiffScreen, files
from ouroboros.faces.tui.screens.help import HelpScreen, help_rows, sections
from ouroboros.faces.tui.screens.models import ModelPicker
from tests.tui.small_app import Small, small

DIFF = """diff --git a/one.py b/one.py
--- a/one.py
+++ b/one.py
@@ -1,3 +1,3 @@
 def f():
-    return 1
+    return 2
--- no file begins here
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-\x1b]0;title\x07bye
"""


def shown(s: Small) -> list[str]:
    return [pick.name for select in s.app.screen.query(Select) for pick in select.picks]


def test_a_change_is_cut_into_files() -> None:
    assert [name for name, _ in files(DIFF)] == ["one.py", "gone.txt"]
    assert "\n".join(text for _, text in files(DIFF)) + "\n" == DIFF
    plain = DIFF.replace("diff --git a/one.py b/one.py\n", "").replace(
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n", ""
    )
    assert [name for name, _ in files(plain)] == ["one.py", "gone.txt"]
    assert files("") == []
    assert files("no diff at all") == [("", "no diff at all")]


@pytest.mark.deep
@pytest.mark.proves("V22")
@pytest.mark.parametrize("size", [(110, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_a_whole_change_is_read_file_by_file(tmp_path: Path, size: tuple[int, int]) -> None:
    async with small(tmp_path, size=size, model="echo") as s:
        s.app.open(DiffScreen(DIFF))
        await s.sees("one.py +1 -1 (1 of 2)")
        if size[0] < 100:
            await s.press("end")
        await s.sees("return 2")
        beside = any("return 1" in line and "return 2" in line for line in s.text().split("\n"))
        assert beside is (size[0] >= 100)
        await s.press("s")
        if size[0] >= 100:
            await s.until(
                lambda: (
                    not any(
                        "return 1" in line and "return 2" in line for line in s.text().split("\n")
                    )
                )
            )
        await s.press("n")
        seen = await s.sees("gone.txt +0 -1 (2 of 2)", "bye")
        assert "\x1b" not in seen
        await s.press("p")
        await s.sees("(1 of 2)")
        await s.press("q")
        await s.until(lambda: s.app.results)


@pytest.mark.proves("permissions-steering")
async def test_what_steers_later_runs_stands_apart_behind_the_others(tmp_path: Path) -> None:
    steering = DIFF.replace("one.py", ".github/ci.yml")
    async with small(tmp_path, size=(110, 24), model="echo") as s:
        s.app.open(DiffScreen(steering))
        await s.sees("gone.txt +0 -1 (1 of 2)", "! .github/ci.yml")
        await s.press("n")
        await s.sees(
            "(2 of 2)", "steers later runs: what runs on the project's servers", "return 2"
        )


@pytest.mark.deep
async def test_a_change_without_lines_is_shown_as_it_is(tmp_path: Path) -> None:
    async with small(tmp_path, model="echo") as s:
        s.app.open(DiffScreen("diff --git a/empty b/empty\nnew file mode 100644\n"))
        await s.sees("empty +0 -0", "new file mode 100644")


@pytest.mark.deep
@pytest.mark.proves("interfaces-changes-models-and-help-on-the-screen")
async def test_nothing_of_a_long_change_is_left_out(tmp_path: Path) -> None:
    lines = "".join(f"+line {at}\n" for at in range(5000))
    async with small(tmp_path, model="echo") as s:
        s.app.open(DiffScreen(f"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,5000 @@\n{lines}"))
        await s.sees("new.txt +5000 -0")
        await s.press("end")
        await s.sees("line 4999")


@pytest.mark.deep
@pytest.mark.proves("interfaces-changes-models-and-help-on-the-screen")
async def test_a_model_is_found_and_set_with_its_effort(tmp_path: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": "x"}
    async with small(tmp_path, environment=environment, model="echo") as s:
        s.app.open(ModelPicker())
        await s.until(lambda: len(shown(s)) > 3)
        assert all(not name.startswith("openai/") for name in shown(s))
        assert any(name.startswith("anthropic/") for name in shown(s))

        await s.press("ctrl+a")
        await s.press(*"openai/gpt-5")
        await s.until(lambda: shown(s) and all("openai/gpt-5" in name for name in shown(s)))
        await s.sees("no key")
        await s.press(*["backspace"] * 12)
        await s.press(*"anthropic opus")
        await s.until(lambda: shown(s) and all("opus" in name for name in shown(s)))
        (name, *_) = shown(s)
        await s.press("enter")
        await s.until(lambda: s.app.results or "high" in shown(s))
        if "high" in shown(s):
            await s.press("home", *["down"] * shown(s).index("high"), "enter")
        await s.until(lambda: s.app.results)

        assert s.commands == s.app.results
        (wish,) = s.commands
        assert isinstance(wish, SetModel)
        assert wish.model == name
        assert s.room.state.model == name
        assert s.room.state.effort == wish.effort


@pytest.mark.deep
async def test_a_model_nobody_knows_is_taken_as_typed_or_refused(tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "x"}
    async with small(tmp_path, environment=environment, model="echo", base_url="") as s:
        s.app.open(ModelPicker())
        await s.until(lambda: len(shown(s)) > 3)
        await s.press(*"no-such/thing")
        await s.sees("as you typed it")
        await s.press("enter")
        await s.until(lambda: s.commands)
        await s.sees("no-such")
        assert s.app.results == []

        s.app.screen.query_one(Input).value = "openai-chat/brand-new"
        await s.until(lambda: not shown(s))
        await s.press("enter")
        await s.until(lambda: s.app.results)
        assert s.room.state.model == "openai-chat/brand-new"


@pytest.mark.deep
@pytest.mark.proves("interfaces-changes-models-and-help-on-the-screen")
@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_help_is_searched_as_it_is_typed(tmp_path: Path, size: tuple[int, int]) -> None:
    async with small(tmp_path, size=size, model="echo") as s:
        s.app.open(HelpScreen())
        await s.sees("While you type", "Enter")
        await s.press("pagedown")
        await s.until(lambda: s.app.screen.query_one(Pager).scroll_offset.y > 0)
        await s.press(*"rewind")
        await s.until(lambda: "/rewind" in s.text() and "While you type" not in s.text())
        await s.press(*"xyz")
        await s.sees("Nothing here has these words")
        await s.press("escape")
        await s.until(lambda: s.app.results)


@pytest.mark.proves("interfaces-changes-models-and-help-on-the-screen")
async def test_help_knows_every_key_and_every_command(tmp_path: Path) -> None:
    async with small(tmp_path, model="echo") as s:
        said = sections(s.app.keys)
        words = [words for _, lines in said for words, _ in lines]
        assert set(words) >= {slash.usage for slash in SLASHES.values()}
        assert set(words) >= {", ".join(map(spoken, action.keys)) for action in ACTIONS}
        for width in (36, 76):
            rows = help_rows(said, width)
            assert max(sum(len(span.text) for span in row) for row in rows) <= width
