"""File choosers: none ever opens; a page that wants one waits, harmless, until files are handed to it."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import CannotAct
from ouroboros.browser.tabs import Tab, Tabs
from ouroboros.browser.targets import Target
from ouroboros.browser.wire import Incoming

WAIT_SECONDS = 10.0


class Chooser(Struct, frozen=True, kw_only=True):
    """A page that asked for files."""

    tab: str
    session: str
    node: int
    multiple: bool


class _Opened(Struct, frozen=True, rename="camel"):
    frame_id: str = ""
    mode: str = "selectSingle"
    backend_node_id: int = 0


class Choosers:
    """Catches every chooser and hands files to inputs."""

    def __init__(self) -> None:
        """Nothing was asked for yet."""
        self._open: dict[str, Chooser] = {}

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Catches from now on."""
        self._connection, self._tabs = connection, tabs
        connection.listen("Page.fileChooserOpened", self._opened)
        tabs.on_target(self._meet)
        for target in tuple(tabs.targets.by_session.values()):
            await self._meet(target)

    def forget(self, tab: str) -> None:
        """To be called before the click that should open a chooser."""
        self._open.pop(tab, None)

    def of(self, tab: str) -> Chooser | None:
        """What a tab asks for."""
        return self._open.get(tab)

    async def wait(self, tab: Tab, *, timeout_seconds: float = WAIT_SECONDS) -> Chooser:
        """The chooser that a tab has asked for, or asks for soon.

        Raises:
            CallTimedOut: It asked for none.
        """
        await tab.until(
            lambda: tab.id in self._open, timeout_seconds, "no file chooser was asked for"
        )
        return self._open[tab.id]

    async def answer(self, tab: Tab, chooser: Chooser, files: Sequence[Path]) -> None:
        """Hands files that ``Uploads.allowed`` has let through to a chooser; raises as ``hand``."""
        if len(files) > 1 and not chooser.multiple:
            raise CannotAct(f"{tab.id}: this place takes one file")
        self.forget(tab.id)
        await hand(tab, chooser.node, files, session=chooser.session)

    async def _meet(self, target: Target) -> None:
        if target.type in {"page", "iframe"}:
            await self._connection.call(
                "Page.setInterceptFileChooserDialog", {"enabled": True}, session=target.session
            )

    def _opened(self, happening: Incoming) -> None:
        tab = self._tabs.of_session(happening.session)
        told = happening.read(_Opened)
        if tab is not None and told.backend_node_id:
            self._open[tab.id] = Chooser(
                tab=tab.id,
                session=happening.session,
                node=told.backend_node_id,
                multiple=told.mode == "selectMultiple",
            )
            tab.tell()


async def hand(tab: Tab, node: int, files: Sequence[Path], *, session: str = "") -> None:
    """Puts files into a file input, by its backend node id.

    Raises:
        BrowserFailed: It is no file input, or it is gone.
    """
    params = {"files": [str(path) for path in files], "backendNodeId": node}
    await tab.call("DOM.setFileInputFiles", params, session=session)
