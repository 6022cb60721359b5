"""What `ouro config` shows of the settings; secrets in addresses are left out."""

import re
from typing import cast

import msgspec
from msgspec import Struct

from ouroboros.app.config import schema
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.schema import KeyPath, Table

_CREDENTIALS = re.compile(r"(://)[^/@\s\"]+@")


class Shown(Struct, frozen=True, kw_only=True):
    """One value and the layer it came from; None is not set."""

    key: str
    value: object
    origin: str


class Claim(Struct, frozen=True, kw_only=True):
    """A layer's say about one key."""

    layer: str
    source: str
    value: object


def listed(loaded: Loaded) -> list[Shown]:
    """Every setting with its value, defaults included."""
    return at(loaded, ())


def at(loaded: Loaded, path: KeyPath) -> list[Shown]:
    """The values at or below ``path``; raises ``Misuse`` if no setting is called so."""
    if path:
        schema.find(path)
    everything = cast("Table", msgspec.to_builtins(loaded.settings))
    found: list[Shown] = []
    for place, value in schema.flatten(everything):
        if place[: len(path)] != path:
            continue
        key = schema.format_key(place)
        found.append(
            Shown(key=key, value=_clean(place, value), origin=loaded.origins.get(key, "default"))
        )
    return found


def claims(loaded: Loaded, path: KeyPath) -> list[Claim]:
    """Which layers set the key, the one that wins first."""
    schema.find(path)
    return [
        Claim(layer=layer.name, source=layer.source, value=_clean(place, value))
        for layer in reversed(loaded.layers)
        for place, value in schema.flatten(layer.table)
        if place[: len(path)] == path
    ]


def written(value: object) -> str:
    """A value as it would stand in a file."""
    return msgspec.json.encode(value).decode()


def without_credentials(address: str) -> str:
    """An address without the name and password it may hold."""
    return _CREDENTIALS.sub(r"\1…@", address)


def _clean(path: KeyPath, value: object) -> object:
    """The value without what may be a secret: what is sent in headers, a password in an address."""
    if schema.is_hidden(path):
        return "…"
    return without_credentials(value) if isinstance(value, str) else value
