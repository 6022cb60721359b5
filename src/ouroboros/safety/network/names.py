"""Host names that lead to other places than they seem to. Pure."""

import re
import unicodedata
from functools import cache
from ipaddress import IPv4Address

from ouroboros.safety.network.addresses import read, what_is

_METADATA_NAMES = frozenset({
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.azure.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
    "metadata.service",
    "instance-data",
    "instance-data.ec2.internal",
    "rancher-metadata",
})

_LOCAL_ENDS = frozenset({
    "alt",
    "arpa",
    "belkin",
    "cluster",
    "consul",
    "corp",
    "default",
    "docker",
    "domain",
    "fritz.box",
    "home",
    "host.docker.internal",
    "internal",
    "intranet",
    "invalid",
    "k8s",
    "lan",
    "local",
    "localdomain",
    "localdomain6",
    "localhost",
    "localhost6",
    "onion",
    "private",
    "router",
    "svc",
    "test",
    "workgroup",
})
"""Ends of names that no public name server knows, or that are meant for this network."""

_HERE = frozenset({
    "127-0-0-1.org.uk",
    "bugbounty.dod.network",
    "localdomain.pw",
    "localh.st",
    "mail.ebc.apple.com",
    "backname.io",
    "fuf.me",
    "lacolhost.com",
    "local.gd",
    "localho.st",
    "localtest.me",
    "loopback.jp",
    "lvh.me",
    "smackaho.st",
    "traefik.me",
    "ulh.us",
    "vcap.me",
})
"""Public names whose records say this machine, or a place of this network."""

_SPELLED = frozenset({
    "getip.net",
    "ip4.name",
    "ip6.name",
    "ipq.co",
    "lan-ip.in",
    "local-ip.co",
    "local-ip.medicmobile.org",
    "local-ip.sh",
    "myip.is",
    "nip.io",
    "plex.direct",
    "sslip.io",
    "xip.io",
})
"""Names below these lead to the address that they spell."""

_REBINDING = frozenset({
    "1u.ms",
    "httprebind.com",
    "rbndr.us",
    "rebind.it",
    "rebind.network",
    "rebinder.net",
    "rebindmultia.com",
    "singularity.me",
    "whonow.net",
})
"""Names below these lead to one place now and to another one a moment later."""

_FOUR_INSIDE = re.compile(r"(?<!\d)(?=(\d{1,3})[.\-](\d{1,3})[.\-](\d{1,3})[.\-](\d{1,3})(?!\d))")
"""Each of several that lie over each other: which of them counts, the name server decides."""
_HEX_INSIDE = re.compile(r"(?:^|[.\-])([0-9a-f]{8})(?=[.\-])")

_EAST = frozenset({"BOPOMOFO", "CJK", "HIRAGANA", "KATAKANA", "LATIN", "KATAKANA-HIRAGANA"})
_OVERLOOKED = "\u0323\u0325\u032d\u0331\u0335\u0336\u0337\u0338"
_ODD = frozenset("ɑɡɩȷƅ丶丿丨ノ〳ーᐟǀ")
_LATIN_LIKE = {
    "CYRILLIC": frozenset("абвгенорстухкмпьшщцчиіѕјһԁԛԝѵӏґєїўќћђџљњ"),
    "GREEK": frozenset("αβγεηικνοπρτυχωκςσ"),
    "ARMENIAN": frozenset("աօսոհցզյգքցւսո"),
}


def trick(host: str) -> str:
    """Why the name of a host is not to be followed; empty when nothing speaks against it.

    Args:
        host: Lower case, as ASCII, without a last dot.
    """
    if read(host) is not None:
        return ""
    if host in _METADATA_NAMES or host.endswith(".metadata.google.internal"):
        return f"{host} is a cloud's metadata service"
    if "." not in host:
        return f"{host} is a name of the local network"
    if _below(host, _LOCAL_ENDS):
        return f"{host} is a name of the local network"
    if _below(host, _HERE):
        return f"{host} leads to this machine"
    if _below(host, _REBINDING):
        return f"{host} leads to one place now and to another one a moment later"
    if _below(host, _SPELLED):
        return _spelled(host)
    return ""


def lookalike(host: str) -> str:
    """Why a name may be taken for another one; empty when it cannot be.

    Args:
        host: As ASCII; labels of other scripts begin with ``xn--``.
    """
    for label in host.split("."):
        if not label.startswith("xn--"):
            continue
        try:
            shown = label.encode().decode("idna")
        except UnicodeError:
            try:
                shown = label[4:].encode().decode("punycode")
            except UnicodeError:
                return f"{label} is no name in letters"
        if reason := _label(shown, label):
            return reason
    return ""


def _label(shown: str, label: str) -> str:
    scripts = {script for letter in shown if (script := _script(letter))}
    if len(scripts) > 1 and not (scripts <= _EAST or scripts <= {*_EAST, "HANGUL"}):
        return f"{label} mixes letters of several scripts ({shown})"
    script = next(iter(scripts), "")
    letters = {letter for letter in shown if letter.isalpha()}
    if len(scripts) == 1 and letters <= _LATIN_LIKE.get(script, frozenset()):
        return f"{label} looks like Latin letters and is not ({shown})"
    if any(map(_is_odd, shown)):
        return f"{label} has signs that look like other ones ({shown})"
    if scripts == {"LATIN"} and any(
        mark in _OVERLOOKED for mark in unicodedata.normalize("NFKD", shown)
    ):
        return f"{label} has marks that are easily overlooked ({shown})"
    return ""


def _is_odd(letter: str) -> bool:
    if letter in "-·":
        return False
    if unicodedata.category(letter) in {"Cc", "Cf", "Sk", "Sm", "So", "Po", "Zs"}:
        return True
    return letter in _ODD or "SMALL CAPITAL" in unicodedata.name(letter, "")


@cache
def _script(letter: str) -> str:
    """The first word of a letter's name, which is its script; empty for signs and digits."""
    if not letter.isalpha():
        return ""
    return unicodedata.name(letter, "").partition(" ")[0]


def _spelled(host: str) -> str:
    found = [read(".".join(parts)) for parts in _FOUR_INSIDE.findall(host)]
    found += [IPv4Address(int(digits, 16)) for digits in _HEX_INSIDE.findall(host)]
    for address in filter(None, found):
        if name := what_is(address):
            return f"{host} leads to {address}, which is {name}"
    if any(found):
        return ""
    return f"{host} leads to whatever address its name spells"


def _below(host: str, ends: frozenset[str]) -> bool:
    labels = host.split(".")
    return any(".".join(labels[at:]) in ends for at in range(len(labels)))
