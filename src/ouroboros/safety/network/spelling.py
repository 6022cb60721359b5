"""The one place that an address spells, if all programs read it alike. Pure."""

import re
import unicodedata
from urllib.parse import urlsplit

from msgspec import Struct

from ouroboros.safety.network.addresses import read, what_is
from ouroboros.safety.origins import address

_SCHEMES = {"http": 80, "https": 443, "ws": 80, "wss": 443}

_SHAPE = re.compile(r"(https?|wss?)://([^/?#\\]*)(.*)", re.DOTALL | re.IGNORECASE)
_HOST = re.compile(r"\[[0-9A-Fa-f:.]+\]|[^\s\[\]:@%<>\"'`{}|^\\,;()!$&*+=~]+")
_NUMBERS = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?")
_MIDDLE = frozenset("-.\u00b7\u30fb")
"""Signs that hosts of other scripts do have."""
_DIFFERENT = frozenset(
    "\u00df\u03c2\u3002\uff0e\uff61\ufe00\ufe01\ufe0e\ufe0f\u034f\u115f\u1160\u3164\uffa0"
)
"""Letters that the two standards for names write in ASCII in different ways, or leave out."""
_QUAD = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")


class Spelled(Struct, frozen=True, kw_only=True):
    """Where an address leads.

    Attributes:
        host: In its one spelling, see ``origins.address``.
        written: The host as it was written.
        login: What stands before ``@``.
        is_unusual: It is an IPv4 address in digits, but not in the usual four numbers.
    """

    scheme: str
    host: str
    port: int
    written: str
    login: str = ""
    is_unusual: bool = False


def read_place(text: str) -> Spelled | str:
    """Reads an address; a text says why it is not to be trusted."""
    if reason := _unreadable(text):
        return reason
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return _other_scheme(text)
    login, at, place = shape[2].rpartition("@")
    if reason := _odd_authority(shape[2], shape[3]):
        return reason
    host = _one_reading(text, place)
    if not host:
        return "programs read its host in different ways"
    port = _port(place, shape[1].lower())
    if port is None:
        return "its port is none"
    written = _written(place)
    return Spelled(
        scheme=shape[1].lower(),
        host=host,
        port=port,
        written=written,
        login=login or at,
        is_unusual=bool(_NUMBERS.fullmatch(written)) and not _QUAD.fullmatch(written),
    )


def _written(place: str) -> str:
    """The host without its port."""
    return place.rpartition(":")[0] if ":" in place and not place.endswith("]") else place


def _unreadable(text: str) -> str:
    if not text:
        return "it is empty"
    if any(ord(letter) < 33 or ord(letter) == 127 for letter in text):
        return "it holds blanks or control characters, which programs read in different ways"
    if any(unicodedata.category(letter) in {"Cf", "Cc", "Cs", "Zs", "Zl", "Zp"} for letter in text):
        return "it holds invisible characters"
    return ""


def _other_scheme(text: str) -> str:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.\-]*):", text)
    if scheme is None:
        return "it is no whole address; write it with https://"
    name = scheme[1].lower()
    if name in _SCHEMES:
        return f"{name}: is not followed by // and a host"
    return f"{name}: addresses are not opened, only http and https"


def _odd_authority(authority: str, rest: str) -> str:
    if not authority:
        return "it names no host"
    if rest.startswith("\\"):
        return "it holds a backslash, which programs read in different ways"
    if authority.count("@") > 1 or "://" in authority:
        return "it names more than one host"
    if rest.startswith(("#", "?")) and "@" in rest:
        return "programs read its host in different ways"
    if rest.startswith("//") and "@" in rest.partition("?")[0]:
        return "programs read its host in different ways"
    place = authority.rpartition("@")[2]
    if "%" in place:
        return "its host is written with escapes"
    host = _written(place)
    if _HOST.fullmatch(host) is None:
        return "its host holds signs that no host has"
    if ".." in host or host.startswith((".", "-")):
        return "its host is no name"
    return ""


def _one_reading(text: str, place: str) -> str:
    """The host, in its one spelling, if all who read it find the same; else nothing."""
    browser = address(text)
    try:
        library = urlsplit(text).hostname
    except ValueError:
        return ""
    if browser is None or not browser.host or library is None:
        return ""
    written = _written(place)
    if written.strip("[]").lower() != library.lower():
        return ""
    if not written.isascii():
        return browser.host if _reads_alike(written) else ""
    if _NUMBERS.fullmatch(written):
        return browser.host if _number(written, browser.host) else ""
    return browser.host


def _reads_alike(written: str) -> bool:
    """Whether all ways to write a name of other scripts in ASCII come to the same."""
    folded = unicodedata.normalize("NFKC", written).lower()
    if folded != unicodedata.normalize("NFC", written).lower():
        return False
    if any(
        unicodedata.category(letter)[0] in "SPZC" and letter not in _MIDDLE for letter in folded
    ):
        return False
    return not set(folded) & _DIFFERENT


def _number(written: str, host: str) -> bool:
    """Whether an IPv4 address in digits is the same, or as public, to those who know no octal numbers."""
    parts = written.rstrip(".").split(".")
    if any(part.lower().startswith("0x") for part in parts):
        return True
    decimal = address("http://" + ".".join(part.lstrip("0") or "0" for part in parts))
    found = read(decimal.host) if decimal is not None else None
    return found is None or not what_is(found) or str(found) == host


def _port(place: str, scheme: str) -> int | None:
    after = place.rpartition("]")[2]
    _, colon, digits = after.rpartition(":")
    if not colon or not digits:
        return _SCHEMES[scheme]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 8 and 0 < int(digits) < 65_536):
        return None
    return int(digits)
