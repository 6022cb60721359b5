"""Keeps known secret values out of what is shown and kept."""

import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from urllib.parse import quote

from ouroboros.safety.secrets.values import mark

SHORTEST = 8
"""Shorter values are not looked for: they would be found everywhere."""

MOST_HELD = 256
"""Characters of a text in pieces that wait for the next one; a longer key is cut seldom."""

NOTICED = 4
"""So many characters of a secret at the end of a text that was cut may be its beginning."""

MOST_LEARNED = 32
"""Secrets that came up on the way; of more the oldest are forgotten."""


class Pieces(Protocol):
    """Redacts one text that arrives in pieces."""

    def next(self, piece: str) -> str:
        """What can be shown now."""
        ...

    def rest(self) -> str:
        """What was held back, once nothing follows."""
        ...


class Unknown(Protocol):
    """Finds secrets that nobody told us of; ``safety.secrets.Detector`` is one."""

    def redacted(self, text: str) -> str:
        """The text with a mark in place of each."""
        ...

    def cut(self, text: str) -> str:
        """A redacted text that was cut, without the beginning of a secret at its end."""
        ...

    def flow(self) -> Pieces:
        """The same for a text in pieces."""
        ...


class Leaks:
    """The secrets of one session, by the name each goes under."""

    def __init__(self, secrets: Mapping[str, str], *, unknown: Unknown | None = None) -> None:
        """Looks for each value as it is, and as it stands in JSON and in addresses.

        ``unknown`` looks besides for what has the form of a secret.
        """
        self._unknown = unknown
        self._given = tuple(secrets.items())
        self._learned: tuple[tuple[str, str], ...] = ()
        self._look_for(self._given)

    def learn(self, name: str, value: str) -> None:
        """Looks for one more value from now on, such as a token that was fetched meanwhile."""
        if len(value) < SHORTEST or value in self._names:
            return
        self._learned = (*self._learned[1 - MOST_LEARNED :], (name, value))
        self._look_for((*self._given, *self._learned))

    def _look_for(self, secrets: Iterable[tuple[str, str]]) -> None:
        names: dict[str, str] = {}
        packed: dict[str, str] = {}
        for name, value in secrets:
            for form in filter(_is_long, _forms(value.strip())):
                names.setdefault(form, name)
            for form in filter(_is_long, _in_base64(value.strip())):
                packed.setdefault(form, name)
        self._names = packed | names
        # Nearly every letter begins some base64, and a text in pieces would wait at each.
        self._begin = tuple(names)
        self._beginnings: set[str] = set()
        self._longest = 0
        # The longest first, so that a value which contains another one is named rightly.
        forms = sorted(self._names, key=len, reverse=True)
        self._expression = re.compile("|".join(map(re.escape, forms))) if forms else None
        self._bytes = (
            re.compile(
                b"|".join(re.escape(form.encode(errors="surrogateescape")) for form in forms)
            )
            if forms
            else None
        )

    def contains(self, text: str | bytes) -> bool:
        """Whether any secret is in the text; cheap enough for every event."""
        if isinstance(text, bytes):
            return self._bytes is not None and self._bytes.search(text) is not None
        return self._expression is not None and self._expression.search(text) is not None

    def redacted(self, text: str) -> str:
        """The text with ``[REDACTED:NAME]`` in place of each secret."""
        text = self.known(text)
        return self._unknown.redacted(text) if self._unknown else text

    def known(self, text: str) -> str:
        """The same for those alone whose value is known."""
        if self._expression is None:
            return text
        return self._expression.sub(lambda found: self._note(found.group()), text)

    def redacted_bytes(self, data: bytes) -> bytes:
        """The same for bytes; not for the event loop when there may be many."""
        data = self.known_bytes(data)
        if self._unknown is None:
            return data
        text = data.decode(errors="surrogateescape")
        return self._unknown.redacted(text).encode(errors="surrogateescape")

    def known_bytes(self, data: bytes) -> bytes:
        """The same for those alone whose value is known."""
        if self._bytes is None:
            return data
        return self._bytes.sub(
            lambda found: self._note(found.group().decode(errors="surrogateescape")).encode(), data
        )

    def redacted_cut(self, text: str) -> str:
        """The same for a text that was cut at its end, maybe within a secret; ``…`` may follow."""
        mark = "…" if text.endswith("…") else ""
        text = self.redacted(text.removesuffix("…"))
        tail = text[-MOST_HELD:]
        for form in self._begin:
            at = tail.find(form[:NOTICED])
            while at >= 0:
                if form.startswith(tail[at:]):
                    return text[: len(text) - len(tail) + at] + self._note(form) + mark
                at = tail.find(form[:NOTICED], at + 1)
        return (self._unknown.cut(text) if self._unknown else text) + mark

    def flow(self) -> "Flow | Both":
        """Redacts one text that arrives in pieces."""
        return Both(Flow(self), self._unknown.flow()) if self._unknown else Flow(self)

    def open_end(self, text: str) -> int:
        """How many of the last characters may be the beginning of a secret."""
        if not self._beginnings:
            self._beginnings = {
                form[:n] for form in self._begin for n in range(1, min(len(form), MOST_HELD + 1))
            }
            self._longest = max(map(len, self._beginnings), default=0)
        longest = min(len(text), self._longest)
        return next((n for n in range(longest, 0, -1) if text[-n:] in self._beginnings), 0)

    def _note(self, form: str) -> str:
        return mark(self._names[form])


