"""`paws cats --session`: the files of a work session, and only of one that is active."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.workspace.artifacts.cats import read
from tests import forked
from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro, script
from tests.unit.workspace.worktrees.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


def cats(repo: Repository, *words: str) -> subprocess.CompletedProcess[str]:
    return ouro("paws", "cats", *words, cwd=repo.folder)


@pytest.mark.proves("L20", "N08")
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


@pytest.mark.deep
@pytest.mark.proves("L20", "N08")
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


@pytest.mark.deep
@pytest.mark.proves("L03")
async def test_the_main_tree_is_bundled_without_the_sessions_below_it(repo: Repository) -> None:
    await repo.started()
    done = cats(repo, "-N", "--no-ignore", "-o", "out.md")
    assert done.returncode == 0
    assert [file.path for file in read((repo.folder / "out.md").read_bytes()).files] == ["kept"]


@pytest.mark.deep
@pytest.mark.proves("L19")
def test_on_a_terminal_a_person_is_asked_about_secrets_and_sees_the_stages(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (folder / "cart.py").write_text("def total(): ...\n")
    (folder / "deploy.py").write_text(f'TOKEN = "{key}"\n')
    said = {"files": ["cart.py", "deploy.py"]}
    model = script(tmp_path, {"text": json.dumps(said), "delay_seconds": 0.3})
    words = ["cats", "--ai-curate", "Mend the total", "--model", model]
    with Program(words, cwd=folder) as program:
        program.sees("⠋ [AI] Ranking candidate files…")
        program.sees("[AI] Selected 2 of 2 files")
        program.sees("secrets in deploy.py: github-pat in line 1")
        program.sees("Take it all the same? [y/N]:")
        program.type("y\n")
        assert program.ends() == 0
        assert "⠋" not in program.picture.text
        assert "Done." in program.picture.text
    bundle = read((folder / "cats.md").read_bytes())
    assert [file.path for file in bundle.files] == ["cart.py", "deploy.py"]
    with Program(["cats"], cwd=folder) as program:
        program.sees("Take it all the same? [y/N]:")
        program.type("\n")
        assert program.ends() == 0
    assert [file.path for file in read((folder / "cats.md").read_bytes()).files] == ["cart.py"]


@pytest.mark.deep
@pytest.mark.proves("L16")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_curation_that_is_ended_leaves_no_bundle_and_says_so(
    repo: Repository, tmp_path: Path, number: signal.Signals
) -> None:
    model = script(tmp_path, {"text": "Too late.", "delay_seconds": 300})
    words = ["cats", "--ai-curate", "Mend it", "--model", model, "-o", "out.md"]
    program = [sys.executable, "-m", "ouroboros", *words]
    with forked.Popen(
        program, cwd=repo.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stderr is not None
        assert any("Ranking candidate files" in line for line in running.stderr)
        running.send_signal(number)
        said = running.stderr.read()
        assert running.wait(60) == 130
    assert said == "error: stopped before a choice was made; no bundle was written\n"
    assert sorted(path.name for path in repo.folder.iterdir()) == [".git", "kept"]
