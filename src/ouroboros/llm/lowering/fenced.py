"""Requests for models without tool calls: tools are told in words, calls and results are text."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from ouroboros.core.parts import Media, Message, Part, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.fields import is_object, parse
from ouroboros.llm.lowering.fenced_prompt import PROMPT
from ouroboros.llm.lowering.freeform import text_field

SHELL = "shell"
"""The tool that shell blocks run as."""

SHELL_WORDS = frozenset({"sh", "bash"})
"""Names of blocks whose body is shell text."""

SECONDS = 300
"""How long a shell block may run."""

_TICKS = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def told(tools: Sequence[ToolSpec]) -> str:
    """The piece of the system prompt that stands for the tools; empty without any."""
    return PROMPT + "\n".join(_line(tool) for tool in tools) if tools else ""


def _line(tool: ToolSpec) -> str:
    if tool.name == SHELL:
        return f"- sh: {tool.description} The block holds the command itself."
    if tool.freeform is not None and text_field(tool):
        return f"- {tool.name}: {tool.description} The block holds the text itself, no JSON."
    return f"- {tool.name}: {tool.description} Arguments: {tool.schema}"


def text_fields(tools: Sequence[ToolSpec]) -> dict[str, str]:
    """By tool, the one text that a block may hold instead of JSON."""
    return {tool.name: field for tool in tools if (field := text_field(tool))}


def lowered(message: Message, before: Message | None, fields: Mapping[str, str]) -> Message:
    """The message with calls as run blocks and results as text; the same one without such."""
    if message.calls:
        return replace(message, parts=_with_blocks(message.parts, fields))
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    if not results:
        return message
    calls = {call.id: call for call in before.calls} if before is not None else {}
    order = {id: place for place, id in enumerate(calls)}
    results.sort(key=lambda result: order.get(result.call_id, len(order)))
    parts: list[Part] = []
    for result in results:
        parts += _result(result, calls.get(result.call_id))
    parts += [part for part in message.parts if not isinstance(part, ToolResult)]
    return replace(message, parts=tuple(parts))


def block(call: ToolCall, field: str) -> str:
    """The run block that makes a call, as a model would write it; ``field`` may be given as text."""
    name, body = _written(call, field)
    longest = max((len(ticks) for ticks in _TICKS.findall(body)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}run {name}\n{body}\n{ticks}"


def _written(call: ToolCall, field: str) -> tuple[str, str]:
    fields = parse(call.arguments)
    if fields is None:
        return call.name, call.arguments
    command = fields.get("command")
    if call.name == SHELL and isinstance(command, str):
        if fields == {"command": command, "timeout": SECONDS} or len(fields) == 1:
            return "sh", command
    elif field in fields and len(fields) == 1:
        text = fields[field]
        if isinstance(text, str) and "\n" in text and not text.lstrip().startswith("{"):
            return call.name, text
    return call.name, call.arguments


def _with_blocks(parts: Iterable[Part], fields: Mapping[str, str]) -> tuple[Part, ...]:
    others: list[Part] = []
    said = ""
    was_call = False
    for part in parts:
        if isinstance(part, ToolCall):
            said += _gap(said, was_call=was_call) + block(part, fields.get(part.name, ""))
        elif isinstance(part, Text):
            said += ("\n" if was_call and part.text else "") + part.text
        else:
            others.append(part)
            continue
        was_call = isinstance(part, ToolCall) or (was_call and not part.text)
    return (*others, Text(text=said))


def _gap(said: str, *, was_call: bool) -> str:
    if was_call:
        return "\n\n"
    return "" if not said or said.endswith("\n") else "\n"


def _result(result: ToolResult, call: ToolCall | None) -> list[Part]:
    name = "sh" if result.name == SHELL else result.name
    head = f"[result of {name}: {'ok' if result.ok else 'failed'}]"
    text = "\n".join(
        part.text if isinstance(part, Text) else f"[{part.media_type} attached below]"
        for part in result.parts
    )
    broken = call is not None and not is_object(call.arguments)
    note = "\n(The block was not closed, or what it holds is no JSON object.)" if broken else ""
    media = [part for part in result.parts if isinstance(part, Media)]
    return [Text(text=f"{head}\n{text.rstrip()}{note}\n[end of result]"), *media]
