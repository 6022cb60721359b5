"""The key file under a crowd, on a full disk, and after a writer that was killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.providers import keys
from ouroboros.core.errors import StoreFailed
from tests.small_disk import fill, mounted

pytestmark = pytest.mark.real

STORE = """
import sys
from pathlib import Path
from ouroboros.app.providers import keys
for number in range(5):
    keys.store(Path(sys.argv[1]), f"KEY_{sys.argv[2]}_{number}", "x" * 20)
"""


@pytest.mark.deep
@pytest.mark.proves("W08")
def test_writers_beside_each_other_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STORE, str(tmp_path)]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(6)]
    assert [writer.wait(60) for writer in writers] == [0] * 6
    assert len(keys.stored(tmp_path)) == 30


@pytest.mark.proves("W08")
def test_a_full_disk_loses_no_key(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", mebibytes=1) as home:
        keys.store(home, "OLD_KEY", "old")
        fill(home / "filler")
        with pytest.raises(StoreFailed, match="No space left"):
            keys.store(home, "NEW_KEY", "x" * 4000)
        assert keys.stored(home) == {"OLD_KEY": "old"}
        (home / "filler").unlink()
        keys.store(home, "NEW_KEY", "new")
        assert keys.stored(home) == {"OLD_KEY": "old", "NEW_KEY": "new"}


@pytest.mark.proves("W08")
def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".keys.toml.abc123"
    left.write_text('A_KEY = "half')
    keys.store(tmp_path, "A_KEY", "whole")
    assert not left.exists()
    assert keys.stored(tmp_path) == {"A_KEY": "whole"}


def test_a_forgotten_key_is_gone_and_the_others_stay(tmp_path: Path) -> None:
    keys.store(tmp_path, "A_KEY", "a")
    keys.store(tmp_path, "B_KEY", "b")
    assert keys.forget(tmp_path, "A_KEY") == ("keys.toml",)
    assert keys.forget(tmp_path, "A_KEY") == ()
    assert keys.stored(tmp_path) == {"B_KEY": "b"}
    assert keys.key_file(tmp_path).stat().st_mode & 0o777 == 0o600
