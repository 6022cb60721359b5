"""Downloads: each lands in the session's artifacts under a safe name, bounded and measured.

The browser writes to a folder of ours under names it makes up itself (``allowAndName``), so no name of a
server is ever a path. Source: https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-setDownloadBehavior
"""

import mimetypes
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, CallTimedOut
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.artifacts import Artifacts, safe_name
from ouroboros.browser.wire import Incoming
from ouroboros.core.events.browser import DownloadFinished, DownloadStarted
from ouroboros.core.events.envelope import Event
from ouroboros.safety.origins import origin_of

DOWNLOAD_BYTES = 1_073_741_824
"""Largest download when the person has not said otherwise."""

WAIT_SECONDS = 60.0
MOST_AT_ONCE = 20
"""More downloads at one time are cancelled: a page may start any number."""

_LANDING = ".downloads"

type DownloadState = Literal["in_progress", "completed", "canceled", "failed"]


class Download(Struct, frozen=True, kw_only=True):
    """One download as code sees it; ``path``, ``sha256`` and the final name come with its end.

    Attributes:
        id: ``download_1``, ``download_2``, in the order they began.
        reason: Why it did not complete.
        artifact: Id of the kept file.
    """

    id: str
    url: str
    name: str
    tab: str = ""
    state: DownloadState = "in_progress"
    bytes: int = 0
    total: int = 0
    sha256: str = ""
    path: str = ""
    mime: str = ""
    artifact: str = ""
    reason: str = ""


class _WillBegin(Struct, frozen=True, rename="camel"):
    guid: str
    url: str = ""
    suggested_filename: str = ""
    frame_id: str = ""


class _Progress(Struct, frozen=True, rename="camel"):
    guid: str
    state: str
    total_bytes: float = 0
    received_bytes: float = 0


class Downloads:
    """Follows every download of the browser, or of one browser context."""

    def __init__(
        self,
        artifacts: Artifacts,
        publish: Callable[[Event], None],
        *,
        most_bytes: int = DOWNLOAD_BYTES,
    ) -> None:
        """``most_bytes`` bounds each file."""
        self._artifacts, self._publish, self._most = artifacts, publish, most_bytes
        self._by_guid: dict[str, Download] = {}
        self._ending: set[str] = set()
        self._number = 0
        self._moved = anyio.Event()

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Sends downloads to the artifacts from now on."""
        self._connection, self._tabs = connection, tabs
        for guid, download in tuple(self._by_guid.items()):
            if download.state == "in_progress":
                self._end(guid, "failed", "the browser was lost")
        self._landing = await anyio.to_thread.run_sync(self._land)
        connection.listen("Browser.downloadWillBegin", self._will_begin)
        connection.listen("Browser.downloadProgress", self._progress)
        await connection.call(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName",
                "downloadPath": str(self._landing),
                "eventsEnabled": True,
                **({"browserContextId": tabs.context} if tabs.context else {}),
            },
        )

    def all(self) -> tuple[Download, ...]:
        """All of them, oldest first."""
        return tuple(self._by_guid.values())

    async def wait(self, *, seen: int = 0, timeout_seconds: float = WAIT_SECONDS) -> Download:
        """The end of the next download after the first ``seen`` ones: take ``len(all())`` before the click.

        Raises:
            CallTimedOut: None began, or it did not end in time.
        """
        with anyio.move_on_after(timeout_seconds):
            while True:
                moved = self._moved
                for download in self.all()[seen:]:
                    if download.state != "in_progress":
                        return download
                await moved.wait()
        begun = self.all()[seen:]
        what = f"{begun[0].name} did not end" if begun else "no download began"
        raise CallTimedOut(f"{what} within {timeout_seconds:g} s")

    async def cancel(self, id: str) -> None:
        """Gives one up; nothing happens when it has ended.

        Raises:
            BrowserFailed: There is none of this name.
        """
        guid = next((guid for guid, found in self._by_guid.items() if found.id == id), None)
        if guid is None:
            raise BrowserFailed(f"there is no download {id!r}")
        if self._by_guid[guid].state == "in_progress":
            self._give_up(guid, "cancelled")

    def _of_frame(self, frame: str) -> str:
        """The tab that a frame belongs to; a tab that was opened for the file is its opener's."""
        for facts in self._tabs.all():
            if frame in self._tabs.tab(facts.id).frames.frames:
                return facts.id
        return ""

    def _land(self) -> Path:
        folder = self._artifacts.prepare() / _LANDING
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _will_begin(self, happening: Incoming) -> None:
        told = happening.read(_WillBegin)
        self._number += 1
        tab = self._of_frame(told.frame_id)
        download = Download(
            id=f"download_{self._number}",
            url=told.url,
            name=safe_name(told.suggested_filename, fallback="download"),
            tab=tab,
            mime=mimetypes.guess_type(told.suggested_filename)[0] or "",
        )
        under_way = sum(found.state == "in_progress" for found in self._by_guid.values())
        self._by_guid[told.guid] = download
        self._publish(
            DownloadStarted(
                id=download.id, url=origin_of(told.url), name=download.name, tab=download.tab
            )
        )
        self._tell()
        if under_way >= MOST_AT_ONCE:
            self._give_up(told.guid, f"more than {MOST_AT_ONCE} downloads at once")

    def _progress(self, happening: Incoming) -> None:
        told = happening.read(_Progress)
        download = self._by_guid.get(told.guid)
        if download is None or download.state != "in_progress" or told.guid in self._ending:
            return
        size = int(told.received_bytes)
        self._by_guid[told.guid] = _changed(
            download, bytes=size, total=max(0, int(told.total_bytes))
        )
        if max(size, int(told.total_bytes)) > self._most and told.state != "canceled":
            self._give_up(told.guid, f"larger than {self._most:,} bytes")
        elif told.state == "completed":
            self._ending.add(told.guid)
            self._tabs.tasks.start_soon(self._take_in, told.guid)
        elif told.state == "canceled":
            self._end(told.guid, "canceled", "the page, the browser or a full disk ended it")

    def _give_up(self, guid: str, reason: str) -> None:
        params = {"guid": guid}
        if self._tabs.context:
            params["browserContextId"] = self._tabs.context
        self._connection.post("Browser.cancelDownload", params)
        self._end(guid, "canceled", reason)
        self._tabs.tasks.start_soon(self._throw_away, guid)

    async def _throw_away(self, guid: str) -> None:
        part = self._landing / guid
        with suppress(OSError):  # what is left of it harms nobody
            await anyio.to_thread.run_sync(lambda: part.unlink(missing_ok=True))

    async def _take_in(self, guid: str) -> None:
        download = self._by_guid[guid]
        try:
            kept = await self._artifacts.adopt(
                self._landing / guid,
                download.name,
                kind="download",
                mime=download.mime,
                origin=origin_of(download.url),
            )
        except BrowserFailed as failed:
            self._end(guid, "failed", str(failed))
            return
        self._by_guid[guid] = _changed(
            download,
            name=kept.name,
            bytes=kept.bytes,
            sha256=kept.sha256,
            path=kept.path,
            artifact=kept.id,
        )
        self._end(guid, "completed", "")

    def _end(self, guid: str, state: DownloadState, reason: str) -> None:
        download = _changed(self._by_guid[guid], state=state, reason=reason)
        self._by_guid[guid] = download
        self._publish(
            DownloadFinished(
                id=download.id,
                name=download.name,
                state=state,
                bytes=download.bytes,
                reason=reason,
            )
        )
        self._tell()

    def _tell(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()


def _changed(download: Download, **fields: object) -> Download:
    from msgspec.structs import replace

    return replace(download, **fields)
