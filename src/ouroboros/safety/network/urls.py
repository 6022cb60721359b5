"""Whether an address of the web may be opened: where it leads, in every way that programs read it. Pure.

Programs disagree about odd spellings, so an address is allowed only where all of them agree on a public host.
"""

import re
from collections.abc import Sequence
from typing import Literal
from urllib.parse import unquote, urljoin

from msgspec import Struct

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.network.addresses import read, refusal, what_is
from ouroboros.safety.network.hosts import HostRules, is_local_name
from ouroboros.safety.network.names import lookalike, trick
from ouroboros.safety.network.spelling import read_place
from ouroboros.safety.origins import address

MOST_HOPS = 20
LONGEST = 8_192

type Verdict = Literal["allow", "ask", "deny"]


class Judgement(Struct, frozen=True, kw_only=True):
    """Whether an address may be opened, and why not."""

    decision: Verdict
    reason: str = ""


_RANK: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}

_NO_WEB_PORTS = frozenset({
    *(
        1,
        7,
        9,
        11,
        13,
        15,
        17,
        19,
        20,
        21,
        22,
        23,
        25,
        37,
        42,
        43,
        53,
        69,
        77,
        79,
        87,
        95,
        101,
        102,
    ),
    *(
        103,
        104,
        109,
        110,
        111,
        113,
        115,
        117,
        119,
        123,
        135,
        137,
        139,
        143,
        161,
        179,
        389,
        427,
        465,
    ),
    *(
        512,
        513,
        514,
        515,
        526,
        530,
        531,
        532,
        540,
        548,
        554,
        556,
        563,
        587,
        601,
        636,
        989,
        990,
        993,
    ),
    *(
        995,
        1719,
        1720,
        1723,
        2049,
        3659,
        4045,
        4190,
        5060,
        5061,
        6000,
        6566,
        6665,
        6666,
        6667,
        6668,
    ),
    *(6669, 6679, 6697, 10080),
})
"""No browser opens these. Source: https://fetch.spec.whatwg.org/#port-blocking"""

_LONGEST = 16_000
_LONG_HOST = re.compile(r"[^/\\]{0,40}[/\\]{0,8}[^/\\?#]{512}")
"""No name of a host has more than 253 characters; some are left for who logs in."""

_SERVICE_PORTS = frozenset({
    *(445, 873, 1080, 1433, 1521, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4243, 4369, 5432),
    *(5672, 5900, 5984, 5985, 6379, 6443, 7001, 8500, 9042, 9092, 9200, 9300, 10250, 10255, 11211),
    *(15672, 25565, 27017, 27018, 50070),
})
"""Databases and controls of machines, hardly pages."""


def judge_url(
    url: str,
    *,
    resolves_to: Sequence[str] = (),
    redirect_chain: Sequence[str] = (),
    allow_list: Sequence[str] | None = None,
) -> Judgement:
    """Allow, ask or deny opening an address.

    Args:
        url: As it was written.
        resolves_to: Addresses that its host name has, as far as they are known.
        redirect_chain: Where it led on to, hop by hop; a hop may be relative to the one before.
        allow_list: The only hosts that may be reached; None where the person named none.

    A list that cannot be read, or names every host, allows none.
    """
    try:
        rules = HostRules.of(allow_list)
    except ConfigBroken as broken:
        return _no(f"the list of allowed hosts cannot be used: {broken.message}")
    return judge_by(rules, url, resolves_to=resolves_to, redirect_chain=redirect_chain)


def judge_by(
    rules: HostRules,
    url: str,
    *,
    resolves_to: Sequence[str] = (),
    redirect_chain: Sequence[str] = (),
) -> Judgement:
    """The same by lists of hosts that were read before."""
    found = _judge(rules, url)
    if found.decision == "deny":
        return found
    for one in resolves_to:
        found = _stricter(found, _address(rules, url, one))
    return _stricter(found, _hops(rules, url, redirect_chain))


