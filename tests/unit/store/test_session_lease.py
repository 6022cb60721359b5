"""One owner for each session."""

import fcntl
import os
import threading
from pathlib import Path

import pytest

from ouroboros.core.errors import SessionBusy, SessionUnknown
from ouroboros.store.lease import Lease, holder
from tests.cases import every


@pytest.mark.proves("I15")
def test_a_second_owner_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    first = Lease.take(tmp_path, "ses_1")
    with pytest.raises(SessionBusy, match=r"Session 'ses_1' is in use by process \d+"):
        Lease.take(tmp_path, "ses_1")
    Lease.take(tmp_path, "ses_2").release()
    first.release()
    first.release()
    assert not first.is_held
    with Lease.take(tmp_path, "ses_1") as second:
        assert second.is_held
    assert holder(tmp_path, "ses_1") is None


@pytest.mark.parametrize("left", ["", "4194305"], ids=["released", "killed"])
def test_one_who_only_looks_is_no_owner(tmp_path: Path, left: str) -> None:
    """A list of sessions locks for a moment; nobody owns the session meanwhile."""
    Lease.take(tmp_path, "ses_1").release()
    path = tmp_path / "locks" / "ses_1.lock"
    path.write_text(left)  # no process has a number above the kernel's bound
    looking = os.open(path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    looks_away = threading.Timer(0.1, os.close, [looking])
    looks_away.start()
    with Lease.take(tmp_path, "ses_1") as lease:
        assert lease.is_held
    looks_away.join()


@pytest.mark.deep
def test_a_lock_that_nobody_signs_is_given_up(tmp_path: Path) -> None:
    Lease.take(tmp_path, "ses_1").release()
    unsigned = os.open(tmp_path / "locks" / "ses_1.lock", os.O_RDONLY)
    fcntl.flock(unsigned, fcntl.LOCK_SH)
    with pytest.raises(SessionBusy, match="in use by another process"):
        Lease.take(tmp_path, "ses_1")
    os.close(unsigned)


def test_lock_files_are_private(tmp_path: Path) -> None:
    home = tmp_path / "a" / "home"
    with Lease.take(home, "ses_1"):
        assert (home / "locks" / "ses_1.lock").stat().st_mode & 0o777 == 0o600
        assert {folder.stat().st_mode & 0o777 for folder in (home, home / "locks")} == {0o700}


@every("name", ["", ".", "..", "../x", "a/b", "a\n", "-rf", "a" * 200, "é"])
def test_a_name_that_is_a_path_is_not_a_session(tmp_path: Path, name: str) -> None:
    with pytest.raises(SessionUnknown):
        Lease.take(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_removed_lock_cannot_be_held_twice(tmp_path: Path) -> None:
    first = Lease.take(tmp_path, "ses_1")
    first.remove()
    second = Lease.take(tmp_path, "ses_1")
    with pytest.raises(SessionBusy):
        Lease.take(tmp_path, "ses_1")
    second.release()


def test_a_lock_file_removed_between_opening_and_locking_is_not_ownership(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "locks" / "ses_1.lock"
    removed: list[Path] = []
    flock = fcntl.flock

    def removed_meanwhile(descriptor: int, operation: int) -> None:
        if not removed:
            path.unlink()
            removed.append(path)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    with Lease.take(tmp_path, "ses_1"), pytest.raises(SessionBusy):
        Lease.take(tmp_path, "ses_1")
    assert removed == [path]
