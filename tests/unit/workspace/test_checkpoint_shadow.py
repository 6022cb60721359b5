"""The repository of a folder among other processes, other names and other accidents."""

import os
import resource
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from ouroboros.workspace.checkpoints import index
from ouroboros.workspace.checkpoints.faults import CheckpointFailed, CheckpointLost, Stopped
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow
from tests.cases import every
from tests.small_disk import fill, mounted
from tests.unit.workspace.kept_folder import Kept, seen

pytestmark = pytest.mark.real


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_folder_is_found_again_under_another_name(kept: Kept, tmp_path: Path) -> None:
    (kept.root / "a").write_text("a")
    first = kept.take()
    kept.root.rename(tmp_path / "renamed")
    again = Shadow.opened(kept.home, tmp_path / "renamed")
    assert again.folder == kept.shadow.folder
    assert again.belongs_to == str(tmp_path / "renamed")
    assert again.has(first.checkpoint)


def test_a_folder_that_was_removed_and_made_again_gets_its_files_back(kept: Kept) -> None:
    (kept.root / "d").mkdir()
    (kept.root / "d" / "a").write_text("a")
    was, first = seen(kept.root), kept.take()
    shutil.rmtree(kept.root)
    with pytest.raises(CheckpointFailed, match="cannot be"):
        kept.take()
    kept.root.mkdir()
    kept.shadow = Shadow.opened(kept.home, kept.root)
    kept.back(first.checkpoint)
    assert seen(kept.root) == was


def test_two_folders_of_one_name_have_repositories_of_their_own(tmp_path: Path) -> None:
    for parent in ("x", "y"):
        (tmp_path / parent / "work").mkdir(parents=True)
    shadows = [Shadow.opened(tmp_path / "home", tmp_path / parent / "work") for parent in "xy"]
    assert shadows[0].folder != shadows[1].folder


@pytest.mark.proves("sessions-k-faults")
def test_a_damaged_repository_is_put_aside_and_said(kept: Kept) -> None:
    (kept.root / "a").write_text("a")
    kept.take()
    kept.shadow.library.close()
    for pack in (kept.shadow.folder / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o600)
        pack.write_bytes(b"")
    again = Shadow.opened(kept.home, kept.root)
    assert "put aside" in again.notice
    assert again.folder != kept.shadow.folder
    assert [path.name for path in kept.home.glob("checkpoints/*.damaged-*")] != []
    kept.shadow, kept.last = again, ("", "")
    assert kept.take().is_new
    assert Shadow.opened(kept.home, kept.root).folder == again.folder


def test_what_an_earlier_process_left_half_written_stands_in_nobodys_way(kept: Kept) -> None:
    (kept.root / "a").write_text("a")
    folder = kept.shadow.folder
    (folder / "objects" / "pack" / "tmp_0123456789abcdef").write_bytes(b"PACK half")
    (folder / "index.lock").write_text("")
    (folder / "config.lock").write_text("")
    (folder / "HEAD").unlink()
    kept.shadow = Shadow.opened(kept.home, kept.root)
    first = kept.take()
    with kept.shadow.locked():
        kept.shadow.tidy()
    assert list((folder / "objects" / "pack").glob("tmp_*")) == []
    assert kept.git("ls-tree", "--name-only", first.checkpoint) == "a\n"


@every("damage", ["cut", "flip", "empty", "gone"])
def test_a_damaged_index_only_costs_time(kept: Kept, damage: str) -> None:
    (kept.root / "a").write_text("a")
    first = kept.take()
    path = kept.shadow.folder / "ouroboros.index"
    data = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "flip":
            path.write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
        case "empty":
            path.write_bytes(b"")
        case _:
            path.unlink()
    assert index.load(path) is None
    again = Shadow.opened(kept.home, kept.root)
    taken = again.take(Bounds(), session="ses_2", message="x", now=time.time())
    assert taken.tree == first.tree


def test_an_index_is_not_trusted_for_what_another_process_has_removed(kept: Kept) -> None:
    for number in range(3):
        (kept.root / f"f{number}").write_text(f"{number}")
        os.utime(kept.root / f"f{number}")
    kept.take()
    other = Shadow.opened(kept.home, kept.root)
    (kept.shadow.folder / "ouroboros.index").unlink()
    other.forget("ses_1")
    with other.locked():
        other.tidy()
    assert other.library.names() == set()
    kept.last = ("", "")
    again = kept.take()
    kept.git("rev-list", "--objects", again.checkpoint)


