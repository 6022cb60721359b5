"""What a kill cannot show: that a commit also survives the loss of power."""

from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.store.db import open_database


@pytest.mark.proves("spine-store", "I02")
@pytest.mark.parametrize("opening", ["first", "second"])
def test_every_connection_waits_for_the_disk_and_writes_ahead(tmp_path: Path, opening: str) -> None:
    if opening == "second":
        open_database(tmp_path).close()
    with closing(open_database(tmp_path)) as connection:
        (full,) = connection.execute("PRAGMA synchronous").fetchone()
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    assert (full, mode) == (2, "wal")
