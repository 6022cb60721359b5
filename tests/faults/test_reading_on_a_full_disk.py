"""A home folder without any room left: what is there can be listed, shown, searched and written out."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from ouroboros.core.errors import StoreFull
from ouroboros.store import health, resume
from ouroboros.store.db import open_database
from ouroboros.store.following import Follower
from ouroboros.store.search import search
from ouroboros.store.sessions import archive, find, list_sessions
from tests.faults import oracle
from tests.faults.test_changed_surroundings import ouro
from tests.small_disk import fill, mounted
from tests.unit.store.samples import SESSION, keep, numbered, ready, said


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", mebibytes=2) as disk:
        yield disk


def searched(home: Path, words: str) -> list[int]:
    return [found.seq for found in search(home, words)]


@pytest.mark.proves("sessions-faults-full-disk")
@pytest.mark.parametrize("left", ["closed", "killed"])
@pytest.mark.parametrize("indexed", [0, 1, 2])
def test_the_store_can_be_read_without_room(
    tmp_path: Path, disk: Path, left: str, indexed: int
) -> None:
    """With the index of words not made, behind, and whole; after an end and after a kill."""
    home, before = tmp_path / "home", numbered([ready(), said("a needle")])
    keep(home, before)
    if indexed == 1:
        assert searched(home, "needle") == [2]
    after = numbered([said("another needle")], after=2)
    keep(home, after)
    if indexed == 2:
        assert searched(home, "needle") == [2, 3] or searched(home, "needle") == [3, 2]
    with ExitStack() as holding:
        if left == "killed":
            database = holding.enter_context(closing(open_database(home)))
            database.execute("PRAGMA wal_autocheckpoint=0")
            database.execute("UPDATE sessions SET title = 'In the write-ahead file'")
        shutil.copytree(home, disk, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*-shm"))
    fill(disk / "ballast")
    with pytest.raises(StoreFull):
        open_database(disk)
    (listed,) = list_sessions(disk)
    assert (listed.id, listed.title == "In the write-ahead file") == (SESSION, left == "killed")
    assert find(disk, SESSION) == listed
    assert resume.read(disk, SESSION).envelopes == [*before, *after]
    assert sorted(searched(disk, "needle")) == [2, 3]
    assert searched(disk, "another") == [3]
    assert Follower(disk, SESSION).read() == [*before, *after]
    assert health.examine(disk).wrong == ""
    with pytest.raises(StoreFull):
        archive(disk, SESSION)
    (disk / "ballast").unlink()
    archive(disk, SESSION)
    assert list_sessions(disk) == ()


@pytest.mark.proves("sessions-faults-full-disk")
@pytest.mark.deep
def test_past_sessions_are_shown_by_the_command_line(tmp_path: Path, disk: Path) -> None:
    assert ouro(tmp_path, disk, "run", "--model", "echo", "a needle")[0] == 0
    fill(disk / "ballast")
    for words in (("list",), ("show", "last"), ("search", "needle")):
        assert ouro(tmp_path, disk, "sessions", *words) == (0, "")
    written = tmp_path / "written.jsonl"
    assert ouro(tmp_path, disk, "export", "last", "-o", str(written))[0] == 0
    assert b"a needle" in written.read_bytes()
    code, told = ouro(tmp_path, disk, "sessions", "rename", "last", "x")
    assert (code, oracle.of_telling(code, told)) == (1, [])
