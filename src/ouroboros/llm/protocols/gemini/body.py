"""Requests for contents."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ouroboros.core.parts import (
    Foreign,
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields
from ouroboros.llm.protocols.encoding import (
    encode_body,
    encode_items,
    raw,
    text_of_result,
    whole_arguments,
)
from ouroboros.llm.protocols.gemini.signed import stretches
from ouroboros.llm.protocols.protocol import BodyCache, Unit, results_in_order
from ouroboros.llm.request import Effort, Request

ANY_SIGNATURE = "skip_thought_signature_validator"
"""What Gemini takes for a signature on a call that another model made."""

_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_WITHIN = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"})
"""What an answer of a function may hold."""

_BUDGETS: dict[Effort, int] = {"none": 0, "minimal": 1_024, "low": 1_024, "medium": 8_192}
_LARGEST_BUDGET = 24_576
_SMALLEST_OF_PRO = 128
_LEVELS: dict[Effort, str] = {"medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH", "max": "HIGH"}
_KNOWS_MINIMAL = re.compile(r"gemini-3(\.[1-6])?-flash")
"""Every model knows the other levels, and those before and after these refuse this one."""


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body."""
    history = _History(dialect, origin)
    fragments = cache.encode(request.messages, ("gemini", dialect, origin), history.encode)
    return encode_body(_head(request, dialect), "contents", fragments, dialect)


def _head(request: Request, dialect: Dialect) -> Fields:
    head: Fields = {}
    if pieces := [{"text": piece} for piece in request.system if piece.strip()]:
        head["systemInstruction"] = {"parts": pieces}
    if request.tools:
        tools: list[Fields] = [{"functionDeclarations": _declarations(request.tools, dialect)}]
        how: Fields = {"functionCallingConfig": {"mode": _MODES[request.tool_choice]}}
        if request.web_search == "live" and dialect.hosted_search != "none":
            tools.append({"googleSearch": {}})
            # What was searched then comes as parts of the reply, and goes back with it.
            how["includeServerSideToolInvocations"] = True
        head["tools"], head["toolConfig"] = tools, how
    config: Fields = {}
    if request.max_output_tokens is not None:
        config["maxOutputTokens"] = request.max_output_tokens
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.effort is not None and dialect.effort_style != "none":
        config["thinkingConfig"] = _thinking(request, request.effort, dialect)
    if config:
        head["generationConfig"] = config
    if request.service_tier is not None and dialect.service_tier:
        head["serviceTier"] = request.service_tier
    return head


def _declarations(tools: Sequence[ToolSpec], dialect: Dialect) -> list[Fields]:
    if dialect.schema_style == "openapi":
        from ouroboros.llm.protocols.gemini.openapi import declaration

        return [declaration(tool) for tool in tools]
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parametersJsonSchema": raw(tool.schema),
        }
        for tool in tools
    ]


