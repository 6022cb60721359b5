"""A command that only reads runs without a question, and runs nothing that a repository names."""

import subprocess
from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

DONE = Turn(text="Done.")


def repository(folder: Path, canary: Path) -> None:
    """A repository whose settings name a program for git to run, which leaves the canary."""
    program = folder.parent / "evil"
    program.write_text(f"#!/bin/sh\necho ran >> {canary}\n")
    program.chmod(0o755)
    subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=60)
    with (folder / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n")
    (folder / "seen.txt").write_text("x")
    subprocess.run(["git", "status"], cwd=folder, check=True, timeout=60, capture_output=True)
    assert canary.exists(), "the repository is not hostile"
    canary.unlink()


@pytest.mark.proves("E09", "E20")
@pytest.mark.parametrize("mode", ["ask", "plan", "auto-edit"])
async def test_a_read_in_a_hostile_repository_is_not_asked_about_and_runs_nothing(
    tmp_path: Path, mode: Mode
) -> None:
    folder, canary = tmp_path / "work", tmp_path / "work" / "ran"
    folder.mkdir()
    repository(folder, canary)
    asks = call("shell", command="git status --short && ls | head -3")
    async with stage(tmp_path, [Turn(tool_calls=(asks,)), DONE], mode=mode) as s:
        await s.run("Look around")
        assert s.events(PermissionRequested) == []
        assert [result.status for result in s.results.values()] == ["done"]
        said = next(m["content"] for m in s.body()["messages"] if m["role"] == "tool")
        assert "?? seen.txt" in said
    assert not canary.exists()


@pytest.mark.deep
@pytest.mark.proves("E09")
async def test_a_trick_on_the_same_read_is_denied_where_nobody_can_be_asked(tmp_path: Path) -> None:
    asks = call("shell", command="git status --short; touch made")
    async with stage(tmp_path, [Turn(tool_calls=(asks,)), DONE], mode="ask") as s:
        await s.run("Look around")
        assert len(s.events(PermissionRequested)) == 1
        assert [result.status for result in s.results.values()] == ["denied"]
    assert not (tmp_path / "work/made").exists()
