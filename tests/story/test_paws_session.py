"""`paws session` from outside: from the start to the merge, in two terminals, and in a shell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


def paws(repo: Repository, *words: str, at: Path | None = None) -> tuple[int, str, str]:
    """Exit code, output, and what was said beside it."""
    done = ouro("paws", "session", *words, cwd=at or repo.folder)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.proves("N09")
def test_a_piece_of_work_from_its_start_to_the_merge(repo: Repository) -> None:
    code, out, said = paws(repo, "start", "--name", "Mend it")
    tree = repo.folder / ".paws/sessions" / out.strip() / "worktree"
    short = out[:8]
    assert (code, out.count("\n")) == (0, 1)
    assert said == f"work tree: {tree}\nbranch: paws/{short}\n"
    repo.write(tree, kept="two\n", new="n\n")
    code, out, said = paws(repo, "checkpoint", "first try", at=tree)
    assert (code, said) == (0, "checkpoint 'first try', turn 1\n")
    assert out.strip() == repo.git("rev-parse", f"paws/{short}")
    code, patch, _ = paws(repo, "diff", "Mend it")
    (repo.folder / "../p.patch").write_text(patch)
    repo.git("apply", "--check", "../p.patch")
    repo.write(tree, kept="three\n")
    code, out, said = paws(repo, "rewind", short, "--to-checkpoint", "first try")
    assert (code, out, said.count("git show refs/paws/")) == (0, "", 1)
    code, out, said = paws(repo, "merge", short, "-m", "Mend the tests")
    assert (code, out.strip()) == (0, repo.git("rev-parse", "HEAD"))
    assert (
        said == f"merged into main\nsession {short} is archived; its commits are on paws/{short}\n"
    )
    assert (repo.folder / "kept").read_text() == "two\n"
    assert repo.git("log", "-1", "--format=%s") == "Mend the tests"
    assert paws(repo, "list") == (
        0,
        "",
        "no session is open; --all lists those that are archived\n",
    )
    code, out, _ = paws(repo, "list", "--all")
    assert out.startswith(f"{short}\tarchived\t")
    assert out.endswith("\t1 checkpoint\tMend it\n")
    code, out, _ = paws(repo, "list", "--all", "--json")
    (record,) = json.loads(out)
    assert (record["status"], record["name"], record["turnCount"]) == ("archived", "Mend it", 1)
    code, _, said = paws(repo, "delete", short)
    kept = f"commits that nothing else has are kept: git log refs/paws/{short}/kept/1"
    assert (code, said.splitlines()) == (0, [f"session {short} is deleted", kept])
    assert "there is no session" in paws(repo, "list", "--all")[2]


@pytest.mark.deep
def test_exit_codes_say_the_kind(repo: Repository, tmp_path: Path) -> None:
    code, out, said = paws(repo, "start", at=tmp_path)
    assert (code, out) == (2, "")
    assert "not in a git repository" in said
    assert paws(repo, "rewind", "x")[0] == 2
    assert paws(repo, "merge", "nothing")[0] == 2
    session = paws(repo, "start")[1].strip()
    repo.write(repo.folder / ".paws/sessions" / session / "worktree", kept="theirs\n")
    repo.commit("mine", kept="mine\n")
    code, _, said = paws(repo, "merge", session, "--keep")
    assert (code, "changed the same lines of kept" in said, "hint: " in said) == (1, True, True)


@pytest.mark.proves("N15")
@pytest.mark.deep
def test_two_terminals_start_at_once(repo: Repository) -> None:
    started = [
        forked.Popen(
            [sys.executable, "-m", "ouroboros", "paws", "session", "start"],
            cwd=repo.folder,
            env=os.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    ids = {each.communicate(timeout=120)[0].decode().strip() for each in started}
    assert [each.returncode for each in started] == [0, 0, 0]
    assert len({each[:8] for each in ids}) == 3
    assert len(repo.git("worktree", "list").splitlines()) == 4


@pytest.mark.deep
@pytest.mark.proves("N16")
def test_a_command_runs_in_a_session_with_its_exit_code(repo: Repository) -> None:
    session = paws(repo, "start")[1].strip()
    done = ouro(
        *("paws", "session", "shell", session, "--"),
        *("sh", "-c", "echo $PAWS_SESSION $GH_TOKEN; basename $PWD; echo oops >&2; exit 7"),
        cwd=repo.folder,
        GH_TOKEN="mine",
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        7,
        f"{session} mine\nworktree\n",
        "oops\n",
    )
    code, _, said = paws(repo, "shell", session)
    assert (code, "a shell needs a terminal" in said) == (2, True)


@pytest.mark.proves("N16")
@pytest.mark.deep
def test_a_shell_in_a_session_has_the_terminal(repo: Repository) -> None:
    session = paws(repo, "start")[1].strip()
    words = ["paws", "session", "shell", session[:8]]
    environment = {"SHELL": "/bin/sh", "PS1": "ready> "}
    with Program(words, cwd=repo.folder, environment=environment) as program:
        program.sees("ready>")
        program.type("echo $TERM in $(basename $PWD); touch new\r")
        program.sees("xterm-256color in worktree")
        program.type("exit 5\r")
        code = program.ends()
        seen = program.picture.text
    assert code == 5
    assert "1 file is in no checkpoint" in seen.replace("\n", " ")