def test_the_index_names_files_that_are_no_text(kept: Kept) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    (kept.root / "d").mkdir()
    (kept.root / "d" / odd).write_text("a")
    (kept.root / "d" / "plain").write_text("b")
    first = kept.take()
    again = Shadow.opened(kept.home, kept.root)
    (kept.root / "d" / odd).unlink()
    taken = again.take(Bounds(), session="ses_1", message="x", now=time.time())
    assert taken.tree != first.tree
    (kept.root / "d" / odd).write_text("a")
    kept.shadow = Shadow.opened(kept.home, kept.root)
    assert kept.take().tree == first.tree


@pytest.mark.proves("sessions-k-faults")
def test_a_clock_that_jumps_hides_no_change(kept: Kept) -> None:
    file = kept.root / "a"
    trees: set[str] = set()
    for number, now in enumerate((time.time(), 0.0, time.time() + 1e6, time.time() - 1e6)):
        file.write_text(f"{number}")
        taken = kept.shadow.take(Bounds(), session="ses_1", message="x", now=now)
        trees.add(taken.tree)
    assert len(trees) == 4


def test_too_many_names_and_too_little_time_are_told(kept: Kept) -> None:
    for number in range(5):
        (kept.root / f"f{number}").write_text("x")
    with pytest.raises(CheckpointFailed, match="more than 3 names"):
        kept.shadow.take(Bounds(entries=3), session="ses_1", message="x", now=0.0)
    with pytest.raises(CheckpointFailed, match="more than 4 bytes"):
        kept.shadow.take(Bounds(new_bytes=4), session="ses_1", message="x", now=0.0)
    with pytest.raises(Stopped):
        kept.shadow.take(Bounds(), session="ses_1", message="x", now=0.0, stop=lambda: True)
    assert kept.shadow.library.names() == set()


@pytest.mark.deep
@pytest.mark.proves("sessions-k-faults")
def test_threads_and_sessions_take_turns(kept: Kept) -> None:
    for number in range(20):
        (kept.root / f"f{number}").write_text(f"{number}")

    def work(session: int) -> list[str]:
        shadow = Shadow.opened(kept.home, kept.root)
        found: list[str] = []
        for number in range(4):
            (kept.root / f"s{session}").write_text(f"{number}")
            taken = shadow.take(Bounds(), session=f"ses_{session}", message="x", now=time.time())
            found.append(taken.checkpoint)
        return found

    with ThreadPoolExecutor(4) as pool:
        made = [sha for found in pool.map(work, range(4)) for sha in found]
    assert len(kept.git("for-each-ref").splitlines()) == 16
    kept.git("fsck", "--full", "--strict")
    kept.shadow.library.load()
    assert all(kept.shadow.has(sha) for sha in made)


def test_a_folder_that_several_open_for_the_first_time_has_one_repository(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    start = Barrier(6)

    def work(_: int) -> Path:
        start.wait(60)
        return Shadow.opened(tmp_path / "home", tmp_path / "work").folder

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(work, range(6)))) == 1
    assert len(list((tmp_path / "home" / "checkpoints").glob("*.git"))) == 1


@pytest.mark.deep
@pytest.mark.proves("sessions-k-faults")
def test_a_full_disk_is_said_and_keeps_what_there_is(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", mebibytes=2) as home:
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "a").write_text("a")
        kept = Kept(tmp_path)
        kept.shadow = Shadow.opened(home, kept.root)
        first = kept.take()
        (kept.root / "noise").write_bytes(os.urandom(4_000_000))
        with pytest.raises(CheckpointFailed, match="No space left"):
            kept.take()
        (kept.root / "noise").unlink()
        fill(home / "filler")
        (kept.root / "a").write_text("b" * 5_000)
        with pytest.raises(CheckpointFailed, match="No space left"):
            kept.take()
        (home / "filler").unlink()
        assert kept.take().is_new
        kept.back(first.checkpoint)
        assert (kept.root / "a").read_text() == "a"
        kept.shadow.library.close()


