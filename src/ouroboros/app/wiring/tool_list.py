"""The tools a session would have."""

from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from ouroboros.app.settings import Settings
from ouroboros.app.wiring import late_scripts, toolbox
from ouroboros.core.errors import Misuse
from ouroboros.tools.exposure import Exposure, source_of
from ouroboros.tools.registry import AnyTool, Registry, spec_of

if TYPE_CHECKING:
    from ouroboros.repl.tools.seat import Seat


class Listed(Struct, frozen=True, kw_only=True):
    """One tool.

    Attributes:
        exposure: Whether a model is told of it at once, or has to look for it.
        source: Where it comes from; empty for ours.
        schema: JSON Schema of its arguments.
    """

    name: str
    description: str
    exposure: Exposure
    source: str
    schema: msgspec.Raw


def listed(settings: Settings) -> list[Listed]:
    """Every tool that is on and not hidden, in the order a model reads them."""
    registry = known(settings)
    told = {spec.name for spec in registry.specs()}
    shown = [*told, *(tool.name for tool in registry.deferred())]
    return [
        _entry(registry, tool)
        for tool in map(registry.find, registry.names())
        if tool is not None and tool.name in shown
    ]


def one(settings: Settings, name: str) -> Listed:
    """One tool by any of its names, also a hidden one.

    Raises:
        Misuse: There is none.
    """
    registry = known(settings)
    tool = registry.find(name)
    if tool is None:
        near = registry.near(name)
        hint = f"did you mean {near[0]}?" if near else "see: ouro tools list"
        raise Misuse(f"there is no tool {name!r}", hint=hint)
    return _entry(registry, tool)


def about(settings: Settings, query: str, limit: int) -> list[Listed]:
    """The tools that a model would find with these words, and those it is told of, the best first."""
    from ouroboros.tools.builtin.discovery import best

    registry = known(settings)
    tools = tuple(tool for tool in map(registry.find, registry.names()) if tool is not None)
    return [_entry(registry, tool) for tool in best(tools, query, limit)]


def known(settings: Settings) -> Registry:
    """The tools of a session with these settings; what needs a session behind it is only listed."""
    registry = toolbox.registry(settings, late=late_scripts.wanted(settings))
    if settings.browser.tools or settings.tools.scripts:
        from ouroboros.app.wiring import tool_family

        nobody = cast("Seat", None)  # a tool that is only listed never asks its seat
        for tool in tool_family.family(nobody, browser=settings.browser.tools):
            registry.register(tool)
    registry.specs()
    return registry


def _entry(registry: Registry, tool: AnyTool) -> Listed:
    spec = spec_of(tool)
    return Listed(
        name=spec.name,
        description=spec.description,
        exposure=registry.exposure(tool),
        source=source_of(tool),
        schema=msgspec.Raw(spec.schema.encode()),
    )
