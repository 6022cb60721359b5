"""Requests for models without tool calls: tools are told in words, calls and results are text."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from ouroboros.core.parts import Media, Message, Part, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.fields import is_object, parse
from ouroboros.llm.lowering.fence_reader import FenceReader
from ouroboros.llm.lowering.fence_slips import is_slip
from ouroboros.llm.lowering.fenced_prompt import (
    NO_OBJECT,
    NOT_CLOSED,
    NOTHING_RAN,
    PROMPT,
)
from ouroboros.llm.lowering.freeform import text_field

SHELL = "shell"
"""The tool that shell blocks run as."""

SHELL_WORDS = frozenset({"sh", "bash"})
"""Names of blocks whose body is shell text."""

SECONDS = 300
"""How long a shell block may run."""

_TIMEOUT = re.compile(r"Default timeout [^;]*; (\w)")
_TICKS = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


def told(tools: Sequence[ToolSpec]) -> str:
    """The piece of the system prompt that stands for the tools; empty without any."""
    return PROMPT + "\n".join(_line(tool) for tool in tools) if tools else ""


def _line(tool: ToolSpec) -> str:
    if tool.name == SHELL:
        described = _TIMEOUT.sub(lambda found: found[1].upper(), tool.description)
        return f"- sh: {described} The block holds the command itself and may run {SECONDS} s."
    if tool.freeform is not None and text_field(tool):
        return f"- {tool.name}: {tool.description} The block holds the text itself, no JSON."
    return f"- {tool.name}: {tool.description} Arguments: {tool.schema}"


def text_fields(tools: Sequence[ToolSpec]) -> dict[str, str]:
    """By tool, the one text that a block may hold instead of JSON; empty where it may hold none."""
    return {tool.name: text_field(tool) for tool in tools}


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
        parts += _result(result, calls.get(result.call_id), fields)
    parts += [part for part in message.parts if not isinstance(part, ToolResult)]
    return replace(message, parts=tuple(parts))


def block(call: ToolCall, field: str) -> str:
    """The run block that makes a call, as a model would write it; ``field`` may be given as text."""
    if (cut := _cut_text(call, field)) is not None:
        return f"```run {'sh' if call.name == SHELL else call.name}\n{cut}"
    name, body = _written(call, field)
    longest = max((len(ticks) for ticks in _TICKS.findall(body)), default=2)
    ticks = "```" if _reads_back(f"```run {name}\n{body}\n```", body) else "`" * (longest + 1)
    return f"{ticks}run {name}\n{body}\n{ticks}"


def _reads_back(block: str, body: str) -> bool:
    if "\n```" not in block.removesuffix("\n```"):
        return True
    reader = FenceReader()
    found = [*reader.feed(block), *reader.end()]
    return [(piece.kind, piece.text) for piece in found[1:]] == [("body", body), ("close", "")]


def _cut_text(call: ToolCall, field: str) -> str | None:
    """The text of a block that was never closed."""
    field = "command" if call.name == SHELL else field
    if not field or not call.arguments.startswith(f'{{"{field}":"'):
        return None
    text = (parse(call.arguments + '"}') or {}).get(field)
    return text if isinstance(text, str) and not is_object(call.arguments) else None


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
        if isinstance(part, ToolCall) and is_slip(part):
            continue
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


def _result(result: ToolResult, call: ToolCall | None, fields: Mapping[str, str]) -> list[Part]:
    if call is not None and is_slip(call):
        return [Text(text=NOTHING_RAN.format(line=call.arguments))]
    name = "sh" if result.name == SHELL else result.name
    head = f"[result of {name}: {'ok' if result.ok else 'failed'}]"
    text = "\n".join(
        part.text if isinstance(part, Text) else f"[{part.media_type} attached below]"
        for part in result.parts
    )
    note = ""
    if call is not None and _cut_text(call, fields.get(call.name, "")) is not None:
        text = NOT_CLOSED
    elif call is not None and call.name in fields and not is_object(call.arguments):
        note = f"\n{NO_OBJECT}"
    media = [part for part in result.parts if isinstance(part, Media)]
    return [Text(text=f"{head}\n{text.rstrip()}{note}\n[end of result]"), *media]
