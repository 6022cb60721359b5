"""Downloads of a browser that is gone: told as failed, and in nobody's way."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from ouroboros.browser.connection import connected
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.artifacts import Artifacts
from ouroboros.browser.transfer.downloads import MOST_AT_ONCE, Downloads
from ouroboros.core.events.browser import DownloadFinished
from ouroboros.core.events.envelope import Event
from tests.unit.browser.test_connection import Line


class Agreeing(Line):
    """A browser that agrees to every call."""

    async def send(self, message: bytes) -> None:
        await super().send(message)
        self.say({"id": self.sent[-1]["id"], "result": {}})


async def _begin(downloads: Downloads, starting: int) -> None:
    line = Agreeing()
    async with connected(line) as connection, anyio.create_task_group() as tasks:
        await downloads.begin(connection, Tabs(connection, tasks))
        for number in range(starting):
            guid = f"{id(line)}-{number}"
            params = {"guid": guid, "url": "http://a.example/x", "suggestedFilename": "x.csv"}
            line.say({"method": "Browser.downloadWillBegin", "params": params})
        while len(downloads.all()) < starting:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    line.end()
    line._receive.close()


@pytest.mark.proves("C10")
async def test_a_download_of_a_lost_browser_has_failed_when_the_next_one_starts(
    tmp_path: Path,
) -> None:
    events: list[Event] = []
    downloads = Downloads(Artifacts(tmp_path / "kept", events.append), events.append)
    await _begin(downloads, MOST_AT_ONCE)
    assert {download.state for download in downloads.all()} == {"in_progress"}
    await _begin(downloads, 0)
    assert {download.state for download in downloads.all()} == {"failed"}
    told = [event for event in events if isinstance(event, DownloadFinished)]
    assert len(told) == MOST_AT_ONCE
    assert "the browser was lost" in told[0].reason
