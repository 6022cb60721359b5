"""Which hosts may be reached: lists of allowed and denied ones. Pure."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.network.addresses import read
from ouroboros.safety.origins import address

type Standing = Literal["allowed", "denied", "unknown"]


class HostPattern(Struct, frozen=True, kw_only=True):
    """One host, or hosts by the end of their name.

    Attributes:
        name: Lower case, as ASCII.
        itself: The host of this name.
        below: Every host below it.
        port: 0 for any.
    """

    name: str
    itself: bool = True
    below: bool = False
    port: int = 0

    def names(self, host: str, port: int = 0) -> bool:
        """Whether a host, in its one spelling, is meant."""
        if self.port and port and self.port != port:
            return False
        if self.itself and host == self.name:
            return True
        return self.below and host.endswith(f".{self.name}")

    @property
    def is_literal(self) -> bool:
        """It names one machine by its address, or this one."""
        return self.itself and not self.below and is_local_name(self.name)


class HostRules(Struct, frozen=True, kw_only=True):
    """Hosts that may be reached and hosts that may not; a deny wins.

    Attributes:
        allow: None leaves the others unknown, an empty one denies them all.
        deny: What may not be reached, listed or not.
        others: Hosts that ``allow`` does not name are unknown, not denied.
    """

    allow: tuple[HostPattern, ...] | None = None
    deny: tuple[HostPattern, ...] = ()
    others: bool = False

    @classmethod
    def of(
        cls,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
        *,
        others: bool = False,
    ) -> "HostRules":
        """Rules from patterns as people write them; raises ``ConfigBroken``."""
        return cls(
            allow=None if allow is None else tuple(map(pattern, allow)),
            deny=tuple(map(pattern, deny)),
            others=others,
        )

    def standing(self, host: str, port: int = 0) -> Standing:
        """What the lists say of a host."""
        if any(one.names(host, port) for one in self.deny):
            return "denied"
        if self.allow is None:
            return "unknown"
        if any(one.names(host, port) for one in self.allow):
            return "allowed"
        return "unknown" if self.others else "denied"

    def lists_literally(self, host: str, port: int = 0) -> bool:
        """Whether the person named this very address, or ``localhost``, so that it may be local."""
        return any(one.is_literal and one.names(host, port) for one in self.allow or ())


@lru_cache(maxsize=1024)
def pattern(written: str) -> HostPattern:
    """Reads ``example.com`` (that host alone), ``*.example.com`` (below it) or ``**.example.com`` (both).

    A port may follow. An address such as ``https://example.com/`` stands for its host and port.

    Raises:
        ConfigBroken: It names no host, or every host there is.
    """
    text = written.strip()
    text = text.removeprefix("domain:").strip()
    if text in {"*", "**", "*.*", "**.*", "*.", "**."}:
        raise ConfigBroken(
            f"{written!r} would allow every host",
            hint="name hosts, such as example.com or *.example.com",
        )
    itself, below = True, False
    if "://" not in text and text.startswith("**."):
        text, below = text[3:], True
    elif "://" not in text and text.startswith("*."):
        text, itself, below = text[2:], False, True
    has_scheme = "://" in text
    if not has_scheme and text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    found = address(text if has_scheme else f"http://{text}")
    is_plain = found is not None and found.path in {"", "/"} and not set("@*?#\\") & set(text)
    if found is None or not found.host or not is_plain or (below and "." not in found.host):
        raise ConfigBroken(
            f"{written!r} is no host",
            hint="write example.com, *.example.com (below it) or **.example.com (both)",
        )
    has_port = has_scheme or text.rpartition("]")[2].count(":") == 1
    return HostPattern(
        name=found.host, itself=itself, below=below, port=found.port if has_port else 0
    )


def is_local_name(host: str) -> bool:
    """Whether a host is an address in digits, or the name of this machine."""
    return read(host) is not None or host == "localhost" or host.endswith(".localhost")
