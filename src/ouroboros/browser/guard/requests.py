"""Holds a browser to a policy: every request waits until it is judged, in pages, frames and workers.

Source: https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress

import anyio
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, TabGone
from ouroboros.browser.guard.gate import Gate
from ouroboros.browser.guard.policy import LOCAL, Asked, Policy, Verdict
from ouroboros.browser.guard.touched import Touches, names_host
from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.browser.targets import Target
from ouroboros.browser.wire import Incoming
from ouroboros.core.events.browser import RequestBlocked
from ouroboros.core.events.envelope import Event
from ouroboros.safety.origins import address, origin_of
from ouroboros.safety.own_servers import REASON, OwnServers, leads_here

GRANT_SECONDS = 30.0
"""A connection may be made this long after a request to its place was let through."""

_ASKING = ("page", "iframe", "service_worker", "shared_worker")
"""Targets with requests of their own; those of a dedicated worker come with its page's."""

_KEPT = 200

_NO_SOCKETS = """(function close(window) {
  try {
    const meta = window.document.createElement('meta')
    meta.httpEquiv = 'Content-Security-Policy'
    meta.content = "connect-src http: https: data: blob:; webrtc 'block'"
    ;(window.document.head || window.document.documentElement).append(meta)
    meta.remove()
    for (const frame of Array.from(window.frames)) close(frame)
  } catch (other) { return 0 }
  return 1
})(window)"""
"""Where there is no gate: a page that code of ours ran in opens no socket, nor does what it makes.

A policy of a document is only ever tightened, and frames and workers without an address inherit it.
"""

type Credentials = Callable[[str], Awaitable[tuple[str, str] | None]]
"""User and password for an origin; they go to the browser and nowhere else."""


class Blocked(Struct, frozen=True, kw_only=True):
    """A request that did not leave the browser."""

    origin: str
    kind: str
    reason: str
    tab: str = ""
    is_main: bool = False


class _Request(Struct, frozen=True, rename="camel"):
    url: str
    method: str = "GET"
    headers: dict[str, str] = {}


class _Paused(Struct, frozen=True, rename="camel"):
    request_id: str
    request: _Request
    frame_id: str = ""
    resource_type: str = ""
    redirected_request_id: str = ""


class _Challenge(Struct, frozen=True, rename="camel"):
    origin: str = ""
    source: str = "Server"


class _AuthRequired(Struct, frozen=True, rename="camel"):
    request_id: str
    auth_challenge: _Challenge
    frame_id: str = ""


