"""The tools a session would have."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from ouroboros.app.config.trust import project_folder, tree_folder
from ouroboros.app.settings import Settings
from ouroboros.app.text import plain
from ouroboros.app.wiring import late_scripts, toolbox
from ouroboros.core.errors import Misuse
from ouroboros.tools.exposure import Exposure, source_of
from ouroboros.tools.own import approvals
from ouroboros.tools.own.manifest import written as manifest_text
from ouroboros.tools.own.shelf import Shelf
from ouroboros.tools.own.tool import Written
from ouroboros.tools.registry import AnyTool, Registry, spec_of

if TYPE_CHECKING:
    from ouroboros.repl.tools.seat import Seat


class Place(Struct, frozen=True, kw_only=True):
    """Where own tools are looked for."""

    home: Path
    cwd: Path


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


def listed(settings: Settings, place: Place | None = None) -> list[Listed]:
    """Every tool that is on and not hidden, in the order a model reads them."""
    registry = known(settings, place)
    told = {spec.name for spec in registry.specs()}
    shown = [*told, *(tool.name for tool in registry.deferred())]
    return [
        _entry(registry, tool)
        for tool in map(registry.find, registry.names())
        if tool is not None and tool.name in shown
    ]


def one(settings: Settings, name: str, place: Place | None = None) -> Listed:
    """One tool by any of its names, also a hidden one.

    Raises:
        Misuse: There is none.
    """
    registry = known(settings, place)
    tool = registry.find(name)
    if tool is None:
        near = registry.near(name)
        hint = f"did you mean {near[0]}?" if near else "see: ouro tools list"
        waits = next((each for each in left_out(settings, place) if f" {name}`" in each), "")
        hint = waits or hint
        raise Misuse(f"there is no tool {name!r}", hint=hint)
    return _entry(registry, tool)


def left_out(settings: Settings, place: Place | None) -> list[str]:
    """Why own tools that are there are not on: broken, or not approved yet; blocking."""
    shelf = toolbox.shelf_of(settings, home=place.home, cwd=place.cwd) if place else None
    if shelf is None:
        return []
    shelf.look(Registry())
    return [*shelf.problems.values()]


def about(settings: Settings, query: str, limit: int, place: Place | None = None) -> list[Listed]:
    """The tools that a model would find with these words, and those it is told of, the best first."""
    from ouroboros.tools.builtin.discovery import best

    registry = known(settings, place)
    tools = tuple(tool for tool in map(registry.find, registry.names()) if tool is not None)
    return [_entry(registry, tool) for tool in best(tools, query, limit)]


def known(settings: Settings, place: Place | None = None) -> Registry:
    """The tools of a session with these settings; what needs a session behind it is only listed.

    Without a ``place`` those of nobody's own.
    """
    shelf = toolbox.shelf_of(settings, home=place.home, cwd=place.cwd) if place else None
    late = late_scripts.wanted(settings)
    registry = toolbox.registry(settings, late=late, shelf=shelf)
    if settings.browser.tools or settings.tools.scripts:
        from ouroboros.app.wiring import tool_family

        nobody = cast("Seat", None)  # a tool that is only listed never asks its seat
        tool_family.join(registry, tool_family.family(nobody, browser=settings.browser.tools))
    registry.specs()
    return registry


def to_approve(name: str, place: Place) -> Written:
    """A tool of this project that waits for an approval.

    Raises:
        Misuse: There is none of that name, or it needs none.
    """
    project, tree = (each(place.cwd, place.home) for each in (project_folder, tree_folder))
    shelf = Shelf(home=place.home, project=project, tree=tree)
    found = next((each for each in shelf.found() if each.manifest.name == name), None)
    if found is None:
        folder = shelf.folder_of(name)
        raise Misuse(f"there is no tool {name!r} that can be read", hint=f"look at {folder}")
    if not shelf.needs_approval(found):
        raise Misuse(f"{name} needs no approval", hint="it is approved, or one of your own home")
    return found


def as_text(written: Written) -> list[str]:
    """The whole tool for a person to read, without anything a terminal would obey."""
    head = [f"{written.folder}", *plain(manifest_text(written.manifest)).splitlines(), ""]
    return [*head, *plain(written.code).splitlines()]


def approve(written: Written, place: Place) -> None:
    """Lets sessions use exactly this tool."""
    approvals.approve(place.home, written.hash)


def _entry(registry: Registry, tool: AnyTool) -> Listed:
    spec = spec_of(tool)
    return Listed(
        name=spec.name,
        description=spec.description,
        exposure=registry.exposure(tool),
        source=source_of(tool),
        schema=msgspec.Raw(spec.schema.encode()),
    )
