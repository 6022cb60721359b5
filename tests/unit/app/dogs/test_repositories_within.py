"""A command that judges moves, makes or hides repositories: none of them is lost on the way back."""

from pathlib import Path

import pytest

from tests.unit.app.dogs.dogs_stage import Dogs, git, picture, project_in

pytestmark = pytest.mark.real


@pytest.fixture
def dogs(tmp_path: Path) -> Dogs:
    made = Dogs(project_in(tmp_path), tmp_path / "home")
    committed(made.root / "inner")
    return made


def committed(folder: Path) -> None:
    folder.mkdir()
    (folder / "x").write_text("x\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "mine")


MOVING = (
    "mv inner other; false",
    "mv inner other; touch inner; false",
    "mkdir deep; mv inner/.git deep/.git; rm -r inner; ln -s src inner; false",
    "mv .git .git.bak; false",
    "mv inner/.git inner/hidden; mv .git build/hidden; false",
)


@pytest.mark.deep
@pytest.mark.proves("M18", "M19")
async def test_one_that_was_moved_goes_back_to_its_place(dogs: Dogs) -> None:
    before = picture(dogs.root)
    for command in MOVING:
        outcome = await dogs(verify=command, revert=True)
        assert (command, outcome.outcome, outcome.reason) == (command, "reverted", "")
        after = picture(dogs.root)
        changed = {path for path in before | after if before.get(path) != after.get(path)}
        assert (command, changed) == (command, set())


@pytest.mark.proves("M18", "M19")
async def test_one_that_is_new_stays_and_is_told(dogs: Dogs, tmp_path: Path) -> None:
    committed(tmp_path / "other")
    command = f"mv {tmp_path}/other other; mv inner a; cp -r a b; mv a inner; touch new; false"
    outcome = await dogs(verify=command, revert=True)
    assert (outcome.outcome, outcome.exit_code) == ("reverted", 3)
    assert outcome.reason == "repositories that were not there before stay: 'b', 'other'"
    for name in ("b", "other", "inner"):
        assert git(dogs.root / name, "show", "HEAD:x") == "x\n"
    assert not (dogs.root / "new").exists()


@pytest.mark.proves("M18", "M19")
async def test_one_whose_place_another_took_is_not_lost(dogs: Dogs) -> None:
    outcome = await dogs(verify="mv inner other; git init -q inner; false", revert=True)
    assert outcome.reason.startswith(
        "repositories that were not there before stay: 'inner', 'other'; "
    )
    assert git(dogs.root / "other", "show", "HEAD:x") == "x\n"
    outcome = await dogs(verify="mv .git old; git init -q; false", revert=True)
    assert (outcome.outcome, outcome.exit_code) == ("verify_failed", 2)
    assert "the repository of '.' is in 'old' and cannot be moved back" in outcome.reason
    assert git(dogs.root, "--git-dir=old", "log", "--format=%s", "-1") == "first\n"


@pytest.mark.proves("M18", "M19")
async def test_a_work_tree_that_was_cut_from_its_repository_is_joined_again(
    dogs: Dogs, tmp_path: Path
) -> None:
    git(dogs.root, "stash", "-q")
    git(dogs.root, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    tree = Dogs(tmp_path / "tree", tmp_path / "home")
    (tree.root / "src" / "app.py").write_text('import os\nprint("dirty")\n')
    outcome = await tree(verify="mv .git hidden; false", revert=True)
    assert (outcome.outcome, outcome.reason) == ("reverted", "")
    assert git(tree.root, "status", "--porcelain") == " M src/app.py\n"