def _thinking(request: Request, effort: Effort, dialect: Dialect) -> Fields:
    """Levels, or budgets for models that know nothing else; the large ones always think."""
    if dialect.effort_style != "budget":
        is_least = effort in {"none", "minimal"} and _KNOWS_MINIMAL.search(request.model)
        level = "MINIMAL" if is_least else _LEVELS.get(effort, "LOW")
        return {"includeThoughts": effort != "none", "thinkingLevel": level}
    budget = _BUDGETS.get(effort, _LARGEST_BUDGET)
    if request.max_output_tokens is not None:
        # Thoughts are part of the limit; a quarter stays for the answer.
        budget = min(budget, request.max_output_tokens * 3 // 4)
    if "-pro" in request.model:
        budget = max(budget, _SMALLEST_OF_PRO)
    return {"includeThoughts": effort != "none", "thinkingBudget": budget}


class _History:
    """Messages as contents, for one model."""

    def __init__(self, dialect: Dialect, origin: Origin) -> None:
        self._origin = origin
        self._media_within = dialect.result_media

    def encode(self, unit: Unit) -> bytes:
        """A unit as a list member."""
        first = unit.messages[0]
        if first.role == "assistant":
            role, parts = "model", self._model(first)
        else:
            role, parts = "user", self._user(unit)
        return encode_items([{"role": role, "parts": parts}]) if parts else b""

    def _model(self, message: Message) -> list[object]:
        is_own = message.origin == self._origin
        parts: list[object] = []
        is_first_call = True
        for part in _without_last_thoughts(message.parts):
            match part:
                case Text():
                    parts += _own_text(part) if is_own else _texts(part.text)
                case ToolCall():
                    parts.append(_call(part, is_own=is_own, is_first=is_first_call))
                    is_first_call = False
                case Reasoning() if is_own:
                    parts += _thoughts(part)
                case Foreign() if is_own:
                    parts.append(raw(part.content))
                case _:
                    pass
        return parts

    def _user(self, unit: Unit) -> list[object]:
        calls = {call.id: call for call in unit.before.calls} if unit.before else {}
        is_own = unit.before is not None and unit.before.origin == self._origin
        parts: list[object] = []
        beside: list[Part] = []
        for result in results_in_order(unit):
            parts.append(self._result(result, calls.get(result.call_id), is_own=is_own))
            beside += self._beside(result)
        beside += [part for message in unit.messages for part in message.parts]
        for part in beside:
            if isinstance(part, Text):
                parts += _texts(part.text)
            elif isinstance(part, Media):
                parts.append(_media(part))
        return parts

    def _result(self, result: ToolResult, call: ToolCall | None, *, is_own: bool) -> Fields:
        answer: Fields = {"name": call.name if call else result.name}
        if is_own and call and (server_id := call.meta.get("id")):
            answer["id"] = server_id
        beside = self._beside(result)
        within = [part for part in result.parts if isinstance(part, Media) and part not in beside]
        noted = replace(result, parts=tuple(one for one in result.parts if one not in within))
        text = text_of_result(noted) if beside else result.text
        answer["response"] = {"output" if result.ok else "error": text}
        if within:
            answer["parts"] = [_media(part) for part in within]
        return {"functionResponse": answer}

    def _beside(self, result: ToolResult) -> list[Media]:
        """What of a result cannot stand within it."""
        media = [part for part in result.parts if isinstance(part, Media)]
        kinds = _WITHIN if self._media_within else frozenset[str]()
        return [part for part in media if part.media_type not in kinds]


def _without_last_thoughts(parts: Sequence[Part]) -> Sequence[Part]:
    """A reply that broke off in thought has nothing that the thoughts led to."""
    end = len(parts)
    while end and isinstance(parts[end - 1], Reasoning):
        end -= 1
    return parts[:end]


def _texts(text: str) -> list[Fields]:
    return [{"text": text}] if text else []


def _own_text(part: Text) -> list[Fields]:
    return [
        _signed({"text": text}, signature)
        for text, signature in stretches(part.text, part.meta)
        if text or signature
    ]


def _thoughts(part: Reasoning) -> list[Fields]:
    """Only what is signed: summaries of thoughts are not wanted back."""
    return [
        _signed({"text": text, "thought": True}, signature)
        for text, signature in stretches(part.text, part.meta)
        if signature
    ]


def _call(call: ToolCall, *, is_own: bool, is_first: bool) -> Fields:
    made: Fields = {"name": call.name, "args": raw(whole_arguments(call.arguments))}
    if not is_own:
        return _signed({"functionCall": made}, ANY_SIGNATURE if is_first else "")
    if server_id := call.meta.get("id"):
        made["id"] = server_id
    return _signed({"functionCall": made}, str(call.meta.get("thoughtSignature") or ""))


def _signed(part: Mapping[str, object], signature: str) -> Fields:
    return {**part, "thoughtSignature": signature} if signature else dict(part)


def _media(media: Media) -> Fields:
    if media.url:
        return {"fileData": {"mimeType": media.media_type, "fileUri": media.url}}
    return {"inlineData": {"mimeType": media.media_type, "data": media.data}}
