"""Bundles on a disk without room: nothing is half written, and everything comes back all the same."""

from collections.abc import Generator
from pathlib import Path

import pytest

from ouroboros.core.errors import OuroborosError
from tests.small_disk import fill, mounted
from tests.unit.app.dogs.dogs_stage import BUNDLE, Dogs, picture, project_in

pytestmark = pytest.mark.real


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Path]:
    with mounted(tmp_path / "disk", mebibytes=4) as folder:
        yield folder


@pytest.fixture
def cramped(disk: Path, tmp_path: Path) -> Dogs:
    """The project has no room left."""
    dogs = Dogs(project_in(disk), tmp_path / "home")
    fill(dogs.root / "filler")
    return dogs


@pytest.fixture
def homeless(disk: Path, tmp_path: Path) -> Dogs:
    """The home folder has none."""
    home = disk / "home"
    home.mkdir()
    dogs = Dogs(project_in(tmp_path), home)
    fill(disk / "filler")
    return dogs


@pytest.fixture
def roomy(disk: Path, tmp_path: Path) -> Dogs:
    return Dogs(project_in(disk), tmp_path / "home")


@pytest.mark.proves("M13")
async def test_a_bundle_without_room_leaves_everything_as_it_was(cramped: Dogs) -> None:
    before = picture(cramped.root)
    large = BUNDLE.replace("# New", "long line\n" * 2_000)
    outcome = await cramped(large)
    assert (outcome.outcome, outcome.exit_code) == ("refused", 1)
    assert "No space left" in outcome.reason
    assert picture(cramped.root) == before


@pytest.mark.proves("M13")
async def test_what_cannot_be_kept_before_is_not_changed(homeless: Dogs) -> None:
    before = picture(homeless.root)
    with pytest.raises(OuroborosError, match="No space left"):
        await homeless()
    with pytest.raises(OuroborosError, match="No space left"):
        await homeless(verify="false", revert=True)
    assert picture(homeless.root) == before


@pytest.mark.proves("M13", "M19", "CF07")
async def test_a_command_that_fills_the_disk_is_taken_back(roomy: Dogs) -> None:
    before = picture(roomy.root)
    outcome = await roomy(verify="rm -rf build src; cat /dev/zero > filler; false", revert=True)
    assert (outcome.outcome, outcome.exit_code) == ("reverted", 3)
    assert picture(roomy.root) == before
