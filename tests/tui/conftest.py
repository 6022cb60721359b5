"""What the tests of the full-screen face share."""

from pathlib import Path

import pytest

from tests.tui.pictures import Album


@pytest.fixture
def album(request: pytest.FixtureRequest, tmp_path: Path) -> Album:
    """The kept pictures; ``--inline-snapshot=fix`` or ``create`` accepts what is drawn now."""
    flags = request.config.getoption("--inline-snapshot") or ""
    return Album(tmp_path, accepts=bool({"fix", "create"} & set(str(flags).split(","))))
