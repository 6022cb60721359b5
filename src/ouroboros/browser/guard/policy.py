"""Who decides whether a request may leave the browser: the questions, the answers, and the simplest judge."""

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.browser.errors import CannotAct
from ouroboros.safety.origins import Place, address, origin_of, place
from ouroboros.safety.own_servers import REASON, OwnServers

type Reach = Literal["nothing", "documents", "everything"]
"""What a policy wants to be asked about: of pages that no code of ours ran in, of those it did, all."""


class Asked(Struct, frozen=True, kw_only=True):
    """One request on its way out, each hop of a chain of redirects again.

    Attributes:
        url: Where it would go.
        kind: The browser's word in lower case: ``document``, ``script``, ``image``, ``fetch``, ``ping``,
            ``websocket`` and so on; ``socket`` for a connection whose cause is not known.
        tab: Id of the tab; empty for a worker that several tabs share.
        frame: The browser's id of the frame; empty when it is not known.
        initiator: Origin of the page or worker that asks, such as ``https://shop.example``.
        is_document: A page, or a page in a frame, is to be shown.
        is_main: The document is the tab's own, not one of a frame.
        is_submit: A document that carries a form's fields away by POST.
        is_redirect: A server sent the browser on to here.
        touched: Code of the agent ran in that page, or in one that shares its origin.
        seen: That page had asked this origin by itself before code of the agent ran in it.
    """

    url: str
    method: str = "GET"
    kind: str = "document"
    tab: str = ""
    frame: str = ""
    initiator: str = ""
    is_document: bool = False
    is_main: bool = False
    is_submit: bool = False
    is_redirect: bool = False
    touched: bool = False
    seen: bool = False

    @property
    def origin(self) -> str:
        """Origin of ``url``, empty for addresses that have none."""
        return origin_of(self.url)


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether it may; ``reason`` is told to the code whose doing it was."""

    allowed: bool
    reason: str = ""


ALLOWED = Verdict(allowed=True)


class Policy(Protocol):
    """Judges requests; it may take its time, for the request waits (a person may be asked)."""

    @property
    def reach(self) -> Reach:
        """What it wants to be asked about now; ``Guard.enforce`` is to be awaited when this grows."""
        ...

    async def judge(self, asked: Asked) -> Verdict:
        """Decides; what it raises blocks the request."""
        ...


class AllowList:
    """Only the listed places may be reached, whoever asks; an empty list allows all.

    A place is ``example.com`` (and what is below it), ``*.example.com``, ``host:8443``,
    ``https://example.com`` or ``*``.
    """

    def __init__(self, allowed: Sequence[str] = (), blocked: Sequence[str] = ()) -> None:
        """Raises ``ValueError`` for a word that names no place."""
        self._allowed = tuple(_place(word) for word in allowed)
        self._blocked = tuple(_place(word) for word in blocked)

    @property
    def reach(self) -> Reach:
        """Everything, once there is something in a list."""
        return "everything" if self._allowed or self._blocked else "nothing"

    async def judge(self, asked: Asked) -> Verdict:
        """Blocked places first, then the allowed ones."""
        where = asked.origin or asked.url[:80]
        if any(found.names(asked.url) for found in self._blocked):
            return Verdict(allowed=False, reason=f"{where} is blocked by the settings")
        if self._allowed and not any(found.names(asked.url) for found in self._allowed):
            return Verdict(allowed=False, reason=f"{where} is not among the allowed domains")
        return ALLOWED


def _place(word: str) -> Place:
    found = place(word)
    if found is None:
        raise ValueError(
            f"{word!r} names no place; write it like example.com or https://example.com"
        )
    return found


class Together:
    """Several judges; the first that says no has the word."""

    def __init__(self, *policies: Policy) -> None:
        """They are asked in this order."""
        self._policies = policies

    @property
    def reach(self) -> Reach:
        """The widest of them."""
        reaches = {policy.reach for policy in self._policies}
        if "everything" in reaches:
            return "everything"
        return "documents" if "documents" in reaches else "nothing"

    async def judge(self, asked: Asked) -> Verdict:
        """Asks one after the other."""
        for policy in self._policies:
            verdict = await policy.judge(asked)
            if not verdict.allowed:
                return verdict
        return ALLOWED


class Apart:
    """Pages of our own servers are opened by nobody but the person; ``is_theirs``: in their browser."""

    def __init__(self, own: OwnServers, *, is_theirs: bool) -> None:
        """``own`` knows where they are."""
        self._own, self._is_theirs = own, is_theirs

    @property
    def reach(self) -> Reach:
        """In a browser of ours nobody is logged in there, and its gate leads to none of them."""
        return "documents" if self._is_theirs else "nothing"

    async def judge(self, asked: Asked) -> Verdict:
        """Blocks what leads to one of them."""
        if await self._own.bars_now(asked.url):
            return Verdict(allowed=False, reason=REASON)
        return ALLOWED


OPENABLE = ("http", "https")
LOCAL = ("about", "data", "blob", "javascript")
"""Addresses that lead to no network by themselves; what their pages ask for is judged as ever."""


def check_address(url: str, *, more: Sequence[str] = ()) -> str:
    """The address, when code may open it: http, https, ``about:blank``, data and ``more`` schemes.

    Raises:
        CannotAct: It is none, or one of a kind (``file:``, ``chrome:``) that code may not open.
    """
    read = address(url)
    if read is None:
        raise CannotAct(f"not a whole address: {url[:200]!r}", hint="write it with https://")
    is_blank = url.strip().lower().split("#")[0] == "about:blank"
    if read.scheme in OPENABLE or read.scheme in {"data", *more} or is_blank:
        return url
    raise CannotAct(
        f"{read.scheme}: addresses may not be opened by code",
        hint="open web pages; files of the workspace are read with read()",
    )
