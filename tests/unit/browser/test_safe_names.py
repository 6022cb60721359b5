"""Names that servers give to files become plain names in one folder."""

from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.transfer.artifacts import NAME_BYTES, Artifacts, safe_name
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.events.envelope import Event
from tests.cases import every
from tests.small_disk import fill, mounted

pytestmark = pytest.mark.real


@every(
    "written, name",
    [
        ("bill.csv", "bill.csv"),
        ("../../x", "x"),
        ("/etc/passwd", "passwd"),
        ("C:\\boot.ini", "boot.ini"),
        ("a\0b.txt", "a_b.txt"),
        ("..", "file"),
        ("", "file"),
        (".bashrc", "bashrc"),
        ("CON.txt", "_CON.txt"),
        ("gpj.\u202eexe", "gpj._exe"),
        ("  spaced .pdf ", "spaced .pdf"),
        ("\u00e9" * 300 + ".pdf", "\u00e9" * 78 + ".pdf"),
    ],
)
def test_a_name_is_plain(written: str, name: str) -> None:
    assert safe_name(written) == name


@pytest.mark.proves("C22")
@given(st.text(max_size=400))
def test_any_name_stays_in_its_folder_and_fits(written: str) -> None:
    name = safe_name(written)
    assert Path(name).name == name
    assert not name.startswith(".")
    assert 0 < len(name.encode()) <= NAME_BYTES + 1


@pytest.mark.proves("C22")
async def test_a_kept_file_is_whole_private_and_told(tmp_path: Path) -> None:
    told: list[Event] = []
    artifacts = Artifacts(tmp_path / "a", told.append)
    first = await artifacts.keep(b"one", "x.txt", kind="file")
    second = await artifacts.keep(b"two", "x.txt", kind="file")
    assert (first.name, second.name) == ("x.txt", "x (2).txt")
    assert await anyio.Path(second.path).read_bytes() == b"two"
    modes = [
        (await anyio.Path(path).stat()).st_mode & 0o777 for path in (tmp_path / "a", second.path)
    ]
    assert modes == [0o700, 0o600]
    assert [type(event) for event in told] == [ArtifactKept, ArtifactKept]
    assert artifacts.get(first.id) == artifacts.get(first.path) == first
    with pytest.raises(BrowserFailed):
        artifacts.get("artifact_9")


@pytest.mark.proves("C22")
async def test_a_full_disk_is_told_and_leaves_no_half_file(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", mebibytes=1) as disk:
        artifacts = Artifacts(disk / "a", lambda event: None)
        await anyio.to_thread.run_sync(artifacts.prepare)
        fill(disk / "filler")
        with pytest.raises(BrowserFailed, match="cannot keep"):
            await artifacts.keep(b"x" * 65536, "x.txt", kind="file")
        assert [path async for path in anyio.Path(disk / "a").iterdir()] == []
        assert artifacts.all() == ()
