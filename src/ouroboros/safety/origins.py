"""Where an address really leads, and whether that is a place that a pattern names.

Addresses are read as a browser reads them, so that no spelling (``https://good@evil``, backslashes,
``0x7f.1``, a trailing dot, letters of other scripts) passes for another host.
"""

import re
from functools import cache, lru_cache

from msgspec import Struct

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_EDGES = "".join(map(chr, range(33)))
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_FORBIDDEN = re.compile(r"[\x00-\x20#%*/:<>?@\[\\\]^|\x7f]")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


class Address(Struct, frozen=True, kw_only=True):
    """An address taken apart; only the ones with a host have an ``origin``.

    Attributes:
        host: Lower case, as ASCII; an IPv6 address without brackets.
        port: Also when it was not written; 0 where the scheme has none.
        path: With its question, dots resolved.
    """

    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def origin(self) -> str:
        """Such as ``https://shop.example``, a port only where it is not the usual one."""
        if not self.host:
            return f"{self.scheme}:"
        scheme = {"ws": "http", "wss": "https"}.get(self.scheme, self.scheme)
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS.get(self.scheme) else f":{self.port}"
        return f"{scheme}://{host}{port}"


@lru_cache(maxsize=1024)
def address(url: str) -> Address | None:
    """Reads an address like a browser would; None when none would open it."""
    text = re.sub(r"[\t\n\r]", "", url.strip(_EDGES))
    found = _SCHEME.match(text)
    if found is None:
        return None
    scheme, rest = found.group(1).lower(), text[found.end() :]
    if scheme == "blob":
        inner = address(rest)
        return inner if inner and inner.host else Address(scheme=scheme)
    if scheme not in _PORTS:
        return Address(scheme=scheme, path=rest)
    rest = re.split(r"#", rest, maxsplit=1)[0]
    head, mark, question = rest.partition("?")
    head = head.replace("\\", "/").lstrip("/")
    authority, _, path = head.partition("/")
    split = _split_port(authority.rpartition("@")[2])
    if split is None:
        return None
    host = _host(split[0])
    if not host:
        return None
    return Address(
        scheme=scheme,
        host=host,
        port=split[1] or _PORTS[scheme],
        path=_without_dots(path) + mark + question,
    )


def origin_of(url: str) -> str:
    """The origin of an address, empty when it has none or cannot be read."""
    read = address(url)
    return read.origin if read is not None and read.host else ""


class Place(Struct, frozen=True, kw_only=True):
    """What a pattern names.

    ``example.com`` is the host and all below it, ``*.example.com`` all below it, ``host:1`` one port;
    ``https://example.com`` is one origin, and in ``https://example.com/shop/*`` the ``*`` is anything.
    """

    host: str
    below: bool = True
    itself: bool = True
    scheme: str = ""
    port: int = 0
    path: str = ""

    def names(self, url: str) -> bool:
        """Whether the address lies in this place."""
        read = address(url)
        if read is None or not read.host:
            return False
        scheme = {"ws": "http", "wss": "https"}.get(read.scheme, read.scheme)
        if self.scheme and scheme != self.scheme:
            return False
        if self.port and read.port != self.port:
            return False
        if not (self.itself and read.host == self.host) and not (
            self.below and read.host.endswith(f".{self.host}")
        ):
            return self.host == "*"
        return not self.path or _path_matcher(self.path).fullmatch(read.path) is not None


@lru_cache(maxsize=1024)
def place(written: str) -> Place | None:
    """Reads a pattern; None when it names no place."""
    text = written.strip()
    text = text.removeprefix("domain:").removeprefix("origin:").strip()
    has_scheme = re.match(r"(\*|[a-zA-Z][a-zA-Z0-9+.\-]*)://", text)
    scheme, path = "", ""
    if has_scheme:
        scheme = has_scheme.group(1).lower().replace("*", "")
        text = text[has_scheme.end() :]
    text, slash, path = text.partition("/")
    if "@" in text:
        return None
    below, itself = not has_scheme, True
    if text == "*":
        return Place(host="*", scheme=scheme)
    if text.startswith("*."):
        text, below, itself = text[2:], True, False
    split = _split_port(text)
    host = _host(split[0]) if split else ""
    if split is None or not host:
        return None
    if _is_number(host) or ":" in host:
        below = False
    return Place(
        host=host,
        below=below,
        itself=itself,
        scheme={"ws": "http", "wss": "https"}.get(scheme, scheme),
        port=split[1] or (_PORTS.get(scheme, 0) if scheme else 0),
        path=path if slash and path not in {"", "*", "**"} else "",
    )


def _split_port(text: str) -> tuple[str, int] | None:
    """Host and port, 0 when none is written; None when the port is none."""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        host, rest = f"[{host}", rest if closed else "x"
        if rest and not rest.startswith(":"):
            return None
        port = rest[1:]
    else:
        host, _, port = text.partition(":")
    if not port:
        return host, 0
    if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65_536 and len(port) < 10):
        return None
    return host, int(port)


def _host(written: str) -> str:
    """The host in its one spelling; empty when it is none."""
    if written.startswith("["):
        from ipaddress import IPv6Address

        try:
            six = IPv6Address(written[1:])
        except ValueError:
            return ""
        return str(six.ipv4_mapped or six)
    text = written
    if "%" in text:
        from urllib.parse import unquote

        text = unquote(text)
    if not text.isascii():
        try:
            text = re.sub("[\u3002\uff0e\uff61]", ".", text).encode("idna").decode()
        except UnicodeError:
            return ""
    text = text.lower().removesuffix(".")
    if not text or _FORBIDDEN.search(text):
        return ""
    if _NUMBER.fullmatch(text.rpartition(".")[2]):
        return _dotted(text)
    return text


def _dotted(text: str) -> str:
    """An IPv4 address in the usual spelling, from any that browsers understand."""
    from ipaddress import IPv4Address

    parts = text.split(".")
    try:
        numbers = [_part(part) for part in parts]
        if len(parts) > 4 or any(number > 255 for number in numbers[:-1]):
            return ""
        whole = numbers[-1] + sum(
            number << (8 * (3 - index)) for index, number in enumerate(numbers[:-1])
        )
        if numbers[-1] >= 256 ** (5 - len(parts)):
            return ""
        return str(IPv4Address(whole))
    except ValueError:
        return ""


def _part(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)


def _is_number(host: str) -> bool:
    return _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _without_dots(path: str) -> str:
    """The path with ``.`` and ``..`` resolved, also where they are written with escapes."""
    kept: list[str] = []
    for part in re.sub("%2e", ".", path, flags=re.IGNORECASE).split("/"):
        if part == "..":
            kept = kept[:-1]
        elif part != ".":
            kept.append(part)
    return "/".join(kept)


@cache
def _path_matcher(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*+)", pattern)
    return re.compile(
        "".join(".*" if piece.startswith("*") else re.escape(piece) for piece in pieces), re.DOTALL
    )
