"""The tools a session would have."""

from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from ouroboros.app.settings import Settings
from ouroboros.app.wiring import toolbox

if TYPE_CHECKING:
    from ouroboros.repl.tools.seat import Seat


class Listed(Struct, frozen=True, kw_only=True):
    """One tool; ``schema`` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: msgspec.Raw


def listed(settings: Settings) -> list[Listed]:
    """Every tool that is on, in the order a model reads them."""
    registry = toolbox.registry(settings)
    if settings.browser.tools or settings.tools.scripts:
        from ouroboros.app.wiring import tool_family

        nobody = cast("Seat", None)  # a tool that is only listed never asks its seat
        for tool in tool_family.family(nobody, browser=settings.browser.tools):
            registry.register(tool)
    return [
        Listed(
            name=spec.name, description=spec.description, schema=msgspec.Raw(spec.schema.encode())
        )
        for spec in registry.specs()
    ]
