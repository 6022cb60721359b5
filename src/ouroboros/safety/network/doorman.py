"""Who may be contacted: lists, what was decided in this session, and then the person.

One question stands for all that want the same at the same time, and a yes or no for the session is remembered.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.network.hosts import HostPattern, HostRules
from ouroboros.safety.network.urls import judge_host

BLOCKED_KEPT = 200
HARMLESS_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

type Protocol = Literal["http", "https", "socks5", "fetch"]
type Error = Literal[
    "",
    "blocked-by-allowlist",
    "blocked-by-denylist",
    "blocked-by-method-policy",
    "blocked-by-policy",
]
type Traffic = Literal["full", "limited"]


class Contact(Struct, frozen=True, kw_only=True):
    """Somebody wants to speak to a host.

    Attributes:
        host: In its one spelling, see ``origins.address``.
        method: Of a plain request; empty for what is not read, such as a tunnel.
        call_id: The call whose doing it is, empty when that is not known.
    """

    host: str
    port: int
    protocol: Protocol
    method: str = ""
    call_id: str = ""

    @property
    def place(self) -> str:
        """Host and port for people, the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}.get(self.protocol)
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """An address that stands for it."""
        scheme = "http" if self.protocol == "http" else "https"
        return f"{scheme}://{self.place}/"


class Consent(Struct, frozen=True, kw_only=True):
    """What the person, or a rule of theirs, says; ``session`` is remembered until the session ends.

    ``asked`` is false where nobody could be.
    """

    allowed: bool
    asked: bool = True
    scope: Literal["once", "session"] = "once"
    message: str = ""


class Ruling(Struct, frozen=True, kw_only=True):
    """Whether a contact may be made.

    Attributes:
        by: As in ``NetworkContacted``.
        waits: It is refused only until somebody has answered.
    """

    allowed: bool
    by: str
    reason: str = ""
    error: Error = ""
    waits: bool = False


class Blocked(Struct, frozen=True, kw_only=True):
    """A contact that was refused."""

    contact: Contact
    ruling: Ruling


type Ask = Callable[[Contact], Awaitable[Consent]]
"""Puts the question to whoever may say yes; may wait for ever, and never raises."""

type Ruled = Callable[[str, Protocol], Literal["allow", "prompt", "forbidden"] | None]
"""What policy files say of a host and a protocol now; None where they say nothing."""

type _Key = tuple[str, str, int]


