"""Downloads end as artifacts, uploads start in allowed folders."""

import hashlib
from pathlib import Path

import pytest

from ouroboros.browser.errors import CallTimedOut, CannotAct
from ouroboros.browser.tabs import Tab
from ouroboros.browser.transfer.artifacts import Artifacts
from ouroboros.browser.transfer.choosers import Choosers
from ouroboros.browser.transfer.downloads import Downloads
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.core.events.browser import ArtifactKept, DownloadFinished
from ouroboros.core.events.envelope import Event
from tests.browser.site import Reply
from tests.browser.stage import Stage, read


class Landing:
    """Downloads of one test."""

    def __init__(self, folder: Path, most: int = 1_000_000) -> None:
        self.events: list[Event] = []
        self.artifacts = Artifacts(folder / "artifacts", self.events.append)
        self.downloads = Downloads(self.artifacts, self.events.append, most_bytes=most)


def _attached(body: bytes, name: str = "bill.csv") -> Reply:
    return Reply(
        body, "text/csv", 200, (("content-disposition", f'attachment; filename="{name}"'),)
    )


def _content(path: str) -> tuple[bytes, int]:
    return Path(path).read_bytes(), Path(path).stat().st_mode & 0o777


def _letter(folder: Path) -> Path:
    file = folder / "letter.txt"
    file.write_text("dear", encoding="utf-8")
    return file


def _go(tab: Tab, path: str) -> None:
    tab.connection.post(
        "Runtime.evaluate", {"expression": f"location = {path!r}"}, session=tab.session
    )


async def _landed(stage: Stage, tmp_path: Path, most: int = 1_000_000) -> Landing:
    landing = Landing(tmp_path, most)
    await landing.downloads.begin(stage.connection, stage.tabs)
    return landing


@pytest.mark.deep
@pytest.mark.proves("C17")
async def test_a_download_becomes_an_artifact_with_name_size_and_hash(
    stage: Stage, tmp_path: Path
) -> None:
    landing = await _landed(stage, tmp_path)
    body = b"a,b\n" * 1000
    stage.site.put("bill", _attached(body))
    tab = await stage.show("<title>Shop</title>")
    _go(tab, "/bill")
    done = await landing.downloads.wait(timeout_seconds=60)
    assert (done.state, done.name, done.bytes, done.tab) == ("completed", "bill.csv", 4000, tab.id)
    assert done.sha256 == hashlib.sha256(body).hexdigest()
    assert _content(done.path) == (body, 0o600)
    (kept,) = [event for event in landing.events if isinstance(event, ArtifactKept)]
    assert (kept.path, kept.sha256, kept.mime) == (done.path, done.sha256, "text/csv")


@pytest.mark.proves("C17")
@pytest.mark.deep
async def test_two_files_of_one_name_stay_two(stage: Stage, tmp_path: Path) -> None:
    landing = await _landed(stage, tmp_path)
    tab = await stage.show("<title>Shop</title>")
    for number in range(2):
        stage.site.put(f"bill{number}", _attached(str(number).encode()))
        seen = len(landing.downloads.all())
        _go(tab, f"/bill{number}")
        await landing.downloads.wait(seen=seen, timeout_seconds=60)
    names = {Path(download.path).name for download in landing.downloads.all()}
    assert names == {"bill.csv", "bill (2).csv"}


@pytest.mark.deep
@pytest.mark.proves("C17")
async def test_a_name_that_climbs_stays_in_the_folder(stage: Stage, tmp_path: Path) -> None:
    landing = await _landed(stage, tmp_path)
    stage.site.put("bill", _attached(b"x", "../../../etc/passwd"))
    _go(await stage.show("<title>Shop</title>"), "/bill")
    done = await landing.downloads.wait(timeout_seconds=60)
    assert Path(done.path).parent == tmp_path / "artifacts"


@pytest.mark.deep
async def test_an_empty_file_is_a_file(stage: Stage, tmp_path: Path) -> None:
    landing = await _landed(stage, tmp_path)
    stage.site.put("bill", _attached(b""))
    _go(await stage.show("<title>Shop</title>"), "/bill")
    done = await landing.downloads.wait(timeout_seconds=60)
    assert (done.state, done.bytes) == ("completed", 0)


@pytest.mark.proves("C17")
@pytest.mark.deep
async def test_a_file_that_is_too_large_is_given_up(stage: Stage, tmp_path: Path) -> None:
    landing = await _landed(stage, tmp_path, most=1000)
    stage.site.put("bill", _attached(b"x" * 200_000))
    _go(await stage.show("<title>Shop</title>"), "/bill")
    done = await landing.downloads.wait(timeout_seconds=60)
    assert done.state == "canceled"
    assert "larger than 1,000" in done.reason
    assert landing.artifacts.all() == ()
    assert [e.state for e in landing.events if isinstance(e, DownloadFinished)] == ["canceled"]


async def test_waiting_for_a_download_that_never_begins_ends(stage: Stage, tmp_path: Path) -> None:
    landing = await _landed(stage, tmp_path)
    with pytest.raises(CallTimedOut, match="no download began"):
        await landing.downloads.wait(timeout_seconds=0.1)


@pytest.mark.deep
@pytest.mark.proves("C17")
async def test_a_chooser_is_caught_and_given_the_files(stage: Stage, tmp_path: Path) -> None:
    choosers = Choosers()
    await choosers.begin(stage.connection, stage.tabs)
    tab = await stage.show(
        "<button onclick='f.click()'>Choose</button><input id=f type=file hidden>"
    )
    file = _letter(tmp_path)
    await tab.evaluate("document.querySelector('button').click()", world="main")
    chooser = await choosers.wait(tab)
    files = await Uploads([tmp_path]).allowed([str(file)])
    await choosers.answer(tab, chooser, files)
    assert await read(tab, "await f.files[0].text()") == "dear"


@pytest.mark.deep
async def test_more_files_than_a_place_takes_are_refused(stage: Stage, tmp_path: Path) -> None:
    choosers = Choosers()
    await choosers.begin(stage.connection, stage.tabs)
    tab = await stage.show(
        "<button onclick='f.click()'>Choose</button><input id=f type=file hidden>"
    )
    await tab.evaluate("document.querySelector('button').click()", world="main")
    chooser = await choosers.wait(tab)
    with pytest.raises(CannotAct, match="one file"):
        await choosers.answer(tab, chooser, [tmp_path / "a", tmp_path / "b"])
