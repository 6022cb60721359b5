"""Who has read page data, and where it may not be carried without a yes.

Once code has seen what a page says, the page may steer it. From then on a place that nobody has named,
approved or opened before is asked about, whoever opens it: a function, code in a page, or a redirect.
One ``Taint`` is shared by a session's REPL, its children and its tools.
"""

import re
from collections.abc import Awaitable, Callable, Iterable

import anyio
from msgspec import Struct

from ouroboros.browser.guard.policy import ALLOWED, Asked, Reach, Verdict
from ouroboros.core.errors import Denied
from ouroboros.safety.origins import address, origin_of
from ouroboros.safety.untrusted import Known
from ouroboros.tools.tool import Effect

FILE = "file"
"""What a person hands in on the command line comes from here; it taints nobody."""

_SENDING = frozenset({"submit", "payment", "cross-site-post"})
_BLOCKED = 20

type Admit = Callable[[Effect], Awaitable[None]]
type Enforce = Callable[[], Awaitable[None]]


def patterns_of(domain: str) -> tuple[str, ...]:
    """What a yes to one domain opens: its host and what is below, no whole ending; empty for no domain. Pure."""
    read = address(f"https://{domain}/")
    if read is None or not read.host or re.search(r"[\s/\\?#@*]", domain):
        return ()
    below = (domain,) if "." in read.host else ()
    return (*below, f"https://{domain}", f"http://{domain}")


class Saved(Struct, frozen=True, kw_only=True):
    """What is kept of a taint.

    Attributes:
        by: Origins whose data was read.
        known: Origins that were opened.
        allowed: Patterns of places that the person agreed to.
    """

    by: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