class Doorman:
    """Decides about contacts, for one session."""

    def __init__(
        self,
        rules: HostRules,
        *,
        tasks: TaskGroup,
        ask: Ask | None = None,
        traffic: Traffic = "full",
        patience: float = float("inf"),
        ruled: Ruled = lambda host, protocol: None,
    ) -> None:
        """Nobody was asked yet.

        Args:
            rules: Hosts on lists need no question.
            tasks: Where questions wait when whoever wants to know has gone.
            ask: Who is asked about a host on no list; without one it is refused.
            traffic: ``limited`` lets requests through that only read.
            patience: Seconds that a contact waits for the answer; then it is refused for now, and the
                answer counts for the next one.
            ruled: Counts before the lists where it allows or asks, and beside them where it forbids.
        """
        self.rules = rules
        self.blocked: deque[Blocked] = deque(maxlen=BLOCKED_KEPT)
        self._tasks = tasks
        self._ask = ask
        self._traffic: Traffic = traffic
        self._patience = patience
        self._ruled = ruled
        self.on_denied: Callable[[str, str], None] = lambda call_id, reason: None
        self.known: Callable[[str], str] = lambda call_id: call_id
        self._session: dict[_Key, Consent] = {}
        self._for_call: dict[str, dict[_Key, Consent]] = {}
        self._late: dict[_Key, Consent] = {}
        self._asking: dict[_Key, _Question] = {}

    async def rule(self, contact: Contact) -> Ruling:
        """Decides; asks where nothing else does."""
        ruling = self._known(contact) or await self._asked(contact)
        if not ruling.allowed:
            self.note(contact, ruling)
        return ruling

    def note(self, contact: Contact, ruling: Ruling) -> None:
        """Keeps what was refused, the last ones."""
        self.blocked.append(Blocked(contact=contact, ruling=ruling))

    def _known(self, contact: Contact) -> Ruling | None:
        """What lists and earlier answers say; None: it must be asked."""
        rules, host, port = self.rules, contact.host, contact.port
        if any(one.names(host, port) for one in rules.deny):
            reason = f"{contact.place} is on the list of denied hosts"
            return _no("list", reason, "blocked-by-denylist")
        ruled = self._ruled(host, contact.protocol)
        if ruled == "forbidden":
            return _no("policy", f"a policy file forbids {contact.place}", "blocked-by-policy")
        is_listed = ruled == "allow" or any(one.names(host, port) for one in rules.allow or ())
        is_listed = is_listed and ruled != "prompt"
        if not (is_listed and self.reachable(contact).lists_literally(host, port)):
            judged = judge_host(HostRules(), host, port)
            if judged.decision == "deny":
                return _no("local", judged.reason, "blocked-by-policy")
        if self._traffic == "limited" and contact.method not in HARMLESS_METHODS:
            what = contact.method or "what is said in a tunnel"
            reason = f"only GET, HEAD and OPTIONS are let through, not {what}"
            return _no("method", reason, "blocked-by-method-policy")
        key = _key(contact)
        decided = self._session.get(key) or self._for_call.get(contact.call_id, {}).get(key)
        if decided is not None and not decided.allowed:
            return _by_person(contact, decided, by="session")
        if is_listed:
            return Ruling(allowed=True, by="list")
        if decided is not None:
            return Ruling(allowed=True, by="session")
        if self._ask is None:
            reason = f"{contact.place} is not on the list of allowed hosts, and nobody can be asked"
            return _no("policy", reason, "blocked-by-allowlist")
        return None

    def reachable(self, contact: Contact) -> HostRules:
        """The lists by which the addresses of this contact are judged."""
        if self._ruled(contact.host, contact.protocol) != "allow":
            return self.rules
        named = HostPattern(name=contact.host)
        return replace(self.rules, allow=(*(self.rules.allow or ()), named))

    def forget(self, call_id: str) -> None:
        """A call has ended, and with it what was said of it alone; from any thread."""
        self._for_call.pop(call_id, None)

    async def _asked(self, contact: Contact) -> Ruling:
        key, call_id = _key(contact), contact.call_id
        if call_id and not self.known(call_id):
            reason = "the call that it belongs to has ended, so nobody was asked"
            return replace(_no("policy", reason, "blocked-by-policy"), waits=True)
        question = self._asking.get(key)
        if question is None:
            early = self._late.pop(key, None)
            if early is not None:
                self._remember(key, call_id, early)
                return _by_person(contact, early)
            question = self._asking[key] = _Question()
            self._tasks.start_soon(self._put, contact, question)
        question.calls.add(call_id)
        question.waiting += 1
        try:
            with anyio.move_on_after(self._patience):
                await question.done.wait()
                return _by_person(contact, question.consent)
        finally:
            question.waiting -= 1
        question.left.add(call_id)
        reason = f"{contact.place} waits for approval; try again when it was given"
        return replace(_no("policy", reason, "blocked-by-policy"), waits=True)

    async def _put(self, contact: Contact, question: "_Question") -> None:
        assert self._ask is not None
        key = _key(contact)
        try:
            question.consent = await self._ask(contact)
            if question.consent.scope == "session":
                self._session[key] = question.consent
            elif not question.waiting:
                self._late[key] = question.consent
            # Before whoever waits wakes up: a contact of the same call may come first.
            if question.waiting or not question.consent.allowed:
                for call_id in question.calls:
                    self._remember(key, call_id, question.consent)
        finally:
            del self._asking[key]
            question.done.set()
        if not question.consent.allowed:
            reason = _by_person(contact, question.consent).reason
            for call_id in question.left:
                self.on_denied(call_id, reason)

    def _remember(self, key: _Key, call_id: str, consent: Consent) -> None:
        if call_id and self.known(call_id):
            self._for_call.setdefault(call_id, {})[key] = consent


class _Question:
    """One that stands, how many wait for its answer, which calls it is of, and which went on without it."""

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.consent = Consent(allowed=False)
        self.waiting = 0
        self.calls: set[str] = set()
        self.left: set[str] = set()


def _key(contact: Contact) -> _Key:
    return contact.host, contact.protocol, contact.port


def _by_person(contact: Contact, consent: Consent, *, by: str = "person") -> Ruling:
    if consent.allowed:
        return Ruling(allowed=True, by=by)
    why = f": {consent.message}" if consent.message else ""
    reason = f"reaching {contact.place} was refused{why}"
    return replace(_no(by, reason, "blocked-by-policy"), waits=not consent.asked)


def _no(by: str, reason: str, error: Error) -> Ruling:
    return Ruling(allowed=False, by=by, reason=reason, error=error)
