"""Finding tools that are not listed, and calling them.

Source of the ranking and of the answer's form: codex, section 3.4.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec
from anyio import to_thread
from msgspec import Meta, Struct, field

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import TOOL_OUTPUT_BYTES
from ouroboros.core.parts import Text, ToolCall
from ouroboros.tools.aliases import folded
from ouroboros.tools.arguments import BadArguments, decode, schema
from ouroboros.tools.exposure import source_of
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Result, ToolContext

if TYPE_CHECKING:
    from ouroboros.store.ranking import Ranking

CALL_TOOL = "call_tool"

_DEFAULT_LIMIT = 8
_NAMED = 24
_SHOWN_BYTES = TOOL_OUTPUT_BYTES - 500


class ToolSearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the tool should be able to do."""

    query: str
    limit: Annotated[int, Meta(ge=0)] = _DEFAULT_LIMIT


class CallToolArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool that a search found, and what it takes."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


class ToolSearchTool:
    """Shows the tools that are about some words, with all that is needed to call them."""

    name = "tool_search"
    arguments = ToolSearchArguments
    parallel_safe = True
    finds_deferred = True

    def __init__(self) -> None:
        """Knows of no tools yet."""
        self.description = ""
        self._shown = ""
        self._index: tuple[tuple[AnyTool, ...], Ranking] | None = None
        self.note((), tuple)

    def note(self, names: Sequence[str], tools: Callable[[], tuple[AnyTool, ...]]) -> None:
        """These can be found from now on; ``names`` say what they are, or where they come from."""
        self._tools = tools
        self._shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        self.description = (
            f"Find more tools by what they do; use them with {CALL_TOOL}. There are: {self._shown}."
        )

    def effect(self, arguments: ToolSearchArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del cwd
        return Effect(kind="none", action=f"Look for tools about {arguments.query[:80]!r}")

    async def run(
        self, arguments: ToolSearchArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The tools as JSON, the best first; an empty list, and what there is, when nothing fits."""
        del context
        found = await to_thread.run_sync(self._best, arguments.query, arguments.limit)
        text = _listed(found) if found else _nothing(self._shown)
        yield Result(parts=(Text(text=text),))

    def _best(self, query: str, limit: int) -> list[AnyTool]:
        tools = self._tools()
        if self._index is None or self._index[0] != tools:
            self._index = tools, _indexed(tools)
        return [tools[at] for at in self._index[1].best(query, limit)]


def best(tools: tuple[AnyTool, ...], query: str, limit: int) -> list[AnyTool]:
    """The tools that are about the words, the best first; blocks."""
    return [tools[at] for at in _indexed(tools).best(query, limit)]


class CallToolTool:
    """Calls a tool that is not listed; on its way it is that tool's call and no other."""

    name = CALL_TOOL
    description = "Call a tool that tool_search found, or whose name and arguments you know."
    arguments = CallToolArguments
    parallel_safe = False
    finds_deferred = True

    def inner(self, call: ToolCall) -> ToolCall:
        """The call that is meant, under the same id; the call itself when it cannot be read."""
        try:
            read = decode(CallToolArguments, call.arguments)
        except BadArguments:
            return call
        if folded(read.name) == folded(CALL_TOOL):
            return call
        return ToolCall(
            id=call.id, name=read.name, arguments=msgspec.json.encode(read.arguments).decode()
        )

    def effect(self, arguments: CallToolArguments, cwd: Path) -> Effect:
        """Reached only by a call of itself."""
        del cwd
        raise ToolFailed(f"{arguments.name} calls a tool by its name; name another one")

    async def run(
        self, arguments: CallToolArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Never reached: there is no such effect."""
        del arguments, context
        yield Result()


def _indexed(tools: tuple[AnyTool, ...]) -> "Ranking":
    from ouroboros.store.ranking import Ranking  # most sessions never search

    return Ranking([_text(tool) for tool in tools])


def _text(tool: AnyTool) -> str:
    """All that a search looks at: names, description, and what every parameter is called and means."""
    read = cast("object", msgspec.json.decode(schema(tool.arguments)))
    words = [tool.name, tool.name.replace("_", " "), source_of(tool), tool.description]
    return "\n".join([*words, *_parameters(read)])


def _parameters(read: object) -> Iterator[str]:
    match read:
        case list():
            for item in cast("list[object]", read):
                yield from _parameters(item)
        case dict():
            fields = cast("dict[str, object]", read)
            if isinstance(said := fields.get("description"), str):
                yield said
            if isinstance(named := fields.get("properties"), dict):
                yield from cast("dict[str, object]", named)
            for value in fields.values():
                yield from _parameters(value)
        case _:
            pass


def _listed(tools: Sequence[AnyTool]) -> str:
    """As many of the best as fit into a result, tools of one source together."""
    for count in range(len(tools), 0, -1):
        text = msgspec.json.encode({"tools": _grouped(tools[:count], _spec)}).decode()
        if len(text.encode()) <= _SHOWN_BYTES:
            left = len(tools) - count
            more = f"\n[{left} more found; search with other words or a lower limit]"
            return text + (more if left else "")
    # One alone may be too long: then it is told without what its arguments mean.
    return msgspec.json.encode({"tools": _grouped(tools[:1], _short)}).decode()


def _nothing(shown: str) -> str:
    """The empty list, and in what words there is something to find."""
    note = f"No tool fits these words. There are: {shown}." if shown else "There are no more tools."
    return msgspec.json.encode({"tools": [], "note": note}).decode()


def _grouped(
    tools: Sequence[AnyTool], spec: Callable[[AnyTool], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Entries in the order of their best tool."""
    entries: list[dict[str, Any]] = []
    spaces: dict[str, list[dict[str, Any]]] = {}
    for tool in tools:
        source = source_of(tool)
        if not source:
            entries.append(spec(tool))
        elif source in spaces:
            spaces[source].append(spec(tool))
        else:
            spaces[source] = [spec(tool)]
            entries.append({"type": "namespace", "name": source, "tools": spaces[source]})
    return entries


def _spec(tool: AnyTool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "defer_loading": True,
        "parameters": msgspec.Raw(schema(tool.arguments).encode()),
    }


def _short(tool: AnyTool) -> dict[str, Any]:
    told = _spec(tool) | {"parameters": {"type": "object"}}
    return told | {"description": tool.description[: _SHOWN_BYTES // 2]}
