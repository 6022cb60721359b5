"""Addresses as the browser reads them: their origin, and patterns of domains that match them. Pure.

The browser's reading is the URL Standard's: a host is decoded, mapped to ASCII, and a number is an IPv4
address whatever its spelling. Whoever compares text is fooled by ``https://good.example@evil.example/``,
``http://2130706433/`` or ``http://good.example.``. Source: https://url.spec.whatwg.org/#host-parsing
"""

import ipaddress
import re
from urllib.parse import unquote

from msgspec import Struct

PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_AS_HTTP = {"ws": "http", "wss": "https"}
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_FORBIDDEN = re.compile(r"[\x00-\x20#/:<>?@\[\\\]^|%\x7f]")
LOCAL = ("about", "data", "blob", "javascript")
"""Schemes that never reach the network by themselves."""


class Place(Struct, frozen=True):
    """Where an address leads: scheme (``ws`` counts as ``http``), ASCII host, port (0: none)."""

    scheme: str
    host: str = ""
    port: int = 0

    @property
    def origin(self) -> str:
        """As the browser writes it, without the port where it is the scheme's own."""
        if not self.host:
            return ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == PORTS.get(self.scheme)
        return f"{self.scheme}://{host}" if usual else f"{self.scheme}://{host}:{self.port}"


def place(url: str) -> Place:
    """Reads an address.

    Raises:
        ValueError: The browser would not take it for one, or it has no host where it needs one.
    """
    text = re.sub(r"[\t\n\r]", "", url.strip("".join(map(chr, range(0x21)))))
    found = _SCHEME.match(text)
    if found is None:
        raise ValueError(f"not a whole address: {url[:200]!r}")
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme == "blob":
        return place(rest) if _SCHEME.match(rest) and not rest.startswith("null") else Place("blob")
    if scheme not in PORTS:
        return Place(scheme)
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0].rpartition("@")[2]
    bracket = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", authority)
    if bracket is None:
        raise ValueError(f"no host in {url[:200]!r}")
    port = int(bracket[2]) if bracket[2] else PORTS[scheme]
    if port > 65535:
        raise ValueError(f"no such port in {url[:200]!r}")
    return Place(_AS_HTTP.get(scheme, scheme), host(bracket[1]), port)


def origin(url: str) -> str:
    """The origin of an address, empty where it has none."""
    try:
        return place(url).origin
    except ValueError:
        return ""


def host(text: str) -> str:
    """A host in the one spelling that is compared: ASCII, lower case, no trailing dot, numbers as IP.

    Raises:
        ValueError: It is none.
    """
    if text.startswith("["):
        return _six(text[1:-1])
    plain = unquote(text).rstrip(".").lower()
    plain = re.sub("[\u3002\uff0e\uff61]", ".", plain).rstrip(".")
    if not plain.isascii():
        try:
            plain = plain.encode("idna").decode("ascii").rstrip(".")
        except UnicodeError as odd:
            raise ValueError(f"not a host: {text[:200]!r}") from odd
    if not plain or _FORBIDDEN.search(plain):
        raise ValueError(f"not a host: {text[:200]!r}")
    return _four(plain) if _NUMBER.fullmatch(plain.rpartition(".")[2]) else plain


def _six(text: str) -> str:
    address = ipaddress.IPv6Address(text)
    return str(address.ipv4_mapped) if address.ipv4_mapped else address.compressed


def _four(text: str) -> str:
    parts = [_number(part) for part in text.split(".")]
    if len(parts) > 4 or any(part > 255 for part in parts[:-1]):
        raise ValueError(f"not an address: {text!r}")
    last = parts[-1]
    if last >= 256 ** (5 - len(parts)):
        raise ValueError(f"not an address: {text!r}")
    for place_of, part in enumerate(parts[:-1]):
        last += part << (8 * (3 - place_of))
    return str(ipaddress.IPv4Address(last))


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part):
        raise ValueError(f"not a number: {part!r}")
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    return int(part, 8) if part[0] == "0" and len(part) > 1 else int(part)


class Pattern:
    """A place that a setting names: ``example.com`` (and what is below it), ``*.example.com`` (only that),
    ``example.com:8443``, ``https://example.com``, an IP address, ``file:``, ``*``.
    """

    def __init__(self, word: str) -> None:
        """Raises ``ValueError`` for a word that names no place."""
        self.word = word = word.strip()
        self._scheme, self._host, self._port = "", "", 0
        self._below = self._only_below = self._all = False
        if word == "*":
            self._all = True
            return
        if re.fullmatch(r"[a-zA-Z][a-zA-Z0-9+.\-]*:(//)?", word):
            self._scheme = word.partition(":")[0].lower()
            return
        scheme, mark, rest = word.partition("://")
        rest = rest if mark else word
        self._scheme = _AS_HTTP.get(scheme.lower(), scheme.lower()) if mark else ""
        if mark and self._scheme not in PORTS:
            raise ValueError(f"not a place: {word!r}")
        self._only_below = rest.startswith("*.")
        rest = rest.removeprefix("*.").rstrip("/")
        found = re.fullmatch(r"(\[[^\]]*\]|[^:/@*]*)(?::([0-9]+))?", rest)
        if found is None:
            raise ValueError(f"not a place: {word!r}")
        self._host, self._port = host(found[1]), int(found[2] or 0)
        if not self._port and mark:
            self._port = PORTS[self._scheme]
        self._below = not re.fullmatch(r"[0-9.]+|.*:.*", self._host)

    def matches(self, url: str) -> bool:
        """Whether an address lies there; one that cannot be read lies nowhere."""
        try:
            where = place(url)
        except ValueError:
            return False
        if self._all:
            return True
        if self._scheme and self._scheme != where.scheme:
            return False
        if not self._host:
            return True
        if self._port and self._port != where.port:
            return False
        if self._below and where.host.endswith(f".{self._host}"):
            return True
        return where.host == self._host and not self._only_below