class Taint:
    """What a session has read, and where it may go; also the judge of its browser's requests."""

    def __init__(
        self,
        *,
        known: Iterable[str] = (),
        admit: Admit | None = None,
        enforce: Enforce | None = None,
        confirms: frozenset[str] = frozenset(),
    ) -> None:
        """Starts clean.

        Args:
            known: Patterns of places that the person has named, such as ``example.com``.
            admit: Asks about a request that no function call stands for; without it, it is blocked.
            enforce: Makes the browser ask this judge from now on.
            confirms: Risks that are asked about.
        """
        self._known = Known(*known)
        self._by: dict[str, None] = {}
        self._allowed: dict[str, None] = {}
        self._blocked: dict[str, None] = {}
        self._refused: set[str] = set()
        self._confirmed: set[tuple[str, str]] = set()
        self._asking = anyio.Lock()
        self._is_enforced = False
        self.admit, self.enforce, self.confirms = admit, enforce, confirms
        self.within = ""
        """The call whose code runs now: what pages do meanwhile is asked about in its name."""

    @property
    def by(self) -> tuple[str, ...]:
        """The origins whose data was read, in order; empty while it is clean."""
        return tuple(self._by)

    @property
    def is_tainted(self) -> bool:
        """Page data was read."""
        return bool(self._by)

    @property
    def reach(self) -> Reach:
        """Nothing while it is clean; then documents, and all that pages with our code in them ask."""
        return "documents" if self._by else "nothing"

    def know(self, *patterns: str) -> None:
        """These places were named by the person or the settings."""
        self._known.know(*patterns)

    def allow(self, *patterns: str) -> None:
        """The person agreed to these places in this session, which a resumed one still knows."""
        self._allowed.update(dict.fromkeys(patterns))
        self._known.know(*patterns)

    def hear(self, words: str) -> None:
        """The person said this: the places it names are known; not for words of pages or models."""
        self._known.hear(words)

    def knows(self, url: str) -> bool:
        """Whether a place may be opened without a question; so may what reaches no network."""
        return self._known.knows(url)

    async def read(self, *origins: str) -> None:
        """Data from there goes to code now; when this returns, the browser asks before it sends.

        What was open already is known: it was opened before, and knows its own data.
        """
        fresh = [origin for origin in origins if origin and origin != FILE]
        if not self._by:
            self._known.remember_origins(fresh)
        self._by.update(dict.fromkeys(fresh))
        if self._by and not self._is_enforced and self.enforce is not None:
            await self.enforce()
            self._is_enforced = True

    async def opening(self, url: str, admit: Admit) -> None:
        """A place is about to be opened by a function.

        Raises:
            Denied: It is new, page data was read, and nobody said yes.
        """
        if not self._by:
            self._known.remember(url)
            return
        async with self._asking:
            if self.knows(url):
                return
            await admit(self._effect(url))
            self._known.remember(url)

    def confirmed(self, effect: Effect) -> None:
        """An effect was admitted: the request that follows it is not asked about again."""
        if effect.kind == "risk":
            self._confirmed.add((effect.risk, origin_of(effect.url)))
        elif effect.kind == "origin":
            self._known.remember(effect.url)

    async def judge(self, asked: Asked) -> Verdict:
        """Whether a request may leave the browser; a person may be asked, once for each origin."""
        if not self._by:
            if asked.is_main:
                self._known.remember(asked.url)
            return ALLOWED
        if self.knows(asked.url):
            return await self._judge_submit(asked) if self._is_submit(asked) else ALLOWED
        if not asked.is_main:
            return self._judge_part(asked)
        async with self._asking:
            return ALLOWED if self.knows(asked.url) else await self._judge_document(asked)

    def blocked(self) -> tuple[str, ...]:
        """What was blocked since this was asked last: for the model to read."""
        told, self._blocked = tuple(self._blocked), {}
        return told

    def _judge_part(self, asked: Asked) -> Verdict:
        """What a page asks for by itself is its own affair, until code of ours ran in it."""
        if not asked.touched or (asked.seen and not asked.is_submit):
            return ALLOWED
        return self._block(asked, "page data was read and the page asks a new place")

    async def _judge_document(self, asked: Asked) -> Verdict:
        if origin_of(asked.url) in self._refused:
            return self._block(asked, "it was refused before")
        verdict = await self._put(self._effect(asked.url), asked)
        if verdict.allowed:
            self._known.remember(asked.url)
        else:
            self._refused.add(origin_of(asked.url))
        return verdict

    def _is_submit(self, asked: Asked) -> bool:
        """A form that code in the page sends, which nobody has confirmed yet."""
        return asked.is_submit and asked.touched and not self._is_confirmed(asked)

    def _is_confirmed(self, asked: Asked) -> bool:
        places = {asked.initiator, origin_of(asked.url)}
        return not self.confirms & _SENDING or any(
            (risk, origin) in self._confirmed for risk in _SENDING for origin in places
        )

    async def _judge_submit(self, asked: Asked) -> Verdict:
        async with self._asking:
            if self._is_confirmed(asked):
                return ALLOWED
            origin = origin_of(asked.url)
            effect = Effect(
                kind="risk",
                risk="submit" if origin == asked.initiator else "cross-site-post",
                url=asked.url,
                action=f"Send a form of {asked.initiator or 'a page'} to {origin}",
            )
            verdict = await self._put(effect, asked)
            if verdict.allowed:
                self.confirmed(effect)
            return verdict

    async def _put(self, effect: Effect, asked: Asked) -> Verdict:
        if self.admit is None:
            return self._block(asked, "nobody can be asked")
        try:
            await self.admit(effect)
        except Denied as denied:
            return self._block(asked, denied.message)
        return ALLOWED

    def _block(self, asked: Asked, reason: str) -> Verdict:
        told = (
            f"blocked {asked.kind} to {origin_of(asked.url) or 'an unreadable address'}: {reason}"
        )
        if len(self._blocked) < _BLOCKED:
            self._blocked[told] = None
        return Verdict(allowed=False, reason=told)

    def saved(self) -> Saved:
        """What a resumed session must know: its variables hold what was read."""
        return Saved(by=tuple(self._by), known=self._known.origins, allowed=tuple(self._allowed))

    async def restore(self, saved: Saved) -> None:
        """Takes over what an earlier process had read and opened."""
        self._known.remember_origins(saved.known)
        self.allow(*saved.allowed)
        await self.read(*saved.by)

    def _effect(self, url: str) -> Effect:
        by = ", ".join(list(self._by)[:3])
        action = f"Open {origin_of(url) or url[:200]}, a new place, after reading data of {by}"
        return Effect(kind="origin", url=url, action=action)
