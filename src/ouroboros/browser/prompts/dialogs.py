"""Dialogs of pages: an alert is waved through, a question waits for whoever decides.

While one is open nothing in its page runs, so what is known of it is known here and never asked of the
page. Source: https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import CallRefused, CannotAct
from ouroboros.browser.tabs import Tab, Tabs
from ouroboros.browser.wire import Incoming
from ouroboros.core.events.browser import DialogAnswered, DialogOpened
from ouroboros.core.events.envelope import Event
from ouroboros.core.limits import PREVIEW_CHARS

MOST_ALERTS = 100
"""Alerts of one document that are waved through; the next one stays open, and so the storm ends."""

_KEPT = 50

type DialogRule = Literal["ask", "accept", "dismiss"]
type RuleOf = Callable[[str], DialogRule]
"""What a person has settled for a page's address."""


class Dialog(Struct, frozen=True, kw_only=True):
    """One dialog.

    Attributes:
        kind: ``alert``, ``confirm``, ``prompt`` or ``beforeunload``.
        message: Page text: untrusted, cut to a preview.
        default: What a prompt offers, cut as well.
        alerts: How many this document has shown.
    """

    tab: str
    kind: str
    message: str = ""
    default: str = ""
    url: str = ""
    alerts: int = 0


class _Opening(Struct, frozen=True, rename="camel"):
    url: str = ""
    message: str = ""
    type: str = "alert"
    default_prompt: str = ""


class _Closed(Struct, frozen=True):
    result: bool = False


def _asks(url: str) -> DialogRule:
    del url
    return "ask"


class Dialogs:
    """Knows the open dialog of every tab, and answers those that need no decision."""

    def __init__(self, publish: Callable[[Event], None], rule: RuleOf = _asks) -> None:
        """``publish`` puts each on record; ``rule`` may decide a site's questions beforehand."""
        self._publish, self._rule = publish, rule
        self._open: dict[str, Dialog] = {}
        self._by: dict[str, str] = {}
        self._alerts: dict[str, tuple[str, int]] = {}
        self.past: deque[Dialog] = deque(maxlen=_KEPT)

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Listens from now on."""
        self._connection, self._tabs = connection, tabs
        connection.listen("Page.javascriptDialogOpening", self._opening)
        connection.listen("Page.javascriptDialogClosed", self._closed)

    def of(self, tab: str) -> Dialog | None:
        """The dialog that waits in a tab."""
        return self._open.get(tab)

    async def answer(self, tab: str, accept: bool, text: str = "", *, by: str = "code") -> Dialog:
        """Decides the open dialog of a tab; ``text`` is what is typed into a prompt.

        Raises:
            CannotAct: There is none.
        """
        waiting = self._open.get(tab)
        if waiting is None:
            raise CannotAct(f"no dialog is open in {tab}")
        self._by[tab] = by
        holder = self._tabs.tab(tab)
        try:
            await holder.call("Page.handleJavaScriptDialog", _answer(accept, text))
        except CallRefused as gone:
            raise CannotAct(f"the dialog in {tab} was gone already") from gone
        finally:
            self._clear(holder)
        return waiting

    def _opening(self, happening: Incoming) -> None:
        tab = self._tabs.of_session(happening.session)
        if tab is None:
            # A page that is no tab of ours must not wait for ever.
            self._reply(happening.session, accept=False)
            return
        told = happening.read(_Opening)
        count = self._count(tab) if told.type == "alert" else 0
        dialog = Dialog(
            tab=tab.id,
            kind=told.type,
            message=told.message[:PREVIEW_CHARS],
            default=told.default_prompt[:PREVIEW_CHARS],
            url=told.url,
            alerts=count,
        )
        self.past.append(dialog)
        if count <= 1 or count > MOST_ALERTS:
            self._publish(DialogOpened(tab=tab.id, kind=dialog.kind, message=dialog.message))
        accept = self._decided(tab, dialog)
        if accept is None:
            self._open[tab.id] = dialog
            tab.dialog = dialog.kind
            return
        self._by[tab.id] = "rule"
        if count <= 1:
            self._publish(DialogAnswered(tab=tab.id, kind=dialog.kind, accepted=accept, by="rule"))
        self._reply(happening.session, accept=accept)

    def _decided(self, tab: Tab, dialog: Dialog) -> bool | None:
        if dialog.kind == "alert":
            return True if dialog.alerts <= MOST_ALERTS else None
        if dialog.kind == "beforeunload" and tab.is_leaving:
            return True
        match self._rule(dialog.url):
            case "accept":
                return True
            case "dismiss":
                return False
            case "ask":
                return None

    def _count(self, tab: Tab) -> int:
        top = tab.frames.frames.get(tab.frames.top)
        loader = top.loader if top is not None else ""
        was, count = self._alerts.get(tab.id, ("", 0))
        count = count + 1 if was == loader else 1
        self._alerts[tab.id] = (loader, count)
        return count

    def _reply(self, session: str, *, accept: bool) -> None:
        self._connection.post("Page.handleJavaScriptDialog", _answer(accept, ""), session=session)

    def _closed(self, happening: Incoming) -> None:
        tab = self._tabs.of_session(happening.session)
        if tab is None:
            return
        by = self._by.pop(tab.id, "page")
        dialog = self._open.get(tab.id)
        if dialog is not None:
            result = happening.read(_Closed).result
            self._publish(DialogAnswered(tab=tab.id, kind=dialog.kind, accepted=result, by=by))
        self._clear(tab)

    def _clear(self, tab: Tab) -> None:
        self._open.pop(tab.id, None)
        tab.dialog = ""


def _answer(accept: bool, text: str) -> dict[str, Any]:
    return {"accept": accept, **({"promptText": text} if accept and text else {})}