class Flow:
    """A text in pieces; what may be the beginning of a secret waits for the piece after it."""

    def __init__(self, leaks: Leaks) -> None:
        """Made by ``Leaks.flow``."""
        self._leaks = leaks
        self._held = ""

    def next(self, piece: str) -> str:
        """What can be shown now."""
        text = self._leaks.known(self._held + piece)
        open_end = self._leaks.open_end(text)
        self._held = text[len(text) - open_end :]
        return text[: len(text) - open_end]

    def rest(self) -> str:
        """What was held back, once nothing follows."""
        rest, self._held = self._held, ""
        return rest


class Both:
    """A text in pieces: first what is known, then what has the form of a secret."""

    def __init__(self, first: Flow, second: Pieces) -> None:
        """What the first lets through goes to the second."""
        self._first, self._second = first, second

    def next(self, piece: str) -> str:
        """What can be shown now."""
        shown = self._first.next(piece)
        return self._second.next(shown) if shown else ""

    def rest(self) -> str:
        """What both held back, once nothing follows."""
        return self._second.next(self._first.rest()) + self._second.rest()


def _forms(value: str) -> set[str]:
    """The value as it is, in JSON, percent-encoded, and as output shows it that is no UTF-8."""
    in_json = value.replace("\\", "\\\\").replace('"', '\\"').replace("/", "\\/")
    plain_json = value.replace("\\", "\\\\").replace('"', '\\"')
    shown = value.encode(errors="surrogateescape").decode(errors="replace")
    quoted = (quote(value, safe=safe, errors="surrogateescape") for safe in ("", "/"))
    return {value, shown, in_json, plain_json, *quoted}


def _is_long(form: str) -> bool:
    return len(form) >= SHORTEST


def _in_base64(value: str) -> Iterator[str]:
    """What base64 with the value in it holds, wherever in a text the value begins."""
    if not _is_long(value):
        return
    held = value.encode(errors="surrogateescape")
    for before in range(3):
        packed = b2a_base64(bytes(before) + held, newline=False).decode().rstrip("=")
        # The letters at both ends are made of what stands there, too.
        whole = len(packed) - bool((before + len(held)) % 3)
        sure = packed[(before * 8 + 5) // 6 : whole]
        yield sure
        yield sure.replace("+", "-").replace("/", "_")
