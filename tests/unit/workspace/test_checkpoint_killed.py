"""A process is killed at each thing that it does to the disk; what is left is whole, or finished later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.workspace.checkpoints.rewind import finish, pending
from ouroboros.workspace.checkpoints.shadow import Shadow
from tests.unit.workspace.kept_folder import Kept, seen

pytestmark = pytest.mark.real

SCRIPT = """
import os, signal, sys
from pathlib import Path
from tests.unit.workspace.kept_folder import Kept
kept = Kept(Path({folder!r}))
kept.last = {last!r}
count = 0
EVENTS = {{"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.symlink"}}
def hook(event, arguments):
    global count
    if event in EVENTS:
        count += 1
        if count == {at}:
            os.kill(os.getpid(), signal.SIGKILL)
import hashlib, zlib, tempfile
sys.addaudithook(hook)
{work}
print(count)
"""
TAKE = "kept.take()"
BACK = "kept.back({checkpoint!r})"
HERE = Path(__file__).parents[3]


def run(kept: Kept, work: str, at: int) -> subprocess.CompletedProcess[str]:
    code = SCRIPT.format(folder=str(kept.home.parent), last=kept.last, at=at, work=work)
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{HERE / 'src'}{os.pathsep}{HERE}"},
    )


def changed(folder: Path) -> Kept:
    """A folder that was kept and then changed in every way."""
    kept = Kept(folder)
    root = kept.root
    (root / "d" / "e").mkdir(parents=True)
    (root / "locked").mkdir()
    (root / "locked" / "x").write_text("x")
    (root / "locked").chmod(0o555)
    for name in ("a", "b", "d/c", "d/e/f"):
        (root / name).write_text(f"{name} as it was")
    (root / "link").symlink_to("a")
    return kept


def change(root: Path) -> None:
    (root / "a").write_text("changed")
    (root / "b").unlink()
    (root / "b").mkdir()
    (root / "b" / "inner").write_text("new")
    (root / "d" / "e" / "f").unlink()
    (root / "d" / "e").rmdir()
    (root / "d" / "c").chmod(0o600)
    (root / "link").unlink()
    (root / "new").write_text("new")
    (root / "locked").chmod(0o755)
    (root / "locked" / "x").write_text("changed")
    (root / "locked").chmod(0o555)


def points(total: int, step: int) -> range:
    return range(1, total + 1, step)


def killed_while_taking(folder: Path, step: int) -> None:
    kept = changed(folder)
    total = int(run(kept, TAKE, 0).stdout)
    assert total > 20
    for at in points(total, step):
        change_one = kept.root / "a"
        change_one.write_text(f"{at}")
        ended = run(kept, TAKE, at)
        assert ended.returncode in {-9, 0}, ended.stderr
        kept.shadow = Shadow.opened(kept.home, kept.root)
        assert kept.shadow.notice == ""
        taken = kept.take()
        kept.git("rev-list", "--objects", "--all")
        assert kept.git("show", f"{taken.checkpoint}:a") == f"{at}"


def killed_while_going_back(folder: Path, step: int) -> None:
    kept = changed(folder)
    was, first = seen(kept.root), kept.take()
    change(kept.root)
    then, second = seen(kept.root), kept.take()
    total = int(run(kept, BACK.format(checkpoint=first.checkpoint), 0).stdout)
    assert seen(kept.root) == was
    for number, at in enumerate(points(total, step)):
        kept.back(second.checkpoint)
        assert seen(kept.root) == then
        ended = run(kept, BACK.format(checkpoint=first.checkpoint), at)
        # Not every run takes as many steps as the first did.
        is_done = ended.returncode == 0 and int(ended.stdout) < at
        assert is_done or ended.returncode == -9, (ended.stdout, ended.stderr)
        shadow = kept.shadow = Shadow.opened(kept.home, kept.root)
        plan = pending(shadow)
        if plan is None:  # it had not begun, or it was done
            assert seen(kept.root) in ((was,) if is_done else (was, then)), at
            continue
        way = "back" if number % 2 else "on"
        with shadow.locked():
            finish(shadow, plan, kept.bounds, way=way)
        assert seen(kept.root) == (then if way == "back" else was), (at, way)
        assert pending(shadow) is None


STEPS = [pytest.param(7, marks=pytest.mark.deep), pytest.param(1, marks=pytest.mark.soak)]


@pytest.mark.proves("K14")
@pytest.mark.parametrize("step", STEPS)
def test_a_checkpoint_that_is_cut_off_harms_none_and_the_next_is_whole(
    tmp_path: Path, step: int
) -> None:
    killed_while_taking(tmp_path, step)


@pytest.mark.proves("K14")
@pytest.mark.parametrize("step", STEPS)
def test_a_rewind_that_is_cut_off_is_finished_or_taken_back(tmp_path: Path, step: int) -> None:
    killed_while_going_back(tmp_path, step)


class Killed(BaseException):
    """Stands for the end of the process, where what comes after it in this one matters not."""


def test_a_folder_that_may_not_be_written_is_so_again_after_a_crash(tmp_path: Path) -> None:
    kept = changed(tmp_path)
    first = kept.take()
    change(kept.root)
    kept.take()

    def step(name: str) -> None:
        if name == "put locked/x":
            (kept.root / "locked").chmod(0o755)  # as it was made for the rename
            raise Killed

    with pytest.raises(Killed):
        kept.back(first.checkpoint, step=step)
    (kept.root / "locked").chmod(0o755)  # a killed process puts no mode back
    plan = pending(kept.shadow)
    assert plan is not None
    assert dict(plan.modes) == {b"locked": 0o555}
    with kept.shadow.locked():
        finish(kept.shadow, plan, kept.bounds)
    assert seen(kept.root)["locked"] == ("folder", 0o555, b"")


def test_what_the_person_changed_after_the_crash_stays(tmp_path: Path) -> None:
    kept = changed(tmp_path)
    first = kept.take()
    change(kept.root)
    kept.take()

    def step(name: str) -> None:
        if name == "put":
            raise Killed

    with pytest.raises(Killed):
        kept.back(first.checkpoint, step=step)
    (kept.root / "a").write_text("the person's own")
    plan = pending(kept.shadow)
    assert plan is not None
    with kept.shadow.locked():
        done = finish(kept.shadow, plan, kept.bounds)
    assert (kept.root / "a").read_text() == "the person's own"
    assert done.left == {"a": "it was changed meanwhile"}
    assert (kept.root / "d" / "e" / "f").read_text() == "d/e/f as it was"
