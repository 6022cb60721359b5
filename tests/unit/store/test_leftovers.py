"""What a killed run left half written is swept; what it kept, and what is not its own, stays."""

from pathlib import Path

import pytest

from ouroboros.store import leftovers, sessions
from ouroboros.store.lease import Lease
from tests.unit.store.samples import keep, numbered, ready


def folder(home: Path, session: str = "ses_1") -> Path:
    """Artifacts of a run that was killed while it downloaded one file and wrote another."""
    made = home / "artifacts" / session
    landing = made / ".downloads"
    landing.mkdir(parents=True)
    (landing / "0a1b.crdownload").write_bytes(b"x" * 1000)
    (landing / "2c3d").write_bytes(b"whole, and not taken over yet")
    (made / ".00ff.part").write_bytes(b"half")
    (made / "bill.pdf").write_bytes(b"kept")
    return made


def swept(home: Path, session: str = "ses_1") -> None:
    with Lease.take(home, session) as lease:
        leftovers.sweep(home, lease)


@pytest.mark.proves("browser-kills")
def test_parts_go_and_kept_files_stay(tmp_path: Path) -> None:
    made, other = folder(tmp_path), folder(tmp_path, "ses_2")
    swept(tmp_path)
    assert [path.name for path in made.iterdir()] == ["bill.pdf"]
    assert (other / ".downloads" / "2c3d").is_file()


def test_a_session_without_files_has_nothing_to_sweep(tmp_path: Path) -> None:
    swept(tmp_path)
    assert not (tmp_path / "artifacts").exists()


@pytest.mark.proves("browser-kills")
def test_a_link_goes_and_what_it_points_to_stays(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter").write_text("dear")
    made = folder(tmp_path)
    (made / ".link").symlink_to(mine)
    swept(tmp_path)
    assert [path.name for path in made.iterdir()] == ["bill.pdf"]
    assert (mine / "letter").read_text() == "dear"


@pytest.mark.proves("browser-kills")
def test_deleting_a_session_takes_the_parts_along(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready()]))
    made = folder(tmp_path)
    sessions.delete(tmp_path, "ses_1")
    assert not made.exists()
