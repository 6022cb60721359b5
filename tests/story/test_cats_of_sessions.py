"""`paws cats --session`: the files of a work session, and only of one that is active."""

import subprocess
from pathlib import Path

import pytest

from ouroboros.workspace.artifacts.cats import read
from tests.story.test_cli_run import ouro
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


def cats(repo: Repository, *words: str) -> subprocess.CompletedProcess[str]:
    return ouro("paws", "cats", *words, cwd=repo.folder)


async def test_a_bundle_holds_what_a_session_has_and_names_it(repo: Repository) -> None:
    session = await repo.started("Mend")
    repo.write(session.tree, kept="of the session\n", fresh="new\n")
    done = cats(repo, "--session", session.id[:8], "-o", "out.md")
    assert done.returncode == 0, done.stderr
    bundle = read((repo.folder / "out.md").read_bytes())
    assert [(file.path, file.data) for file in bundle.files] == [
        ("fresh", b"new\n"),
        ("kept", b"of the session\n"),
    ]
    assert bundle.head.metadata.source_session == session.id
    assert cats(repo, "kept", "--session", "Mend", "-q", "-o", "-").returncode == 0
    outside = cats(repo, str(repo.folder / "kept"), "--session", "Mend", "-o", "-")
    assert (outside.returncode, "lies outside of the project" in outside.stderr) == (2, True)


async def test_a_session_that_is_paused_or_unknown_gives_no_bundle(repo: Repository) -> None:
    session = await repo.started()
    await (await repo.sessions()).pause(session.id)
    done = cats(repo, "--session", session.id, "-o", "out.md")
    assert done.returncode == 1
    assert "paused" in done.stderr
    unknown = cats(repo, "--session", "nope", "-o", "out.md")
    assert unknown.returncode in {1, 2}
    assert "nope" in unknown.stderr
    assert not (repo.folder / "out.md").exists()


async def test_the_main_tree_is_bundled_without_the_sessions_below_it(repo: Repository) -> None:
    await repo.started()
    done = cats(repo, "-N", "--no-ignore", "-o", "out.md")
    assert done.returncode == 0
    assert [file.path for file in read((repo.folder / "out.md").read_bytes()).files] == ["kept"]
