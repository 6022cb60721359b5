"""Requests for Converse."""

from collections.abc import Sequence

from ouroboros.core.parts import Origin, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields
from ouroboros.llm.protocols.anthropic_messages.body import thinking_of
from ouroboros.llm.protocols.bedrock_converse import blocks
from ouroboros.llm.protocols.bedrock_converse.blocks import Block
from ouroboros.llm.protocols.bedrock_converse.family import caches, caches_tools, family_of
from ouroboros.llm.protocols.cache_marks import marked_fragments
from ouroboros.llm.protocols.encoding import encode_body, encode_items, raw
from ouroboros.llm.protocols.protocol import BodyCache, Unit
from ouroboros.llm.request import Request

_POINT: Fields = {"cachePoint": {"type": "default"}}
_ANY_SCHEMA = '{"type":"object"}'


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body, with cache points where the model takes them.

    Neighbours of one role are one message, because the API wants the roles to alternate.
    """
    return encode_body(
        head(request, dialect, origin),
        "messages",
        history(request, dialect, origin, cache),
        dialect,
    )


def history(
    request: Request, dialect: Dialect, origin: Origin, cache: BodyCache
) -> Sequence[bytes]:
    """The messages, each as JSON."""
    encode = _History(origin, dialect)
    fragments: Sequence[bytes] = cache.encode(
        request.messages, ("bedrock-converse", dialect, origin), encode.unit
    )
    if _marks(request, dialect):
        fragments = marked_fragments(fragments, request.messages, encode.marked)
    return _joined(fragments)


def head(request: Request, dialect: Dialect, origin: Origin) -> Fields:
    """All members but the messages."""
    found: Fields = {}
    thinking = _thinking(request, dialect, origin)
    if inference := _inference(request, dialect, thinking):
        found["inferenceConfig"] = inference
    if thinking:
        found["additionalModelRequestFields"] = thinking
    if request.service_tier is not None and dialect.service_tier:
        found["serviceTier"] = {"type": request.service_tier}
    if tools := _tools(request, dialect, is_thinking="thinking" in thinking):
        found["toolConfig"] = tools
    if pieces := [{"text": piece} for piece in request.system if piece.strip()]:
        found["system"] = [*pieces, _POINT] if _marks(request, dialect) else pieces
    return found


class _History:
    """Units as a letter for the role and then their blocks, for one model."""

    def __init__(self, origin: Origin, dialect: Dialect) -> None:
        self._origin = origin
        self._result_media = dialect.result_media

    def unit(self, unit: Unit) -> bytes:
        """A unit; empty when nothing of it can be said."""
        found = self._blocks(unit)
        return unit.messages[0].role[:1].encode() + encode_items(found) if found else b""

    def marked(self, unit: Unit) -> bytes:
        """The unit; a user's ends in a cache point."""
        plain = self.unit(unit)
        return plain + b"," + encode_items([_POINT]) if plain[:1] == b"u" else plain

    def _blocks(self, unit: Unit) -> Sequence[Block]:
        if unit.messages[0].role == "assistant":
            return blocks.assistant(unit.messages[0], self._origin)
        return blocks.user(unit, self._origin, result_media=self._result_media)


def _joined(fragments: Sequence[bytes]) -> list[bytes]:
    """Messages of roles that alternate."""
    groups: list[tuple[bytes, list[bytes]]] = []
    for fragment in fragments:
        role, items = fragment[:1], fragment[1:]
        if not fragment:
            continue
        if groups and groups[-1][0] == role:
            groups[-1][1].append(items)
        else:
            groups.append((role, [items]))
    names = {b"u": b"user", b"a": b"assistant"}
    return [
        b'{"role":"%b","content":[%b]}' % (names[role], b",".join(items)) for role, items in groups
    ]


def _marks(request: Request, dialect: Dialect) -> bool:
    return dialect.cache_marker == "cache_control" and caches(request.model)


def _inference(request: Request, dialect: Dialect, thinking: Fields) -> Fields:
    found: Fields = {}
    if thinking.get("reasoningConfig") == _nova("high"):
        return found  # Nova sets its own limits then, and refuses ours.
    limit = request.max_output_tokens
    if limit is None and "thinking" in thinking:
        limit = dialect.default_max_output_tokens
    if limit is not None:
        found["maxTokens"] = limit
    is_free = "thinking" not in thinking and family_of(request.model) != "gpt"
    if request.temperature is not None and is_free:
        found["temperature"] = request.temperature
    return {name: value for name, value in found.items() if name not in dialect.unsupported}


def _thinking(request: Request, dialect: Dialect, origin: Origin) -> Fields:
    effort, family = request.effort, family_of(request.model)
    if effort is None or dialect.effort_style == "none":
        return {}
    if family == "claude":
        limit = request.max_output_tokens or dialect.default_max_output_tokens
        return thinking_of(request, limit, dialect, origin)
    if effort == "none":
        return {}
    level = "low" if effort == "minimal" else effort
    at_most_high = level if level in {"low", "medium"} else "high"
    match family:
        case "nova-2":
            return {"reasoningConfig": _nova(at_most_high)}
        case "gpt-oss":
            return {"reasoning_effort": at_most_high}
        case "gpt" | "grok":
            return {"reasoning": {"effort": "xhigh" if level == "max" else level}}
        case "qwen":
            return {"reasoning_config": "low" if level == "low" else "high"}
        case _:
            return {}


def _nova(level: str) -> Fields:
    return {"type": "enabled", "maxReasoningEffort": level}


def _tools(request: Request, dialect: Dialect, *, is_thinking: bool) -> Fields:
    specs: list[Fields] = [
        _spec(tool.name, tool.description, tool.schema) for tool in request.tools
    ]
    is_none = request.tool_choice == "none" or not specs
    if is_none and not specs:
        specs = [_spec(name, "", _ANY_SCHEMA) for name in _tools_in_history(request)]
    elif is_none and not _tools_in_history(request):
        return {}
    if not specs:
        return {}
    if _marks(request, dialect) and caches_tools(request.model):
        specs.append(_POINT)
    if is_none:
        # There is no word for "none", and a history that holds calls needs its tools.
        return {"tools": specs}
    # A model that thinks cannot be forced to call.
    is_forced = request.tool_choice == "required" and not is_thinking
    word = "any" if is_forced and dialect.tool_choice_required_word else "auto"
    return {"tools": specs, "toolChoice": {word: {}}}


def _spec(name: str, description: str, schema: str) -> Fields:
    spec: Fields = {"name": name, "inputSchema": {"json": raw(schema)}}
    if description.strip():
        spec["description"] = description
    return {"toolSpec": spec}


def _tools_in_history(request: Request) -> list[str]:
    names = {
        part.name: None
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCall | ToolResult)
    }
    return list(names)