def test_a_folder_whose_name_is_no_text_is_kept_as_any_other(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    kept = Kept(odd)
    (kept.root / "a").write_text("one")
    first = kept.take()
    (kept.root / "a").write_text("two")
    kept.back(first.checkpoint)
    assert (kept.root / "a").read_text() == "one"
    assert Shadow.opened(kept.home, kept.root).folder == kept.shadow.folder


@pytest.mark.proves("sessions-k-faults")
def test_what_is_damaged_is_put_aside_when_it_is_needed_and_kept_anew(kept: Kept) -> None:
    (kept.root / "a").write_bytes(os.urandom(50_000))
    (kept.root / "b").write_text("b")
    was, first = seen(kept.root), kept.take()
    kept.shadow.library.close()
    (pack,) = (kept.shadow.folder / "objects" / "pack").glob("*.pack")
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.chmod(0o600)
    pack.write_bytes(data)
    kept.shadow = Shadow.opened(kept.home, kept.root)
    (kept.root / "a").unlink()
    put_aside = pytest.raises(CheckpointLost, match="1 damaged objects were put aside")
    with put_aside, kept.shadow.reading():
        kept.back(first.checkpoint)
    assert not (kept.root / "a").exists()
    (kept.root / "a").write_bytes(was["a"][2])
    again = kept.take()
    (kept.root / "a").unlink()
    kept.back(again.checkpoint)
    assert (kept.root / "a").read_bytes() == was["a"][2]


def test_beyond_the_bytes_the_oldest_go_and_the_latest_of_each_session_stays(kept: Kept) -> None:
    made: dict[str, list[str]] = {"ses_1": [], "ses_2": []}
    for number in range(8):
        (kept.root / "a").write_bytes(os.urandom(50_000))
        session = f"ses_{number % 2 + 1}"
        made[session].append(kept.take(session).checkpoint)
    with kept.shadow.locked():
        assert kept.shadow.bound("ses_1", 500, 260_000) == 4
        assert kept.shadow.library.size < 260_000
        assert [kept.shadow.checkpoints(each) for each in made] == [
            each[-2:] for each in made.values()
        ]
        kept.shadow.bound("ses_1", 500, 1)
        assert [kept.shadow.checkpoints(each) for each in made] == [
            each[-1:] for each in made.values()
        ]
    kept.git("rev-list", "--objects", "--all")


def test_fewer_checkpoints_than_are_to_stay_all_stay(kept: Kept) -> None:
    made: list[str] = []
    for number in range(4):
        (kept.root / "a").write_text(f"{number}")
        made.append(kept.take().checkpoint)
    assert kept.shadow.forget("ses_1", 7) == 0
    assert kept.shadow.checkpoints("ses_1") == made
    assert kept.shadow.forget("ses_1", 3) == 1
    assert kept.shadow.checkpoints("ses_1") == made[1:]


def test_an_earlier_checkpoint_that_another_process_let_go_of_is_not_given_back(kept: Kept) -> None:
    (kept.root / "a").write_text("a")
    first = kept.take()
    other = Shadow.opened(kept.home, kept.root)
    other.forget("ses_1")
    with other.locked():
        other.tidy()
    again = kept.take()
    assert again.is_new
    assert again.tree == first.tree
    assert other.checkpoints("ses_1") == [again.checkpoint]


def test_packs_that_go_while_they_are_looked_for_are_no_damage(kept: Kept) -> None:
    for number in range(6):
        (kept.root / "a").write_text(f"{number}")
        kept.take()
    packs = kept.shadow.folder / "objects" / "pack"
    told: list[str] = []

    def sweep(event: str, arguments: tuple[object, ...]) -> None:
        # Right before a pack is opened, as another process may, once.
        if told != ["look"] or event != "open":
            return
        if str(arguments[0]).startswith(os.fspath(packs)):
            told.append("swept")
            other.forget("ses_1", 1)
            with other.locked():
                other.tidy()

    other = Shadow.opened(kept.home, kept.root)
    sys.addaudithook(sweep)
    told.append("look")
    again = Shadow.opened(kept.home, kept.root)
    told.append("over")
    assert told == ["look", "swept", "over"]
    assert (again.notice, again.folder) == ("", kept.shadow.folder)
    assert again.has(kept.last[0])


def test_a_process_with_too_many_files_open_puts_nothing_aside(kept: Kept) -> None:
    for number in range(8):
        (kept.root / "a").write_text(f"{number}")
        kept.take()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = {int(path.name) for path in Path("/proc/self/fd").iterdir()}
    free = [number for number in range(1_000) if number not in used]
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[6], hard))
    try:
        with pytest.raises(CheckpointFailed, match="Too many open files"):
            Shadow.opened(kept.home, kept.root)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    again = Shadow.opened(kept.home, kept.root)
    assert (again.notice, again.folder) == ("", kept.shadow.folder)


def test_what_changed_just_now_is_read_again_and_what_is_older_is_not(kept: Kept) -> None:
    (kept.root / "a").write_text("one")
    for later, is_trusted in ((0.0, False), (10.0, True)):
        kept.shadow.take(Bounds(), session="ses_1", message="x", now=time.time() + later)
        known = index.load(kept.shadow.folder / "ouroboros.index")
        assert known is not None
        assert (known.files["a"].changed != -1) is is_trusted
