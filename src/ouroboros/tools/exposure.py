"""Which tools a model is told of at once, and which it has to look for.

The first request holds few tools for ever: what is ``deferred`` is found by ``tool_search`` and
called through ``call_tool``, so that the requests of a session only ever grow at their end.
"""

from typing import Any, Literal

from ouroboros.tools.tool import Tool

type Exposure = Literal["direct", "deferred", "model-only", "hidden"]
"""``direct`` is listed, ``model-only`` too but not for code that calls tools, ``deferred`` is found
by a search, ``hidden`` is only carried out."""

MOST_FOREIGN = 99
"""More tools from outside than these are all deferred. Source: codex, section 3.5."""


def written(tool: Tool[Any]) -> Exposure:
    """What the tool says of itself; a tool that says nothing is direct."""
    return getattr(tool, "exposure", "direct")


def source_of(tool: Tool[Any]) -> str:
    """The server or folder that a tool comes from; empty for ours."""
    return getattr(tool, "source", "")