class Guard:
    """Asks the policy about requests; does nothing at all while the policy wants to know nothing."""

    def __init__(
        self,
        policy: Policy,
        publish: Callable[[Event], None],
        *,
        gate: Gate | None = None,
        credentials: Credentials | None = None,
        locked: Callable[[], bool] = lambda: True,
        own: OwnServers | None = None,
    ) -> None:
        """``gate`` is the proxy that the browser was started with, where we start it ourselves.

        Args:
            policy: Judges.
            publish: Puts what was blocked on record.
            gate: Its connections are held to the same policy.
            credentials: Answers a server's question for a password.
            locked: Whether there is any place with credentials now; requests are held for them alone.
            own: Servers that nothing may be done to in a tab, and no connection through the gate reaches.
        """
        self._policy, self._publish = policy, publish
        self._gate, self._credentials, self._locked = gate, credentials, locked
        self._own = own
        self._shown: dict[str, str] = {}
        self._touches = Touches()
        self._has_begun = False
        self._on: dict[str, bool] = {}  # sessions whose requests are held, and passwords asked for
        self._aside: set[str] = set()
        self._granted: dict[str, float] = {}
        self._vouched: dict[str, float] = {}  # also for a tunnel without TLS: a web socket
        self._challenged: deque[str] = deque(maxlen=_KEPT)
        self.blocked: deque[Blocked] = deque(maxlen=_KEPT)
        self.count = 0
        if gate is not None:
            gate.admit = self._admit

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Takes hold of all targets there are and of all that come."""
        self._connection, self._tabs, self._has_begun = connection, tabs, True
        if self._own is not None:
            await self._own.look()
            tabs.bars = self._own.bars
        connection.listen("Fetch.requestPaused", self._paused)
        connection.listen("Fetch.authRequired", self._auth_required)
        connection.listen("Target.detachedFromTarget", self._detached)
        connection.listen("Network.requestWillBeSent", self._saw)
        connection.listen("Network.webSocketCreated", self._saw_socket)
        tabs.listen(self._moved)
        tabs.targets.hook(self._meet, first=True)
        await self.enforce()

    @property
    def is_active(self) -> bool:
        """Whether requests are held now."""
        return self._policy.reach != "nothing" or self._answers

    @property
    def _answers(self) -> bool:
        return self._credentials is not None and self._locked()

    async def enforce(self) -> None:
        """Brings every target under the policy's present reach; to be awaited when that grows.

        Raises:
            BrowserFailed: A page could not be brought under it: nothing more may be done in it.
        """
        if not self._has_begun:
            return  # ``begin`` will find the policy as it is then
        for target in tuple(self._tabs.targets.by_session.values()):
            await self._meet(target)

    async def touch(self, tab: str, frame: str = "") -> None:
        """Code of the agent is about to run in this tab, or in one frame of it; awaited before it does."""
        found = self._tabs.tab(tab)
        urls = [found.url, *(f.url for f in found.frames if frame and f.id == frame)]
        self._touches.touch(tab, *urls)
        if self.is_active:
            for session in found.sessions:
                target = self._tabs.targets.by_session.get(session)
                if target is not None:
                    await self._meet(target)
            if self._gate is None:
                await found.evaluate(_NO_SOCKETS, frame=frame)

    def reasons(self, since: int = 0) -> tuple[Blocked, ...]:
        """What was blocked after the first ``since`` ones; ``count`` before an act, this after it."""
        new = self.count - since
        return tuple(self.blocked)[-new:] if new > 0 else ()

    @contextmanager
    def aside(self, session: str) -> Generator[None]:
        """Leaves the requests of one session, a blank tab of ours, to whoever answers them instead."""
        self._aside.add(session)
        try:
            yield
        finally:
            self._aside.discard(session)

    async def _meet(self, target: Target) -> None:
        if target.type not in _ASKING:
            return
        wanted = self._answers if self.is_active else None
        if wanted == self._on.get(target.session):
            return
        if wanted is None:
            del self._on[target.session]
            await self._connection.call("Fetch.disable", session=target.session)
            return
        params = {"patterns": [{"urlPattern": "*"}], "handleAuthRequests": wanted}
        await self._connection.call("Fetch.enable", params, session=target.session)
        self._on[target.session] = wanted

    def _saw(self, happening: Incoming) -> None:
        """While nothing is held, what pages ask by themselves is learnt from the network's own report."""
        self._learn(happening.session, happening.read(_Sent).request.url)

    def _saw_socket(self, happening: Incoming) -> None:
        self._learn(happening.session, happening.read(_Socket).url)

    def _learn(self, session: str, url: str) -> None:
        tab = self._tabs.of_session(session)
        origin = origin_of(url)
        if tab is None or not origin or self._policy.reach != "nothing":
            return
        if not self._touches.is_touched(tab.id, origin_of(tab.url), "", anyio.current_time()):
            self._touches.note(tab.id, origin)

    def _detached(self, happening: Incoming) -> None:
        self._on.pop(happening.read(_Detached).session_id, None)

    def _moved(self, facts: TabFacts) -> None:
        if facts.status == "closed":
            self._touches.forget(facts.id)
            self._shown.pop(facts.id, None)
            return
        try:
            tab = self._tabs.tab(facts.id)
        except TabGone:  # told of before it is among the tabs, or after
            return
        if self._own is not None and self._shown.get(facts.id) != (here := origin_of(facts.url)):
            self._shown[facts.id] = here
            if leads_here(facts.url):
                self._tabs.tasks.start_soon(self._own.look)
        top = tab.frames.frames.get(tab.frames.top)
        if tab.opener:
            self._touches.inherit(tab.id, tab.opener)
        if top is not None and top.loader:
            self._touches.shows(tab.id, top.loader, top.url, anyio.current_time())

    def _paused(self, happening: Incoming) -> None:
        if happening.session in self._aside:
            return
        paused = happening.read(_Paused)
        asked = self._asked(paused, happening.session)
        if not self._is_asked(asked):
            self._go_on(paused, happening.session, asked)
            return
        self._tabs.tasks.start_soon(self._decide, paused, happening.session, asked)

    def _is_asked(self, asked: Asked) -> bool:
        read = address(asked.url)
        if read is not None and read.scheme in LOCAL:
            return False
        match self._policy.reach:
            case "nothing":
                return False
            case "documents":
                return asked.is_document or asked.touched
            case "everything":
                return True

    def _asked(self, paused: _Paused, session: str) -> Asked:
        target = self._tabs.targets.by_session.get(session)
        tab = self._tabs.of_session(session) if target and target.type != "service_worker" else None
        is_document = paused.resource_type == "Document"
        url, method = paused.request.url, paused.request.method
        initiator = self._initiator(tab, paused.frame_id, target)
        headers = {name.lower(): value for name, value in paused.request.headers.items()}
        now = anyio.current_time()
        name = tab.id if tab is not None else ""
        touched = (
            not initiator  # a document without an address is one that code of ours has written
            or (tab is not None and names_host(tab.url, url))
            or self._touches.is_touched(name, initiator, headers.get("referer", ""), now)
        )
        return Asked(
            url=url,
            method=method,
            kind=paused.resource_type.lower() or "other",
            tab=name,
            frame=paused.frame_id,
            initiator=initiator,
            is_document=is_document,
            is_main=is_document and tab is not None and paused.frame_id == tab.frames.top,
            is_submit=is_document and method not in {"GET", "HEAD"},
            is_redirect=bool(paused.redirected_request_id),
            touched=touched,
            seen=self._touches.has_asked(name, origin_of(url)),
        )

    def _initiator(self, tab: Tab | None, frame: str, target: Target | None) -> str:
        if tab is None:
            return origin_of(target.url) if target is not None else ""
        known = tab.frames.frames.get(frame)
        while known is not None and not origin_of(known.url) and known.parent:
            known = tab.frames.frames.get(known.parent)  # a frame without an address of its own
        return origin_of(known.url if known is not None else tab.url)

    async def _decide(self, paused: _Paused, session: str, asked: Asked) -> None:
        verdict = await self._verdict(asked)
        if verdict.allowed:
            self._go_on(paused, session, asked)
            return
        self._note(asked, verdict.reason)
        # The page that asked stays where it is; in a frame the browser's own words are shown.
        params = {
            "requestId": paused.request_id,
            "errorReason": "Aborted" if asked.is_main else "BlockedByClient",
        }
        self._connection.post("Fetch.failRequest", params, session=session)

    async def _verdict(self, asked: Asked) -> Verdict:
        verdict = Verdict(allowed=False, reason="it could not be judged")
        # Whatever a judge dies of, the request stays here and the browser goes on.
        with suppress(Exception):
            verdict = await self._policy.judge(asked)
        return verdict

    def _go_on(self, paused: _Paused, session: str, asked: Asked) -> None:
        if asked.origin:
            until = anyio.current_time() + GRANT_SECONDS
            self._granted[asked.origin] = until
            if asked.touched or asked.is_main:
                self._vouched[asked.origin] = until
            if not asked.touched and not asked.is_main:
                self._touches.note(asked.tab, asked.origin)
        params = {"requestId": paused.request_id}
        self._connection.post("Fetch.continueRequest", params, session=session)

    def _note(self, asked: Asked, reason: str) -> None:
        self.count += 1
        self.blocked.append(
            Blocked(
                origin=asked.origin,
                kind=asked.kind,
                reason=reason,
                tab=asked.tab,
                is_main=asked.is_main,
            )
        )
        self._publish(
            RequestBlocked(origin=asked.origin, kind=asked.kind, reason=reason, tab=asked.tab)
        )

    async def _admit(self, origin: str) -> bool:
        """Whether the gate may connect: for a request that was let through, or else by the policy."""
        if self._own is not None and await self._own.bars_now(origin):
            self._note(Asked(url=f"{origin}/", kind="socket"), REASON)
            return False
        if self._policy.reach == "nothing":
            return True
        read = address(origin)
        if read is None:
            return False
        plain = origin_of(f"http://{origin.partition('://')[2]}")
        granted = max(self._granted.get(read.origin, 0.0), self._vouched.get(plain, 0.0))
        if granted >= anyio.current_time():
            return True
        asked = Asked(url=f"{origin}/", kind="socket", touched=self._touches.any)
        if self._policy.reach == "documents" and not asked.touched:
            return True
        verdict = await self._verdict(asked)
        if not verdict.allowed:
            self._note(asked, verdict.reason)
        return verdict.allowed

    def _auth_required(self, happening: Incoming) -> None:
        told = happening.read(_AuthRequired)
        self._tabs.tasks.start_soon(self._authenticate, told, happening.session)

    async def _authenticate(self, told: _AuthRequired, session: str) -> None:
        key = f"{session} {told.request_id}"
        found = None
        if self._credentials is not None and key not in self._challenged:
            self._challenged.append(key)  # asked again, they were wrong
            if told.auth_challenge.source == "Server":
                with suppress(BrowserFailed):  # such as a vault that has nothing of that name
                    found = await self._credentials(origin_of(told.auth_challenge.origin))
        answer = {"response": "CancelAuth"}
        if found is not None:
            answer = {
                "response": "ProvideCredentials",
                "username": found[0],
                "password": found[1],
            }
        params = {"requestId": told.request_id, "authChallengeResponse": answer}
        self._connection.post("Fetch.continueWithAuth", params, session=session)


class _Sent(Struct, frozen=True):
    request: _Request


class _Socket(Struct, frozen=True):
    url: str = ""


class _Detached(Struct, frozen=True, rename="camel"):
    session_id: str
