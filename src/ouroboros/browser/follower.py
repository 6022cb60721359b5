"""Keeps the facts of tabs true to what the browser tells of them."""

from collections.abc import Mapping
from urllib.parse import unquote

from anyio.abc import TaskGroup
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.face import look_up
from ouroboros.browser.tab import Tab, readable
from ouroboros.browser.targets import InfoChanged, TargetInfo
from ouroboros.browser.wire import Incoming


class _OfFrame(Struct, frozen=True, rename="camel"):
    frame_id: str


class Follower:
    """Listens as long as the connection lives."""

    def __init__(
        self,
        connection: Connection,
        tasks: TaskGroup,
        by_session: Mapping[str, Tab],
        by_target: Mapping[str, Tab],
    ) -> None:
        """``tasks`` is the browser's group; the mappings are kept by their owner as tabs come and go."""
        self._tasks, self._by_session, self._by_target = tasks, by_session, by_target
        for happening, hear in (
            ("Page.frameNavigated", self._frame_happened),
            ("Page.navigatedWithinDocument", self._frame_happened),
            ("Page.frameAttached", self._frame_happened),
            ("Page.frameDetached", self._frame_happened),
            ("Page.frameStartedLoading", self._load_moved),
            ("Page.frameStoppedLoading", self._load_moved),
            ("Page.windowOpen", self._gesture_used),
            ("Page.fileChooserOpened", self._gesture_used),
            ("Inspector.targetCrashed", self._crashed),
            ("Target.targetInfoChanged", self._info_changed),
        ):
            connection.listen(happening, hear)

    def note(self, told: TargetInfo) -> None:
        """Takes up the title and the address of a target; an address as a title is the browser's own."""
        tab = self._by_target.get(told.target_id)
        if tab is None:
            return
        known = tab.title if tab.url == told.url else ""
        title = known if _stands_in(told.title, told.url) else readable(told.title)
        if (tab.title, tab.url) != (title, told.url):
            tab.title, tab.url = title, told.url
            tab.tell()

    def _frame_happened(self, happening: Incoming) -> None:
        tab = self._by_session.get(happening.session)
        if tab is None:
            return
        before = tab.frames.frames.get(tab.frames.top)
        loader = before.loader if before is not None else ""
        tab.frames.take(happening)
        top = tab.frames.frames.get(tab.frames.top)
        if top is not None:
            tab.url = top.url or tab.url
            tab.title = tab.title if top.loader == loader else ""
            tab.tell()

    def _load_moved(self, happening: Incoming) -> None:
        tab = self._by_session.get(happening.session)
        if tab is not None and happening.read(_OfFrame).frame_id == tab.frames.top:
            tab.is_loading = happening.method == "Page.frameStartedLoading"
            tab.is_followed = True
            tab.tell()
            if not tab.is_loading:
                self._tasks.start_soon(look_up, tab)

    def _gesture_used(self, happening: Incoming) -> None:
        """A window or a chooser uses a gesture up: the next call brings another."""
        tab = self._by_session.get(happening.session)
        if tab is not None:
            tab.gestures.clear()

    def _crashed(self, happening: Incoming) -> None:
        tab = self._by_session.get(happening.session)
        if tab is not None and happening.session == tab.session:
            tab.crash()

    def _info_changed(self, happening: Incoming) -> None:
        self.note(happening.read(InfoChanged).target_info)


def _stands_in(title: str, url: str) -> bool:
    """Whether a title is what the browser shows of a page without one: the address, written for people."""
    whole = unquote(url).removesuffix("/")
    return title != "" and title.removesuffix("/") in {whole, whole.partition("://")[2]}
