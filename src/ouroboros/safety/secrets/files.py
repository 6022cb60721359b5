"""Secrets in the files where programs keep their logins, by the place they have in a line."""

import re
from collections.abc import Iterator

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_filler, is_password
from ouroboros.safety.secrets.values import Finding

_PGPASS = Expression(
    r"(?:\*|[A-Za-z0-9_.-]{1,120}):(?:\*|[0-9]{2,5}):(?:\*|[\w-]{1,63}):(?:\*|[\w.@-]{1,63})"
    r":(?P<value>[^\s:\"']{4,100})(?=[\s\"']|\Z)"
)
_PORTS = (":*:", ":5432:", ":5433:", ":6432:")
_NETRC = Expression(
    r"(?:machine[ \t]{1,8}[^\s]{1,120}|default)(?:\s{1,8}(?:login|account)[ \t]{1,8}[^\s]{1,120}){1,2}"
    r"\s{1,8}password[ \t]{1,8}(?P<value>[^\s\"']{4,2048})"
)
_HASHED = Expression(
    r"[\w.@-]{1,64}:(?:(?P<value>\$(?:apr1|1|5|6|7|y|gy|2[abxy]|argon2id?|scrypt)\$[\w./$=,+-]{16,200})"
    r"|\{SS?HA(?:256|512)?\}(?P<other>[A-Za-z0-9+/]{20,120}={0,2}))"
)
_WORD = Expression(r"[^\s\"']{1,200}")
_NO_PASSWORDS = frozenset({"password", "passwd", "secret", "true", "false", "none", "null"})


def in_files(text: str) -> Iterator[Finding]:
    """Lines of ``.pgpass``, ``.netrc``, ``htpasswd`` and ``shadow``."""
    backwards = ""
    for mark in ("machine ", "default "):
        for at in _places(text, mark) if "password" in text else ():
            found = _NETRC.match(text, at)
            if found and not _is_stand_in(found["value"]):
                yield _of("netrc-password", found)
    for mark in (":$", ":{S", *_PORTS):
        for at in _places(text, mark):
            backwards = backwards or text[::-1]
            word = _WORD.match(backwards, len(text) - at)
            start = len(text) - word.end() if word else at
            if mark in _PORTS:
                found = _PGPASS.match(text, start)
                if found and _is_said(found["value"]):
                    yield _of("pgpass-password", found)
            elif found := _HASHED.match(text, start):
                yield _of("password-hash", found, "value" if found["value"] else "other")


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _is_stand_in(value: str) -> bool:
    return value.lower() in _NO_PASSWORDS or is_filler(value)


def _is_said(value: str) -> bool:
    """Whether it is a password, also one that is a word, and not what stands in its place."""
    return not _is_stand_in(value) and (is_password(value) or (len(value) >= 8 and value.isalnum()))


def _of(kind: str, found: re.Match[str], group: str = "value") -> Finding:
    start, end = found.span(group)
    return Finding(kind=kind, start=start, end=end)
