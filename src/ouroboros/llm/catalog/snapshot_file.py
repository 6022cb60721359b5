"""The shipped snapshot: one file a vendor, of which only the asked model is understood."""

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.llm.catalog.known import Known

FOLDER = Path(__file__).with_name("snapshot")
TAKEN = "2026-11-21"
"""When the snapshot was made from its source."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """A vendor's models; ``source`` and ``licence`` say whose work it is."""

    source: str
    licence: str
    taken: str
    models: dict[str, msgspec.Raw]


@cache
def models(vendor: str) -> dict[str, msgspec.Raw]:
    """The vendor's models by name, each still as JSON; none where there is no snapshot."""
    path = FOLDER / f"{vendor}.json"
    if not vendor or not path.is_file():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=Snapshot).models


def read(model: msgspec.Raw) -> Known:
    """What is known of one model."""
    return msgspec.json.decode(model, type=Known)
