"""A folder for a browser's temporary files is swept when its owner is dead, and never another's."""

import fcntl
import os
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.scratch import PREFIX, scratch
from ouroboros.safety.scratch import MARKER


@pytest.fixture
def root() -> Generator[Path]:
    """A place that is short enough for sockets; what pytest gives is not."""
    with TemporaryDirectory(prefix="o") as path:
        yield Path(path)


def left(root: Path, name: str) -> Path:
    """What a killed owner leaves: its lock is gone with it."""
    folder = root / f"{PREFIX}{name}"
    (folder / "org.chromium.x").mkdir(parents=True)
    (folder / "org.chromium.x" / "SingletonSocket").write_text("")
    (folder / MARKER).touch()
    return folder


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


async def test_it_is_ones_own_and_gone_at_the_end(root: Path) -> None:
    async with scratch({"TMPDIR": str(root)}) as mine:
        assert mine.parent == root
        assert mine.stat().st_mode & 0o777 == 0o700
        (mine / "file").write_text("")
    assert names(root) == []


async def test_what_the_dead_left_is_swept_and_the_living_keep_theirs(root: Path) -> None:
    environment = {"TMPDIR": str(root)}
    async with scratch(environment) as living:
        dead = left(root, "dead")
        async with scratch(environment) as mine:
            assert not dead.exists()
            assert names(root) == sorted([living.name, mine.name])
        assert names(root) == [living.name]


async def test_what_only_looks_like_ours_stays(root: Path, tmp_path: Path) -> None:
    theirs = left(tmp_path, "elsewhere")
    (root / f"{PREFIX}link").symlink_to(theirs)
    (root / f"{PREFIX}unmarked").mkdir()
    (root / f"{PREFIX}file").write_text("")
    async with scratch({"TMPDIR": str(root)}):
        pass
    assert names(root) == [f"{PREFIX}file", f"{PREFIX}link", f"{PREFIX}unmarked"]
    assert (theirs / MARKER).exists()


async def test_a_lock_of_anybody_keeps_a_folder(root: Path) -> None:
    held = left(root, "held")
    descriptor = os.open(held, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    async with scratch({"TMPDIR": str(root)}):
        assert held.exists()
    os.close(descriptor)
    async with scratch({"TMPDIR": str(root)}):
        assert not held.exists()


@pytest.mark.parametrize("wanted", ["", "/no/such/place", f"/{'x' * 60}"])
async def test_a_place_that_does_not_do_gives_way(wanted: str) -> None:
    async with scratch({"TMPDIR": wanted}) as mine:
        assert mine.parent == Path("/", "tmp")
    assert not mine.exists()


async def test_a_place_that_takes_nothing_is_told() -> None:
    """The kernel's own folders take no new one, not even root's."""
    with pytest.raises(BrowserFailed, match="no folder for temporary files can be made in /proc"):
        async with scratch({"TMPDIR": "/proc/self"}):
            pass
