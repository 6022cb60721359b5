"""Secrets in the files where programs keep their logins, by the place they have in a line."""

import re
from collections.abc import Iterator

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_filler, is_password
from ouroboros.safety.secrets.values import Finding

_PGPASS = Expression(
    r"(?:^|(?<=[\s\"']))(?:\*|[A-Za-z0-9_.-]{1,120}):(?P<port>\*|[0-9]{2,5}):(?:\*|[\w-]{1,63}):(?:\*|[\w.@-]{1,63})"
    r":(?P<value>[^\s:\"']{4,100})(?=[\s\"']|\Z)",
    re.MULTILINE,
)
_PORTS = frozenset({"*", "5432", "5433", "6432"})
_NETRC = Expression(
    r"(?:machine[ \t]{1,8}[^\s]{1,120}|(?:^|(?<=\n))default)(?:\s{1,8}(?:login|account)[ \t]{1,8}[^\s]{1,120}){1,2}"
    r"\s{1,8}password[ \t]{1,8}(?P<value>[^\s\"']{4,2048})"
)
_HASHED = Expression(
    r"(?:^|(?<=[\s\"']))[\w.@-]{1,64}:(?:(?P<value>\$(?:apr1|1|5|6|7|y|gy|2[abxy]|argon2id?|scrypt)\$[\w./$=,+-]{16,200})"
    r"|\{SS?HA(?:256|512)?\}(?P<other>[A-Za-z0-9+/]{20,120}={0,2}))",
    re.MULTILINE,
)
_NO_PASSWORDS = frozenset({"password", "passwd", "secret", "true", "false", "none", "null"})


def in_files(text: str) -> Iterator[Finding]:
    """Lines of ``.pgpass``, ``.netrc``, ``htpasswd`` and ``shadow``."""
    if "machine " in text or "default" in text:
        for found in _NETRC.finditer(text):
            if found["value"].lower() not in _NO_PASSWORDS and not is_filler(found["value"]):
                yield _of("netrc-password", found)
    if ":$" in text or ":{S" in text:
        for found in _HASHED.finditer(text):
            yield _of("password-hash", found, "value" if found["value"] else "other")
    if ":" in text and (":*:" in text or any(f":{port}:" in text for port in _PORTS)):
        for found in _PGPASS.finditer(text):
            if found["port"] in _PORTS and _is_said(found["value"]):
                yield _of("pgpass-password", found)


def _is_said(value: str) -> bool:
    """Whether it is a password, also one that is a word, and not what stands in its place."""
    if value.lower() in _NO_PASSWORDS or is_filler(value):
        return False
    return is_password(value) or (len(value) >= 8 and value.isalnum())


def _of(kind: str, found: re.Match[str], group: str = "value") -> Finding:
    start, end = found.span(group)
    return Finding(kind=kind, start=start, end=end)
