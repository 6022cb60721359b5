"""Tools that take plain text instead of JSON, where a model knows such."""

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from ouroboros.core.parts import Part, ToolCall, ToolSpec
from ouroboros.llm.fields import Fields, child, parse, text_of
from ouroboros.llm.stream import CallReady, Failed, Finished, StreamEvent

WIRE_FIELD = "input"
"""The field under which a decoder hands on the text of a call that was no JSON."""


def as_vendor_takes(tools: Sequence[ToolSpec], *, text: bool) -> tuple[ToolSpec, ...]:
    """The tools, with plain text ones told by their schema alone unless ``text`` is taken.

    A tool whose schema has no one text is never given as text.
    """
    return tuple(
        tool
        if tool.freeform is None or (text and text_field(tool))
        else replace(tool, freeform=None)
        for tool in tools
    )


def text_field(tool: ToolSpec) -> str:
    """The one field that must be given and is text; empty where there is no such."""
    schema = parse(tool.schema) or {}
    required = cast("list[object]", schema.get("required") or [])
    if len(required) != 1:
        return ""
    field = str(required[0])
    return field if child(child(schema, "properties"), field).get("type") == "string" else ""


class FieldLifting:
    """Gives the text of plain text calls back under the field that its tool knows it by."""

    def __init__(self, fields: dict[str, str]) -> None:
        """``fields`` by the name of the tool on the wire."""
        self._fields = fields

    def lift(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The same events with the tools' own fields."""
        return [self._lifted(event) for event in events]

    def _lifted(self, event: StreamEvent) -> StreamEvent:
        match event:
            case CallReady(call=call, parts=parts):
                return replace(event, call=self._renamed(call), parts=self._parts(parts))
            case Finished(parts=parts) | Failed(parts=parts):
                return replace(event, parts=self._parts(parts))
            case _:
                return event

    def _parts(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(self._renamed(part) if isinstance(part, ToolCall) else part for part in parts)

    def _renamed(self, call: ToolCall) -> ToolCall:
        field = self._fields.get(call.name)
        if field is None or call.meta.get("custom") is not True:
            return call
        fields: Fields = parse(call.arguments) or {}
        return replace(call, arguments=text_of({field: fields.get(WIRE_FIELD, "")}))
