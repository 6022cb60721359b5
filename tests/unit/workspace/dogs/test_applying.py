"""All of a plan is on the disk, or nothing of it: full disks, kills, and others who change things."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ouroboros.workspace.artifacts.dogs import FilePlan, Plan, Refused, Snapshot
from ouroboros.workspace.artifacts.dogs.applying import ApplyFailed, apply, recover
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder
from tests.small_disk import fill, mounted
from tests.unit.workspace.dogs import killed

pytestmark = pytest.mark.real

HERE = Path(__file__).parents[4]

type Seen = dict[str, tuple[int, bytes | str | None]]


def seen(root: Path) -> Seen:
    """Every name below a folder: its mode and its content; of a folder none, of a link its target."""
    return {
        path.relative_to(root).as_posix(): (
            path.lstat().st_mode,
            str(path.readlink())
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else None,
        )
        for path in sorted(root.rglob("*"))
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    killed.lay_out(tmp_path / "work")
    return tmp_path / "work"


def planned(root: Path, bundle: bytes = killed.BUNDLE) -> Plan:
    made = plan(read(bundle), Folder(root))
    assert made.refusals == ()
    return made


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file()
    }


WRITTEN = {
    "changed.txt": "as it shall be\n",
    "folder": "a file where a folder was\n",
    "file/below": "below what was a file\n",
    "new/place.sh": "echo\n",
    "new/other.txt": "new\n",
    "kept/k.txt": "as it was\n",
}


def test_every_kind_of_change_is_written(root: Path, tmp_path: Path):
    apply(planned(root), root, journal=tmp_path / "journal")
    assert contents(root) == WRITTEN
    assert (root / "new/place.sh").stat().st_mode & 0o777 == 0o750
    assert not (root / "gone").exists()
    assert not (tmp_path / "journal").exists()


@pytest.mark.proves("M25", "CF13")
def test_a_file_keeps_its_mode_and_attributes(root: Path, tmp_path: Path):
    (root / "changed.txt").chmod(0o640)
    os.setxattr(root / "changed.txt", "user.origin", b"x")
    apply(planned(root), root, journal=tmp_path / "journal")
    assert (root / "changed.txt").stat().st_mode & 0o777 == 0o640
    assert os.getxattr(root / "changed.txt", "user.origin") == b"x"


def check_killed(folder: Path, step: int, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.unit.workspace.dogs.killed", str(folder), str(step), *words],
        check=True,
        cwd=HERE,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": f"{HERE / 'src'}{os.pathsep}{HERE}"},
    )
    killed.lay_out(folder / "before")
    before, after = seen(folder / "before"), seen(folder / "whole" / "work")
    outcomes: set[str] = set()
    for place in folder.iterdir():
        if place.name.isdecimal():
            found = recover(place / "work", journal=place / "journal")
            assert found.left == ()
            is_written = seen(place / "work") == after
            assert is_written or seen(place / "work") == before, place.name
            assert recover(place / "work", journal=place / "journal").outcome == "nothing"
            outcomes.add(f"{found.outcome} {'after' if is_written else 'before'}")
    assert {"taken back before", "finished after"} <= outcomes
    assert outcomes <= {"taken back before", "finished after", "nothing before", "nothing after"}


@pytest.mark.deep
@pytest.mark.proves("M13", "CF14")
def test_killed_now_and_then_it_is_all_written_or_taken_back(tmp_path: Path):
    check_killed(tmp_path, 5)


@pytest.mark.soak
def test_killed_at_anything_it_is_all_written_or_taken_back(tmp_path: Path):
    check_killed(tmp_path, 1)


@pytest.mark.proves("M13", "CF14")
@pytest.mark.deep
def test_killed_where_a_file_has_one_name_only_it_is_all_written_or_taken_back(tmp_path: Path):
    check_killed(tmp_path, 7, "one-name")


@pytest.mark.deep
def test_killed_at_anything_where_a_file_has_one_name_only(tmp_path: Path):
    check_killed(tmp_path, 1, "one-name")


def test_many_files_are_written(root: Path, tmp_path: Path):
    blocks = [f"--- New File: many/f{number} ---\n```\n{number}\n```\n" for number in range(70)]
    apply(planned(root, "".join(blocks).encode()), root, journal=tmp_path / "journal")
    assert {path.name: path.read_text() for path in (root / "many").iterdir()} == {
        f"f{number}": f"{number}\n" for number in range(70)
    }


class Stopped(BaseException):
    """The process is interrupted."""


@pytest.mark.deep
@pytest.mark.proves("M13", "CF14")
def test_whatever_breaks_it_off_everything_is_as_it_was(root: Path, tmp_path: Path):
    steps: list[str] = []
    made, before = planned(root), seen(root)

    def stop_at(number: int) -> Callable[[str], None]:
        def hear(step: str) -> None:
            steps.append(step)
            if len(steps) == number:
                raise Stopped

        return hear

    for number in range(1, 100):
        steps.clear()
        try:
            apply(made, root, journal=tmp_path / "journal", hear=stop_at(number))
        except Stopped:
            if steps[-1] == "tidy":
                break
            assert seen(root) == before, steps
            assert not (tmp_path / "journal").exists()
    assert len(steps) > 15
    assert recover(root, journal=tmp_path / "journal").outcome == "finished"
    assert contents(root) == WRITTEN


@pytest.mark.proves("M13", "CF14")
def test_no_room_on_the_disk_leaves_everything_as_it_was(tmp_path: Path):
    with mounted(tmp_path / "small", mebibytes=1) as disk:
        root = disk / "work"
        killed.lay_out(root)
        made = planned(root)
        big = FilePlan(
            path="zz/big",
            action="add",
            before=None,
            after=Snapshot(content=os.urandom(3 * 1_048_576)),
        )
        before = seen(root)
        with pytest.raises(ApplyFailed, match=r"No space left.*everything is as it was"):
            apply(Plan(files=(*made.files, big)), root, journal=tmp_path / "journal")
        assert seen(root) == before
        assert not (tmp_path / "journal").exists()


@pytest.mark.proves("M13", "CF14")
def test_no_room_for_the_journal_changes_nothing(root: Path, tmp_path: Path):
    made, before = planned(root), seen(root)
    with mounted(tmp_path / "small", mebibytes=1) as disk:
        (disk / "journal.lock").touch()
        fill(disk / "filler")
        with pytest.raises(ApplyFailed, match="No space left"):
            apply(made, root, journal=disk / "journal")
    assert seen(root) == before


def at(step: str, act: Callable[[], object]) -> Callable[[str], None]:
    def hear(heard: str) -> None:
        if heard == step:
            act()

    return hear


@pytest.mark.proves("M13")
def test_what_is_written_is_not_said_to_have_failed_where_old_files_cannot_go(
    root: Path, tmp_path: Path
):
    def full() -> None:
        raise OSError(errno.EIO, "Input/output error")

    apply(planned(root), root, journal=tmp_path / "journal", hear=at("tidy", full))
    assert recover(root, journal=tmp_path / "journal").outcome == "finished"
    assert contents(root) == WRITTEN


@pytest.mark.proves("paws-files-that-moved-on")
@pytest.mark.parametrize("step", ["stage changed.txt", "remove file", "put new/other.txt"])
def test_a_file_that_was_changed_meanwhile_is_not_overwritten(
    root: Path, tmp_path: Path, step: str
):
    hear = at(step, lambda: (root / "changed.txt").write_text("somebody's work\n"))
    made, before = planned(root), seen(root)
    if step == "put new/other.txt":
        # By then it is replaced, and the person writes over what came.
        apply(made, root, journal=tmp_path / "journal", hear=hear)
        assert contents(root) == {**WRITTEN, "changed.txt": "somebody's work\n"}
        return
    with pytest.raises(Refused, match=r"'changed.txt', block 1: it was changed just now"):
        apply(made, root, journal=tmp_path / "journal", hear=hear)
    assert (root / "changed.txt").read_text() == "somebody's work\n"
    assert seen(root).keys() == before.keys()


@pytest.mark.proves("M12")
def test_a_link_put_in_the_way_is_not_followed(root: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()

    def swap() -> None:
        (root / "kept").rename(root / "aside")
        (root / "kept").symlink_to(outside)

    made = planned(root, b"--- New File: kept/new.txt ---\n```\nx\n```\n")
    for step in ("stage kept/new.txt", "put kept/new.txt"):
        with pytest.raises(Refused, match="a link was put in its way"):
            apply(made, root, journal=tmp_path / "journal", hear=at(step, swap))
        assert list(outside.iterdir()) == []
        (root / "kept").unlink()
        (root / "aside").rename(root / "kept")
    (root / "changed.txt").unlink()
    (root / "changed.txt").symlink_to(outside / "x")
    with pytest.raises(Refused, match="changed just now"):
        apply(
            Plan(
                files=(
                    FilePlan(
                        path="changed.txt",
                        action="change",
                        before=Snapshot(content=b"as it was\n"),
                        after=Snapshot(content=b"evil\n"),
                    ),
                )
            ),
            root,
            journal=tmp_path / "journal",
        )
    assert list(outside.iterdir()) == []


@pytest.mark.proves("paws-files-that-moved-on")
def test_a_file_that_came_meanwhile_is_not_overwritten(root: Path, tmp_path: Path):
    def come() -> None:
        (root / "new").mkdir(exist_ok=True)
        (root / "new/other.txt").write_text("somebody's")

    made, before = planned(root), contents(root)
    with pytest.raises(Refused, match="something was put there just now"):
        apply(made, root, journal=tmp_path / "journal", hear=at("put new/other.txt", come))
    assert contents(root) == {**before, "new/other.txt": "somebody's"}


def test_a_file_that_is_gone_meanwhile_is_told(root: Path, tmp_path: Path):
    made = planned(root)
    (root / "changed.txt").unlink()
    with pytest.raises(Refused, match="it is gone"):
        apply(made, root, journal=tmp_path / "journal")


@pytest.mark.deep
@pytest.mark.proves("M13", "CF14")
def test_work_done_after_a_kill_stays(tmp_path: Path):
    """The person changes a file that the killed process had written; what was there before is kept."""
    subprocess.run(
        [sys.executable, "-c", _KILLED_WHEN_WRITTEN.format(place=str(tmp_path))],
        check=False,
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": f"{HERE / 'src'}{os.pathsep}{HERE}"},
    )
    root = tmp_path / "work"
    assert (root / "changed.txt").read_text() == "as it shall be\n"
    (root / "changed.txt").write_text("typed after the crash\n")
    found = recover(root, journal=tmp_path / "journal")
    assert found.outcome == "taken back"
    assert len(found.left) == 1
    assert found.left[0].startswith("changed.txt (what was there before is kept as .ouro-")
    assert (root / "changed.txt").read_text() == "typed after the crash\n"
    kept = [path for path in root.iterdir() if path.name.startswith(".ouro-")]
    assert [path.read_text() for path in kept] == ["as it was\n"]


_KILLED_WHEN_WRITTEN = """
import os, signal
from pathlib import Path
from tests.unit.workspace.dogs import killed
from ouroboros.workspace.artifacts.dogs.applying import apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder
place = Path({place!r})
killed.lay_out(place / "work")
made = plan(read(killed.BUNDLE), Folder(place / "work"))
def hear(step):
    if step == "done":
        os.kill(os.getpid(), signal.SIGKILL)
apply(made, place / "work", journal=place / "journal", hear=hear)
"""


def test_a_journal_that_is_damaged_is_told(root: Path, tmp_path: Path):
    (tmp_path / "journal").write_bytes(b"{")
    with pytest.raises(ApplyFailed, match="damaged"):
        recover(root, journal=tmp_path / "journal")


@pytest.mark.proves("paws-files-that-moved-on")
def test_what_does_not_fit_any_more_is_found_before_anything_is_changed(root: Path, tmp_path: Path):
    made = planned(root)
    (root / "old.sh").write_text("somebody's work\n")
    heard: list[str] = []
    with pytest.raises(Refused, match=r"'old.sh', block 7: it was changed just now"):
        apply(made, root, journal=tmp_path / "journal", hear=heard.append)
    assert {step.partition(" ")[0] for step in heard} == {"stage"}


def test_an_empty_plan_writes_nothing(root: Path, tmp_path: Path):
    before = seen(root)
    apply(Plan(files=()), root, journal=tmp_path / "journal")
    assert seen(root) == before
