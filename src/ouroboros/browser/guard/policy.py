"""Who decides whether a request may leave the browser: the questions, the answers, and the simplest judge."""

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.browser.guard.places import Pattern, origin

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
        return origin(self.url)


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
    """Only the listed places may be reached, whoever asks; an empty list allows all."""

    def __init__(self, allowed: Sequence[str] = (), blocked: Sequence[str] = ()) -> None:
        """Patterns as ``places.Pattern`` reads them; raises ``ValueError`` for one that is none."""
        self._allowed = tuple(Pattern(word) for word in allowed)
        self._blocked = tuple(Pattern(word) for word in blocked)

    @property
    def reach(self) -> Reach:
        """Everything, once there is something in a list."""
        return "everything" if self._allowed or self._blocked else "nothing"

    async def judge(self, asked: Asked) -> Verdict:
        """Blocked places first, then the allowed ones."""
        if any(pattern.matches(asked.url) for pattern in self._blocked):
            return Verdict(allowed=False, reason=f"{asked.origin} is blocked by the settings")
        if self._allowed and not any(pattern.matches(asked.url) for pattern in self._allowed):
            return Verdict(allowed=False, reason=f"{asked.origin} is not among the allowed domains")
        return ALLOWED


class Together:
    """Several judges; the first that says no has the word."""

    def __init__(self, *policies: Policy) -> None:
        """They are asked in this order."""
        self._policies = policies

    @property
    def reach(self) -> Reach:
        """The widest of them."""
        order: tuple[Reach, ...] = ("nothing", "documents", "everything")
        return max((p.reach for p in self._policies), key=order.index, default="nothing")

    async def judge(self, asked: Asked) -> Verdict:
        """Asks one after the other."""
        for policy in self._policies:
            verdict = await policy.judge(asked)
            if not verdict.allowed:
                return verdict
        return ALLOWED
