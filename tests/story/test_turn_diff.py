"""What a run changed, told before it ends."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Interrupt
from ouroboros.core.events import ToolResulted
from ouroboros.core.events.changes import SteeringChanged, TurnDiffed
from ouroboros.faces.wording.notices import notice
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

DONE = Turn(text="All done.")


@pytest.mark.proves("A27")
async def test_two_edits_of_a_file_are_one_change_told_before_the_end(tmp_path: Path):
    turns = [
        Turn(tool_calls=(call("write", path="a.txt", content="one\ntwo\n"),)),
        Turn(tool_calls=(call("edit", path="a.txt", old_text="one", new_text="1"),)),
        Turn(tool_calls=(call("write", path="b.txt", content="b\n"),)),
        Turn(tool_calls=(call("apply_patch", input=DELETE),)),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        (told,) = s.events(TurnDiffed)
        assert told.diff.startswith("diff --git a/a.txt b/a.txt\nnew file mode 100644\nindex 0000")
        assert told.diff.endswith("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+1\n+two\n")
        assert s.types[-2:] == ["diff.turn", "task.completed"]


@pytest.mark.deep
@pytest.mark.proves("A27", "codex-22.1", "codex-22.2", "codex-22.3", "divergences-diff-of-a-turn")
async def test_each_run_tells_of_its_own_changes_and_one_without_tells_nothing(tmp_path: Path):
    turns = [
        Turn(tool_calls=(call("write", path="a.txt", content="one\n"),)),
        DONE,
        Turn(tool_calls=(call("shell", command="echo x > c.txt"),)),
        DONE,
        Turn(tool_calls=(call("write", path="a.txt", content="two\n"),)),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        for words in ("First", "Second", "Third"):
            await s.run(words)
        first, last = s.events(TurnDiffed)
        assert "+one" in first.diff
        assert last.diff.endswith("@@ -1 +1 @@\n-one\n+two\n")
        assert "c.txt" not in first.diff + last.diff


@pytest.mark.proves("A27")
async def test_a_run_that_is_stopped_tells_what_it_had_changed(tmp_path: Path):
    turns = [
        Turn(tool_calls=(call("write", path="a.txt", content="one\n"),)),
        Turn(tool_calls=(call("shell", command="sleep 60", timeout=60),)),
    ]
    async with stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        await s.until(ToolResulted)
        await s.session.send(Interrupt())
        await s.until(TurnDiffed)
    assert "+one" in s.events(TurnDiffed)[0].diff


DELETE = "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n"


WRITES = """import pathlib
for name in (".github/workflows/ci.yml", "packages/a/AGENTS.md", "plain.txt", ".git/index"):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
"""


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
async def test_what_steers_later_runs_is_told_apart_whoever_wrote_it(tmp_path: Path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "write.py").write_text(WRITES)
    (folder / ".windsurfrules").write_text("Be brief.")
    (folder / ".env").write_text("A=1")
    turns = [
        Turn(tool_calls=(call("write", path="AGENTS.md", content="one\n"),)),
        Turn(
            tool_calls=(call("shell", command="python3 write.py; rm .windsurfrules; touch .env"),)
        ),
        DONE,
        Turn(tool_calls=(call("write", path="plain.txt", content="two\n"),)),
        DONE,
    ]
    async with stage(tmp_path, turns, cwd=folder) as s:
        for words in ("First", "Second"):
            await s.run(words)
        (first,) = s.events(SteeringChanged)
        assert s.types.index("diff.steering") == s.types.index("task.completed") - 1
    assert first.paths == (
        *(".github/workflows/ci.yml", ".windsurfrules", "AGENTS.md", "packages/a/AGENTS.md"),
    )
    said = notice(first)
    assert said is not None
    assert (said.text, said.level) == (
        "Also changed what steers later runs: .github/workflows/ci.yml, .windsurfrules, AGENTS.md and 1 more",
        "warning",
    )


@pytest.mark.proves("permissions-steering")
async def test_what_a_command_alone_changed_is_told_without_a_diff(tmp_path: Path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / ".env").write_text("A=1")
    turns = [Turn(tool_calls=(call("shell", command="echo b > .env; echo a > .env.local"),)), DONE]
    async with stage(tmp_path, turns, cwd=folder) as s:
        await s.run()
        assert [each.paths for each in s.events(SteeringChanged)] == [(".env", ".env.local")]
        assert s.events(TurnDiffed) == []
