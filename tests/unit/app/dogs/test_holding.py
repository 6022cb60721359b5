"""Files are kept before a bundle, and come back exactly; nothing of the person's Git is written."""

from collections.abc import Generator
from pathlib import Path

import pytest

from ouroboros.app.paws.dogs.holding import Attempt, Busy, Hold, content_name
from ouroboros.core.clock import SystemClock
from ouroboros.workspace.checkpoints.rewind import begin, planned
from ouroboros.workspace.checkpoints.scan import Bounds
from tests.unit.app.dogs.dogs_stage import picture, project_in

pytestmark = pytest.mark.real


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.fixture
def hold(root: Path, tmp_path: Path) -> Generator[Hold]:
    made = Hold(tmp_path / "home", root, Bounds(), SystemClock())
    yield made
    made.close()


def test_everything_comes_back_and_what_came_goes(hold: Hold, root: Path) -> None:
    before = picture(root)
    kept = hold.everything()
    (root / "src" / "app.py").write_bytes(b"changed\n")
    (root / "run.sh").chmod(0o600)
    (root / "untracked.txt").unlink()
    (root / "build" / "out.bin").write_bytes(b"built")
    (root / "build" / "more").write_bytes(b"made")
    (root / "build" / "empty").rmdir()
    (root / "a.log").write_bytes(b"log\nmore\n")
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "x").write_bytes(b"x")
    (root / "link").unlink()
    (root / "link").symlink_to("run.sh")
    found = hold.restore(kept)
    assert found.left == {}
    assert picture(root) == before


@pytest.mark.proves("M19", "CF07")
def test_keeping_leaves_no_trace_in_the_repository(hold: Hold, root: Path) -> None:
    before = picture(root)
    hold.everything()
    hold.paths(["src/app.py", "not/there"])
    assert picture(root) == before


def test_one_bundle_is_taken_back_and_all_else_stays(hold: Hold, root: Path) -> None:
    before = picture(root)
    made = {"src/app.py": b"changed\n", "new/file.txt": b"new\n", "untracked.txt": b""}
    kept = hold.paths(made)
    (root / "src" / "app.py").write_bytes(made["src/app.py"])
    (root / "new").mkdir()
    (root / "new" / "file.txt").write_bytes(made["new/file.txt"])
    (root / "untracked.txt").unlink()
    (root / "later.txt").write_bytes(b"the person's, written since")
    attempt = Attempt(
        bundle="answer.md",
        before=kept,
        made=tuple(
            (path.encode(), content_name(data) if data else "") for path, data in made.items()
        ),
    )
    hold.remember(attempt)
    assert hold.latest() == attempt
    found = hold.undo(attempt)
    assert found.left == {}
    (root / "later.txt").unlink()
    assert picture(root) == before


def test_a_file_that_was_changed_since_is_left_and_told(hold: Hold, root: Path) -> None:
    kept = hold.paths(["src/app.py", "run.sh"])
    (root / "src" / "app.py").write_bytes(b"bundle\n")
    (root / "run.sh").write_bytes(b"bundle\n")
    made = ((b"src/app.py", content_name(b"bundle\n")), (b"run.sh", content_name(b"bundle\n")))
    (root / "run.sh").write_bytes(b"and then the person\n")
    found = hold.undo(Attempt(bundle="x", before=kept, made=made))
    assert found.left == {"run.sh": "it was changed since"}
    assert (root / "run.sh").read_bytes() == b"and then the person\n"
    assert (root / "src" / "app.py").read_bytes() == b'import os\nprint("dirty")\n'


def test_two_cannot_work_in_one_folder(hold: Hold, root: Path, tmp_path: Path) -> None:
    other = Hold(tmp_path / "home", root, Bounds(), SystemClock())
    with hold.alone(), pytest.raises(Busy), other.alone():
        raise AssertionError("both were let in")
    with other.alone():
        pass
    other.close()


def test_old_checkpoints_go(hold: Hold, root: Path) -> None:
    first = hold.paths(["run.sh"])
    for number in range(5):
        (root / "run.sh").write_bytes(b"%d" % number)
        hold.paths(["run.sh"])
    (root / "run.sh").write_bytes(b"last")
    last = hold.paths(["run.sh"])
    hold.tidy()
    assert not hold._shadow.has(first)
    assert hold._shadow.has(last)


@pytest.mark.proves("M19", "CF07")
def test_a_way_back_that_was_cut_off_is_gone_on_with(hold: Hold, root: Path) -> None:
    before = picture(root)
    kept = hold.everything()
    for name in ("run.sh", "untracked.txt", "a.log"):
        (root / name).write_text("changed\n")
    (root / "made").mkdir()
    shadow = hold._shadow
    start = hold.everything()
    changes, _ = planned(shadow, start, kept, hold._bounds)

    def dies(step: str) -> None:
        if step == "put run.sh":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), shadow.locked():
        begin(shadow, hold._plan(kept, start), changes, dies)
    assert picture(root) != before
    assert hold.resume() is not None
    assert hold.resume() is None
    assert picture(root) == before
