"""What a prompt says of the functions: made from the tools themselves, so that it cannot be wrong."""

from collections.abc import Sequence

from ouroboros.tools.arguments import signature
from ouroboros.tools.registry import AnyTool

BUILT_IN = (
    "env.name = value: kept for the whole run",
    "setFinal(value): ends the run with this value, of any size",
    "log(...): tells the person, not you",
)
"""What is in every REPL and no tool."""

GETTERS = (
    "tabs: [{id, url, title, status, favicon, opener, dialog}], always of now",
    "activeTab: id",
)


def reference(groups: Sequence[tuple[str, Sequence[AnyTool]]], *, has_browser: bool = False) -> str:
    """One line for each function: how it is called, what it gives, and what to know."""
    lines = ["All functions but setFinal and log return promises: await them.", "## Session"]
    lines += [*BUILT_IN, *(GETTERS if has_browser else ())]
    for title, tools in groups:
        if tools:
            lines += [f"## {title}", *map(line_of, tools)]
    return "\n".join(lines)


def line_of(tool: AnyTool) -> str:
    """One function as a line."""
    usage: str = getattr(tool, "usage", "") or f"{tool.name}({signature(tool.arguments)})"
    description = tool.description
    return usage if not description or description == usage else f"{usage} // {description}"