def judge_host(rules: HostRules, host: str, port: int) -> Judgement:
    """Whether a host, as ``origins.address`` spells it, may be connected to by what is known of its name."""
    match rules.standing(host, port):
        case "denied":
            return _no(_not_listed(rules, host, port))
        case "allowed" if rules.lists_literally(host, port):
            return Judgement(decision="allow")
        case standing:
            local = read(host)
            name = what_is(local) if local is not None else ""
            if name:
                return _no(f"{host} is {name}")
            if reason := trick(host):
                return _no(reason)
            if port in _NO_WEB_PORTS:
                return _no(f"port {port} is one of another service, which no browser opens")
            if standing == "allowed":
                return Judgement(decision="allow")
            if reason := lookalike(host):
                return _doubt(reason)
            if port in _SERVICE_PORTS:
                return _doubt(
                    f"port {port} is usually one of a database or of a machine's controls"
                )
            return Judgement(decision="allow")


def _judge(rules: HostRules, url: str) -> Judgement:
    text = url.strip(" ")
    if len(text) > _LONGEST or _LONG_HOST.match(text):
        return _no("it is longer than an address can be")
    place = read_place(text)
    if isinstance(place, str):
        return _no(place)
    found = judge_host(rules, place.host, place.port)
    if found.decision != "allow":
        return found
    if place.login:
        return _login(place.login)
    if place.is_unusual:
        return _doubt(f"{place.written} is an unusual way to write an address")
    if len(text) > LONGEST:
        return _doubt(f"it is {len(text)} characters long, and may carry data away")
    return found


def _login(login: str) -> Judgement:
    user = unquote(login).partition(":")[0]
    if "." in user or is_local_name(user) or set(user) & set("/\\?#[]"):
        return _no(f"it looks as if it led to {user}, and leads elsewhere")
    return _doubt("it carries a user name or a password")


def _address(rules: HostRules, url: str, resolved: str) -> Judgement:
    where = address(url.strip(" "))
    if where is not None and rules.lists_literally(where.host, where.port):
        return Judgement(decision="allow")
    reason = refusal(resolved)
    if not reason:
        return Judgement(decision="allow")
    found = read(resolved)
    if found is not None and rules.lists_literally(str(found)):
        return Judgement(decision="allow")
    name = where.host if where is not None else "its host"
    return _no(f"{name} leads to no public place: {reason}")


def _hops(rules: HostRules, url: str, chain: Sequence[str]) -> Judgement:
    found = Judgement(decision="allow")
    if len(chain) > MOST_HOPS:
        return _no(f"it is led on more than {MOST_HOPS} times")
    before = url.strip(" ")
    for number, written in enumerate(chain, 1):
        hop = next_address(before, written)
        judged = _judge(rules, hop)
        if judged.decision != "allow":
            reason = f"it is led on to {_shown(hop)}: {judged.reason}"
            found = _stricter(found, Judgement(decision=judged.decision, reason=reason))
        is_open = before.lower().startswith("https:") and hop.lower().startswith("http:")
        if is_open and number > 0:
            found = _stricter(
                found, _doubt(f"it is led on to {_shown(hop)}, which is not encrypted")
            )
        before = hop
    return found


def next_address(before: str, written: str) -> str:
    """Where a redirect leads; an address of its own stays as it was written."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", written) or not written:
        return written
    if written.startswith(("//", "\\", "/\\")):
        return f"{before.partition(':')[0]}:{written}"
    try:
        return urljoin(before, written)
    except ValueError:
        return written


def _not_listed(rules: HostRules, host: str, port: int) -> str:
    if any(one.names(host, port) for one in rules.deny):
        return f"{host} is on the list of denied hosts"
    if not rules.allow:
        return "the list of allowed hosts is empty"
    return f"{host} is not on the list of allowed hosts"


def _stricter(one: Judgement, other: Judgement) -> Judgement:
    return other if _RANK[other.decision] > _RANK[one.decision] else one


def _shown(url: str) -> str:
    return url if len(url) <= 80 else f"{url[:79]}…"


def _no(reason: str) -> Judgement:
    return Judgement(decision="deny", reason=reason)


def _doubt(reason: str) -> Judgement:
    return Judgement(decision="ask", reason=reason)
