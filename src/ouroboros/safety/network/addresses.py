"""Which IP addresses are on the public internet, and what the others are. Pure.

Sources: https://www.iana.org/assignments/iana-ipv4-special-registry,
https://www.iana.org/assignments/iana-ipv6-special-registry
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

type IP = IPv4Address | IPv6Address

METADATA = frozenset({
    "169.254.169.254",  # AWS, Azure, Google, OpenStack and others
    "169.254.169.123",
    "169.254.169.249",
    "169.254.169.250",
    "169.254.169.251",
    "169.254.169.252",
    "169.254.169.253",
    "169.254.170.2",  # of AWS containers
    "169.254.170.23",
    "169.254.0.23",  # Tencent
    "100.100.100.200",  # Alibaba
    "192.0.0.192",  # Oracle
    "168.63.129.16",  # Azure, in a public range
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fd00:c1::a9fe:a9fe",
    "fe80::a9fe:a9fe",
})
"""Where clouds hand the keys of a machine to whoever asks."""

_FOUR = (
    ("0.0.0.0/8", "this machine"),
    ("10.0.0.0/8", "a private network"),
    ("100.64.0.0/10", "a carrier's private network"),
    ("127.0.0.0/8", "this machine"),
    ("169.254.0.0/16", "the local link"),
    ("172.16.0.0/12", "a private network"),
    ("192.0.0.0/24", "a reserved range"),
    ("192.0.2.0/24", "a range for documentation"),
    ("192.31.196.0/24", "a reserved range"),
    ("192.52.193.0/24", "a reserved range"),
    ("192.88.99.0/24", "a relay to another network"),
    ("192.168.0.0/16", "a private network"),
    ("192.175.48.0/24", "a reserved range"),
    ("198.18.0.0/15", "a test network"),
    ("198.51.100.0/24", "a range for documentation"),
    ("203.0.113.0/24", "a range for documentation"),
    ("224.0.0.0/4", "a multicast group"),
    ("240.0.0.0/4", "a reserved range"),
)

_SIX = (
    ("::1/128", "this machine"),
    ("::/128", "this machine"),
    ("64:ff9b:1::/48", "a local translation to IPv4"),
    ("100::/64", "a range that discards"),
    ("2001:db8::/32", "a range for documentation"),
    ("3fff::/20", "a range for documentation"),
    ("2001:2::/48", "a test network"),
    ("2001:10::/28", "a reserved range"),
    ("2001:20::/28", "a reserved range"),
    ("2001:30::/28", "a reserved range"),
    ("5f00::/16", "a reserved range"),
    ("fc00::/7", "a private network"),
    ("fe80::/10", "the local link"),
    ("fec0::/10", "a private network"),
    ("ff00::/8", "a multicast group"),
)

_GLOBAL_SIX = IPv6Network("2000::/3")
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ENDS_IN_FOUR = tuple(
    map(
        IPv6Network,
        ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"),
    )
)
_TRANSLATED = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def read(text: str) -> IP | None:
    """An address in one of the spellings of IP itself, a zone left out; None when it is none."""
    plain = text.strip().removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        return ip_address(plain)
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def what_is(address: IP) -> str:
    """What place that is not on the public internet an address names; empty when it is public.

    Addresses that carry another one inside, as tunnels and translations do, are also what that is.
    """
    if str(address) in METADATA:
        return "a cloud's metadata service"
    if isinstance(address, IPv4Address):
        return next((name for network, name in _four() if address in network), "")
    for network, name in _six():
        if address in network:
            return name
    for inner in _carried(address):
        if name := what_is(inner):
            return f"{name}, written as IPv6 ({inner})"
        if str(inner) in METADATA:
            return "a cloud's metadata service"
    if address in _GLOBAL_SIX or any(address in network for network in _TRANSLATED):
        return ""
    return "a reserved range"


def refusal(text: str) -> str:
    """Why an address that a name leads to is not to be reached; empty when it may be."""
    address = read(text)
    if address is None:
        return f"{text!r} is no address"
    name = what_is(address)
    return f"{address} is {name}" if name else ""


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    number = int(address)
    if any(address in network for network in _ENDS_IN_FOUR):
        yield IPv4Address(number & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        yield IPv4Address(number >> 80 & 0xFFFFFFFF)
    if address in _TEREDO:
        yield IPv4Address(number >> 64 & 0xFFFFFFFF)
        yield IPv4Address(~number & 0xFFFFFFFF)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFFFFFF)


@cache
def _four() -> tuple[tuple[IPv4Network, str], ...]:
    return tuple((IPv4Network(network), name) for network, name in _FOUR)


@cache
def _six() -> tuple[tuple[IPv6Network, str], ...]:
    return tuple((IPv6Network(network), name) for network, name in _SIX)
