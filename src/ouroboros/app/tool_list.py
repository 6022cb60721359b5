"""The tools a session would have."""

import msgspec
from msgspec import Struct

from ouroboros.app import toolbox
from ouroboros.app.settings import Settings


class Listed(Struct, frozen=True, kw_only=True):
    """One tool; ``schema`` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: msgspec.Raw


def listed(settings: Settings) -> list[Listed]:
    """Every tool that is on, in the order a model reads them."""
    return [
        Listed(
            name=spec.name, description=spec.description, schema=msgspec.Raw(spec.schema.encode())
        )
        for spec in toolbox.registry(settings).specs()
    ]
