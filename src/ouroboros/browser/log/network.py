"""Requests of a tab, the last few hundred; bodies stay in the browser until one is asked for."""

import base64
from collections import deque

from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, CallRefused
from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.browser.targets import Target
from ouroboros.browser.wire import Incoming

KEPT = 500
URL_CHARS = 2_000
BODY_BYTES = 64 * 1_048_576


class Request(Struct, kw_only=True):
    """One request as far as it has come.

    Attributes:
        status: 0 until there is an answer.
        bytes: Received over the network, compressed as it came.
        error: Why it failed, such as ``net::ERR_BLOCKED_BY_CLIENT``.
    """

    id: str
    url: str
    method: str = "GET"
    type: str = ""
    status: int = 0
    mime: str = ""
    bytes: int = 0
    error: str = ""
    from_cache: bool = False


class _Asked(Struct, frozen=True):
    url: str
    method: str = "GET"


class _Answer(Struct, frozen=True, rename="camel"):
    status: int = 0
    mime_type: str = ""
    from_disk_cache: bool = False


class _WillSend(Struct, frozen=True, rename="camel"):
    request_id: str
    request: _Asked
    type: str = ""
    redirect_response: _Answer | None = None


class _Received(Struct, frozen=True, rename="camel"):
    request_id: str
    response: _Answer
    type: str = ""


class _Finished(Struct, frozen=True, rename="camel"):
    request_id: str
    encoded_data_length: float = 0


class _Failed(Struct, frozen=True, rename="camel"):
    request_id: str
    error_text: str = ""


class _Body(Struct, frozen=True, rename="camel"):
    body: str
    base64_encoded: bool = False


class NetworkLog:
    """Listens to the network of every page; nothing of a body is moved or kept."""

    def __init__(self) -> None:
        """Empty."""
        self._requests: dict[str, deque[Request]] = {}
        self._sessions: dict[tuple[str, str], str] = {}

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Listens from now on."""
        self._connection, self._tabs = connection, tabs
        connection.listen("Network.requestWillBeSent", self._will_send)
        connection.listen("Network.responseReceived", self._received)
        connection.listen("Network.loadingFinished", self._finished)
        connection.listen("Network.loadingFailed", self._failed)
        tabs.listen(self._moved)
        tabs.on_target(self._meet)
        for target in tuple(tabs.targets.by_session.values()):
            await self._meet(target)

    def of(self, tab: str) -> tuple[Request, ...]:
        """The requests of a tab, oldest first, its earlier pages' as well."""
        return tuple(self._requests.get(tab, ()))

    async def body(self, tab: Tab, request: str) -> bytes:
        """What the answer to a request carried.

        Raises:
            BrowserFailed: The browser does not have it any more, or it is too large.
        """
        session = self._sessions.get((tab.id, request), tab.session)
        try:
            found = await self._connection.ask(
                _Body, "Network.getResponseBody", {"requestId": request}, session=session
            )
        except CallRefused as gone:
            raise BrowserFailed(f"{tab.id}: no body of request {request}: {gone}") from gone
        if len(found.body) > BODY_BYTES:
            raise BrowserFailed(f"{tab.id}: the body of request {request} is too large")
        return base64.b64decode(found.body) if found.base64_encoded else found.body.encode()

    async def _meet(self, target: Target) -> None:
        if target.type in {"page", "iframe"}:
            params = {"maxTotalBufferSize": BODY_BYTES, "maxResourceBufferSize": BODY_BYTES // 4}
            await self._connection.call("Network.enable", params, session=target.session)

    def _moved(self, facts: TabFacts) -> None:
        if facts.status == "closed":
            self._requests.pop(facts.id, None)
            for key in [key for key in self._sessions if key[0] == facts.id]:
                del self._sessions[key]

    def _will_send(self, happening: Incoming) -> None:
        told = happening.read(_WillSend)
        tab = self._tabs.of_session(happening.session)
        if tab is None or told.request.url.startswith("data:"):
            return
        if told.redirect_response is not None:
            before = self._find(happening.session, told.request_id)
            if before is not None:
                before.status = told.redirect_response.status
        kept = self._requests.setdefault(tab.id, deque(maxlen=KEPT))
        if len(kept) == KEPT:
            self._sessions.pop((tab.id, kept[0].id), None)
        kept.append(
            Request(
                id=told.request_id,
                url=told.request.url[:URL_CHARS],
                method=told.request.method,
                type=told.type.lower(),
            )
        )
        if happening.session != tab.session:
            self._sessions[tab.id, told.request_id] = happening.session

    def _received(self, happening: Incoming) -> None:
        told = happening.read(_Received)
        request = self._find(happening.session, told.request_id)
        if request is not None:
            request.status, request.mime = told.response.status, told.response.mime_type
            request.from_cache = told.response.from_disk_cache
            request.type = told.type.lower() or request.type

    def _finished(self, happening: Incoming) -> None:
        told = happening.read(_Finished)
        request = self._find(happening.session, told.request_id)
        if request is not None:
            request.bytes = int(told.encoded_data_length)

    def _failed(self, happening: Incoming) -> None:
        told = happening.read(_Failed)
        request = self._find(happening.session, told.request_id)
        if request is not None:
            request.error = told.error_text

    def _find(self, session: str, id: str) -> Request | None:
        tab = self._tabs.of_session(session)
        if tab is None:
            return None
        kept = self._requests.get(tab.id, ())
        return next((found for found in reversed(kept) if found.id == id), None)
