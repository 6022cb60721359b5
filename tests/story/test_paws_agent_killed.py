"""An agent, or its supervisor, is killed at many moments: there is a result, the work tree is whole, nobody is left."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from ouroboros.workspace.artifacts.dogs.reading import read
from tests import forked
from tests.story.test_cli_run import ouro
from tests.story.test_paws_agent import CHANGES, DEFINITION, ENDS, WRITES, runs, script
from tests.unit.workspace.worktrees.repository import Repository

STEP_SECONDS = 0.06
MOMENTS = [
    pytest.param((2, 12, 25), marks=pytest.mark.deep, id="some"),
    pytest.param(tuple(range(40)), marks=pytest.mark.soak, id="many"),
]
LATER = [
    pytest.param((14,), marks=pytest.mark.deep, id="one"),
    pytest.param(tuple(range(0, 40, 2)), marks=pytest.mark.soak, id="many"),
]
TURNS = (WRITES, runs("for n in 1 2 3 4 5; do echo $n > file$n; sleep 0.1; done"), CHANGES, ENDS)
FOLDER = ".paws/agents/instances/fixer"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    (tmp_path / "fixer.agent.md").write_text(DEFINITION, "utf-8")
    words = ("paws", "agent", "create", "--from", "../fixer.agent.md")
    assert ouro(*words, cwd=made.folder).returncode == 0
    return made


def begun(repo: Repository, session: str) -> tuple[subprocess.Popen[str], int]:
    """The supervisor and the number of the agent's program, which was just started."""
    words = ["paws", "agent", "run", "fixer", "--goal", "Mend it.", "--session", session, "--json"]
    words += ["--model", script(repo, *TURNS), "--mode", "full-auto"]
    running = forked.Popen(
        [sys.executable, "-m", "ouroboros", *words],
        cwd=repo.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and running.poll() is None:
        with suppress(OSError, msgspec.DecodeError):
            run = msgspec.json.decode((repo.folder / FOLDER / "run.json").read_bytes())
            if run["child"] and run["pid"] == running.pid:
                return running, run["child"]
        time.sleep(0.005)
    raise AssertionError(running.communicate(timeout=10))


def ends(pid: int) -> bool:
    """Whether a process that was told nothing is gone within a while."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def started(repo: Repository) -> tuple[str, Path]:
    session = ouro("paws", "session", "start", cwd=repo.folder).stdout.strip()
    return session, repo.folder / ".paws/sessions" / session / "worktree"


@pytest.mark.proves("O15")
@pytest.mark.parametrize("moments", MOMENTS)
def test_killed_at_any_moment_an_agent_has_a_result_and_leaves_its_tree_as_it_was(
    repo: Repository, moments: tuple[int, ...]
) -> None:
    session, tree = started(repo)
    seen: set[str] = set()
    for moment in moments:
        running, child = begun(repo, session)
        time.sleep(moment * STEP_SECONDS)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        out, said = running.communicate(timeout=60)
        told = json.loads(out)
        seen.add(told["status"])
        assert running.returncode == (told["status"] == "failure"), said
        assert ends(child)
        assert sorted(each.name for each in tree.iterdir()) == [".git", "kept"], (moment, told)
        assert (tree / "kept").read_text("utf-8") == "one\n"
        if told["bundle"]:
            assert read(Path(told["bundle"]).read_bytes()).changes
    assert "failure" in seen


@pytest.mark.proves("O15")
@pytest.mark.parametrize("moments", LATER)
def test_killed_at_any_moment_a_supervisor_leaves_nobody_and_the_next_run_works(
    repo: Repository, moments: tuple[int, ...]
) -> None:
    for moment in moments:
        session, tree = started(repo)
        running, child = begun(repo, session)
        time.sleep(moment * STEP_SECONDS)
        running.kill()
        running.communicate(timeout=60)
        assert ends(child)
        again, child = begun(repo, session)
        out, said = again.communicate(timeout=60)
        assert (again.returncode, json.loads(out)["status"]) == (0, "success"), said
        assert ends(child)
        assert (tree / ".git").is_file()
