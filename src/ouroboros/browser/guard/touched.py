"""Which pages the agent's own code ran in, so that their requests can be told from the pages' own. Pure.

Code of ours that ran in a page may have left anything behind: timers, workers, frames, other tabs of the
same origin. So a tab counts as touched until it shows another document, what its page opened counts with
it, and the origin counts for as long as the browser runs.
"""

from urllib.parse import unquote

from msgspec import Struct

from ouroboros.safety.origins import address, origin_of

GRACE_SECONDS = 10.0
"""A page that was left may still send what it began; so long its successor's requests must show whose they are."""


class Seen(Struct, kw_only=True):
    """What is known of the document that a tab shows.

    Attributes:
        asked: Origins that it asked before code of ours ran in it.
        left: When a touched document made way for it.
    """

    loader: str = ""
    origin: str = ""
    touched: bool = False
    asked: set[str]
    left: float | None = None


def names_host(page: str, url: str) -> bool:
    """Whether the address of a page carries the host of what it asks for: then who wrote that chose it. Pure."""
    shown, wanted = address(page), address(url)
    if shown is None or wanted is None or not shown.host or shown.origin == wanted.origin:
        return False
    host = f"{wanted.host}:{wanted.port}" if wanted.host == shown.host else wanted.host
    return host in unquote(page.partition("://")[2].partition("/")[2]).lower()


class Touches:
    """By tab."""

    def __init__(self) -> None:
        """Nothing was touched yet."""
        self._tabs: dict[str, Seen] = {}
        self._origins: set[str] = set()

    @property
    def any(self) -> bool:
        """Whether code of ours ran anywhere."""
        return bool(self._origins) or any(seen.touched for seen in self._tabs.values())

    def touch(self, tab: str, *urls: str) -> None:
        """Code of ours is about to run in this tab, in a page of one of ``urls``."""
        self._of(tab).touched = True
        self._origins.update(filter(None, map(origin_of, urls)))

    def shows(self, tab: str, loader: str, url: str, now: float) -> None:
        """A tab shows this document now."""
        seen = self._of(tab)
        if seen.loader == loader:
            return
        left = now if seen.touched else seen.left
        # The document that a tab is opened with has no loader that we saw; no page opens a data: one.
        touched = (seen.touched and not seen.loader and not seen.origin) or url.startswith("data:")
        self._tabs[tab] = Seen(
            loader=loader, origin=origin_of(url), touched=touched, asked=set(), left=left
        )

    def forget(self, tab: str) -> None:
        """A tab is closed."""
        self._tabs.pop(tab, None)

    def inherit(self, tab: str, opener: str) -> None:
        """A page opened this tab; what touched the one reaches the other, until that is left."""
        seen = self._of(tab)
        if not seen.loader and self._of(opener).touched:
            seen.touched = True

    def is_touched(self, tab: str, initiator: str, referrer: str, now: float) -> bool:
        """Whether a request of this tab may be the doing of our code."""
        if initiator in self._origins:
            return True
        seen = self._tabs.get(tab)
        if seen is None:
            return False
        if seen.touched:
            return True
        if seen.left is None or now - seen.left > GRACE_SECONDS:
            return False
        return origin_of(referrer) not in {seen.origin, *seen.asked} or not referrer

    def note(self, tab: str, origin: str) -> None:
        """An untouched page asked this origin by itself."""
        self._of(tab).asked.add(origin)

    def has_asked(self, tab: str, origin: str) -> bool:
        """Whether it did before."""
        seen = self._tabs.get(tab)
        return seen is not None and origin in seen.asked

    def _of(self, tab: str) -> Seen:
        return self._tabs.setdefault(tab, Seen(asked=set()))
