"""A file is replaced whole, or stays what it was."""

from pathlib import Path

import pytest

from ouroboros.safety.private_file import replacing


def test_the_new_takes_the_place_of_the_old_and_only_the_owner_can_read_it(tmp_path: Path) -> None:
    target = tmp_path / "kept.json"
    target.write_bytes(b"old")
    target.chmod(0o644)
    with replacing(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
        [other] = [each for each in tmp_path.iterdir() if each != target]
        assert other.stat().st_mode & 0o777 == 0o600
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_leaves_the_old_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "kept.json"
    target.write_bytes(b"old")

    def write() -> None:
        with replacing(target, 0o644) as file:
            file.write(b"half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
