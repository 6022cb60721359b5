"""What a person calls a repository: ``OWNER/REPO``, an address, or a folder; a pure reading."""

import re
from typing import Literal
from urllib.parse import urljoin, urlsplit, urlunsplit

from msgspec import Struct

from ouroboros.core.errors import Misuse

SCHEMES = ("https", "http", "ssh", "git", "file")

MOST_NAME = 100
"""Characters of the folder that a repository is kept in."""

_PIECE = r"[A-Za-z0-9_][A-Za-z0-9_.\-]*"
_SHORT = re.compile(rf"({_PIECE})/({_PIECE}?)(?:\.git)?")
_SCP = re.compile(rf"((?:{_PIECE}@)?[A-Za-z0-9][A-Za-z0-9.\-]*):(?!//)([^\s:\\][^\s\\]*)")
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.\-]{{0,{MOST_NAME - 1}}}")
_HINT = "write OWNER/REPO, an address such as https://host/owner/repo, or a folder such as ./repo"


class Address(Struct, frozen=True, kw_only=True):
    """Where a repository is.

    Attributes:
        kind: ``folder`` is one of the person's own, that stays where it is.
        url: For git; of a folder its path, as it was written.
        scheme: How git talks to it; empty for a folder.
        host: Of the other side, with its port; empty where there is none.
        label: What people call it.
        name: What its folder here is called.
    """

    kind: Literal["remote", "folder"]
    url: str
    scheme: str = ""
    host: str = ""
    label: str
    name: str


def read_address(text: str, *, base: str) -> Address:
    """Understands what was written; ``base`` is where ``OWNER/REPO`` is looked for.

    Raises:
        Misuse: It is none of the three, or carries a password.
    """
    written = text.strip()
    if not written or not written.isprintable() or written.startswith("-"):
        raise Misuse(f"{text[:80]!r} names no repository", hint=_HINT)
    if written in {".", "..", "~"} or written.startswith(("/", "./", "../", "~/")):
        return Address(kind="folder", url=written, label=written, name="")
    if "://" in written:
        return _of_url(written, written)
    if "::" in written:
        raise Misuse(f"{written[:80]!r} would run a program of its own", hint=_HINT)
    if short := _SHORT.fullmatch(written):
        label = f"{short[1]}/{short[2]}"
        return _of_url(f"{base.rstrip('/')}/{label}.git", label)
    if (scp := _SCP.fullmatch(written)) and "/" not in scp[1]:
        host = scp[1].rpartition("@")[2]
        return Address(
            kind="remote", url=written, scheme="ssh", host=host, label=written, name=_named(scp[2])
        )
    raise Misuse(f"{written[:80]!r} names no repository", hint=_HINT)


def checked_name(text: str) -> str:
    """The name if it may be that of a folder here; raises ``Misuse``."""
    if not _NAME.fullmatch(text) or text.endswith((".lock", ".part")):
        raise Misuse(
            f"{text[:80]!r} cannot be the name of a folder here",
            hint="letters, digits, dot, dash and underscore, the first a letter or a digit",
        )
    return text


def moved(address: Address, location: str) -> Address:
    """The same repository at the address that the server sent us on to.

    Raises:
        Misuse: It is another host, or a less safe way to the same one.
    """
    asked = "/info/refs"
    service = urljoin(f"{address.url}{asked}", location).partition(asked)[0]
    there = _of_url(service, address.label)
    is_safe = there.scheme == address.scheme or (address.scheme, there.scheme) == ("http", "https")
    if there.host != address.host and not _same_but_port(address, there):
        raise Misuse(
            f"{address.host} sends us on to {there.host}, another host",
            hint=f"if that is right, say so: {there.url}",
        )
    if not is_safe:
        raise Misuse(f"{address.host} sends us from {address.scheme} on to {there.scheme}")
    return Address(
        kind="remote",
        url=there.url,
        scheme=there.scheme,
        host=there.host,
        label=address.label,
        name=address.name,
    )


def _same_but_port(one: Address, other: Address) -> bool:
    """From http to https the port changes too."""
    is_upgrade = (one.scheme, other.scheme) == ("http", "https")
    return is_upgrade and one.host.partition(":")[0] == other.host.partition(":")[0]


def _of_url(url: str, label: str) -> Address:
    try:
        parts = urlsplit(url)
        port, host, password = parts.port, parts.hostname or "", parts.password
    except ValueError as wrong:
        raise Misuse(f"{url[:80]!r} is not an address: {wrong}", hint=_HINT) from None
    if parts.scheme not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise Misuse(f"{parts.scheme[:20]!r} is no way to a repository", hint=f"there are {known}")
    if password is not None or (parts.username and parts.scheme in {"http", "https"}):
        raise Misuse(
            "an address with a name or password in it would be kept as it is",
            hint="leave it out: git's own credential helper is asked",
        )
    if parts.query or parts.fragment or not parts.path.strip("/"):
        raise Misuse(f"{url[:80]!r} names no repository", hint=_HINT)
    if parts.scheme == "file":
        if host not in {"", "localhost"}:
            raise Misuse(f"{url[:80]!r} is not on this machine", hint="write file:///folder")
    elif not host or host.startswith("-"):
        raise Misuse(f"{url[:80]!r} names no host", hint=_HINT)
    clean = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    where = f"{host}:{port}" if port is not None else host
    shown = label if "://" not in label else clean
    return Address(
        kind="remote",
        url=clean,
        scheme=parts.scheme,
        host=where,
        label=shown,
        name=_named(parts.path),
    )


def _named(path: str) -> str:
    """``{owner}_{repo}`` of the last two steps; what may not stand there becomes a dash."""
    steps = [step for step in path.removesuffix("/").removesuffix(".git").split("/") if step]
    joined = "_".join(steps[-2:])
    kept = re.sub(r"[^A-Za-z0-9_.\-]+", "-", joined).strip("-._")
    return kept[:MOST_NAME].removesuffix(".lock") or "repository"
