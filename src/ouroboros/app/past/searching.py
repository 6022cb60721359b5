"""Past sessions by what was said in them, and by what they are called; every function blocks on the disk."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from unicodedata import category, normalize

from msgspec import Struct

from ouroboros.store import sessions
from ouroboros.store.search import search
from ouroboros.store.sessions import Session

__all__ = ["Hit", "Talk", "hits", "talks"]

_SHORTEST = 3
_APART = {code: " " for code in range(128) if not chr(code).isalnum()}


class Hit(Struct, frozen=True, kw_only=True):
    """A place in a past session that has the words; ``node`` is the message to go on after."""

    session: str
    title: str
    seq: int
    node: str
    excerpt: str


class Talk(Struct, frozen=True, kw_only=True):
    """A past session with the best place in it; where only its title has the words there is none."""

    session: Session
    excerpt: str = ""
    node: str = ""


def hits(home: Path, words: str, *, limit: int) -> tuple[Hit, ...]:
    """Where the words were said, best first, then sessions that are called so."""
    said = search(home, words, limit=limit)
    called = sessions.titles(home)
    found = [
        Hit(
            session=each.session,
            title=called.get(each.session, ""),
            seq=each.seq,
            node=each.node,
            excerpt=_line(each.excerpt),
        )
        for each in said
    ]
    seen = {hit.session for hit in found}
    more = (
        Hit(session=id, title=called[id], seq=0, node="", excerpt=called[id])
        for id in _called(called, words)
        if id not in seen
    )
    return (*found, *islice(more, limit - len(found)))


def talks(
    home: Path, words: str, *, cwd: str | None = None, archived: bool = False, limit: int
) -> list[Talk]:
    """Sessions of a folder or of all, archived ones or the others: in which the words were said, then called so.

    Of the sessions that are not given nothing is read but what they are called.
    """
    places = sessions.searched(home, words, cwd=cwd, archived=archived, limit=limit)
    found = {each.session: (_line(each.excerpt), each.node) for each in places}
    if len(found) < limit:
        called = sessions.titles(home, cwd=cwd, archived=archived)
        more = (id for id in _called(called, words) if id not in found)
        found |= dict.fromkeys(islice(more, limit - len(found)), ("", ""))
    known = sessions.some(home, list(found))
    return [
        Talk(session=known[id], excerpt=excerpt, node=node)
        for id, (excerpt, node) in found.items()
        if id in known
    ]


def _called(called: dict[str, str], words: str) -> Iterator[str]:
    """Sessions with a title in which each of the words begins one, whatever case and accents, or of this name."""
    wanted, plain = _bare(words).split(), words.strip()
    for id, title in called.items():
        there = _bare(title).split()
        is_called = wanted and all(any(one.startswith(word) for one in there) for word in wanted)
        if is_called or (len(plain) >= _SHORTEST and plain in id):
            yield id


def _line(excerpt: str) -> str:
    return " ".join(excerpt.split())


def _bare(text: str) -> str:
    if text.isascii():
        return text.lower().translate(_APART)
    parted = normalize("NFKD", text).casefold()
    return "".join(sign if sign.isalnum() else " " for sign in parted if category(sign)[0] != "M")
