"""Several tries at one task are killed at many moments: nobody is left, nothing is lost, and the next ones work."""

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
from tests.story.test_cli_run import ouro, script
from tests.story.test_paws_agent_killed import ends
from tests.unit.workspace.worktrees.repository import Repository

STEP_SECONDS = 0.4
KILLS = pytest.mark.parametrize(
    ("who", "moments"),
    [
        pytest.param("supervisor", (3,), marks=pytest.mark.deep),
        pytest.param("child", (2,), marks=pytest.mark.soak),
        pytest.param("supervisor", tuple(range(8)), marks=pytest.mark.soak),
        pytest.param("child", tuple(range(8)), marks=pytest.mark.soak),
    ],
    ids=["supervisor once", "child once", "supervisor often", "child often"],
)
RUN = ".paws/agents/instances/default/run.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.commit("check", **{"check.sh": "echo junk > junk; sleep 0.5; grep -q right answer\n"})
    return made


def begun(repo: Repository) -> subprocess.Popen[str]:
    """A contest of two whose agents write a file, then run a command, and end."""
    writes = {"name": "write", "arguments": {"path": "answer", "content": "right\n"}}
    waits = {"name": "shell", "arguments": {"command": "sleep 0.5; echo more > more"}}
    turns = ({"tool_calls": [writes]}, {"tool_calls": [waits]}, {"text": "Done."})
    words = ["run", "--goal", "Answer", "--best-of", "2", "--verify", "sh check.sh", "--json"]
    model = script(repo.folder.parent, *turns)
    return forked.Popen(
        [sys.executable, "-m", "ouroboros", "paws", *words, "--model", model, "--mode=full-auto"],
        cwd=repo.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def children(repo: Repository, running: subprocess.Popen[str]) -> list[int]:
    """The agents' programs, once there are some."""
    until = time.monotonic() + 60
    while time.monotonic() < until and running.poll() is None:
        with suppress(OSError, msgspec.DecodeError):
            run = msgspec.json.decode((repo.folder / RUN).read_bytes())
            if run["children"] and run["pid"] == running.pid:
                return run["children"]
        time.sleep(0.005)
    raise AssertionError(running.communicate(timeout=10))


def whole(repo: Repository, before: object) -> None:
    """The person's files are as they were, and every session can be listed, kept and deleted."""
    listed = ouro("paws", "session", "list", "--json", cwd=repo.folder)
    assert (listed.returncode, "not put right" in listed.stderr) == (0, False), listed.stderr
    done: set[str] = set()
    for each in json.loads(listed.stdout):
        files = (path for path in Path(each["worktree"]).iterdir() if path.is_file())
        done |= {path.name for path in files} - {".git", "junk"}
        gone = ouro("paws", "session", "delete", each["sessionId"], "--force", cwd=repo.folder)
        assert gone.returncode == 0, gone.stderr
    # Two that did the same in the same second have one commit, which the last of them keeps.
    refs = repo.git("for-each-ref", "--format=%(refname)").splitlines()
    assert done <= {
        name for ref in refs for name in repo.git("ls-tree", "--name-only", ref).split()
    }
    assert all(ref == "refs/heads/main" or "/kept/" in ref for ref in refs)
    # Of a checkpoint that was cut off the commit may be there twice, and one of them named by nothing.
    named = set(repo.git("log", "--all", "--format=%T").split())
    lost = [line.split()[2] for line in repo.lost()]
    assert [each for each in lost if repo.git("rev-parse", f"{each}^{{tree}}") not in named] == []
    assert repo.standing() == before
    assert repo.git("worktree", "list").count("\n") == 0


@pytest.mark.proves("N17")
@KILLS
def test_killed_at_any_moment_it_leaves_nobody_and_loses_nothing(
    repo: Repository, who: str, moments: tuple[int, ...]
) -> None:
    before = repo.standing()
    for moment in moments:
        running = begun(repo)
        there = children(repo, running)
        time.sleep(moment * STEP_SECONDS)
        with suppress(ProcessLookupError):
            os.kill(running.pid if who == "supervisor" else there[0], signal.SIGKILL)
        out, said = running.communicate(timeout=120)
        assert all(map(ends, there))
        if who == "child":
            told = json.loads(out)
            assert len(told) == 2, said
            assert any(each["tests"] == "passed" for each in told), (moment, told, said)
            for each in told:
                assert not each["bundle"] or read(Path(each["bundle"]).read_bytes()).changes
        assert "at rest" in ouro("paws", "agent", "list", cwd=repo.folder).stdout
        whole(repo, before)
    running = begun(repo)
    out, said = running.communicate(timeout=120)
    assert [each["tests"] for each in json.loads(out)] == ["passed", "passed"], said
