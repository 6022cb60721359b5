"""What an address says: which format is spoken, and for some of them the model too."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Target(NamedTuple):
    """The last word of an address, the model before it where one stands there, and its options."""

    verb: str
    model: str
    query: Mapping[str, str]


def target_of(address: str) -> Target:
    """Reads ``/v1beta/models/NAME:VERB``, ``/model/NAME/VERB`` and plain paths."""
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    folder, _, last = parts.path.rpartition("/")
    if folder.endswith("/models") and ":" in last:
        name, _, verb = last.rpartition(":")
        return Target(verb, unquote(name), query)
    head, _, name = folder.rpartition("/")
    if head.endswith("/model"):
        return Target(last, unquote(name), query)
    return Target(last, "", query)
