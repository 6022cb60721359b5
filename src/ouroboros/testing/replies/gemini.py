"""Gemini, from the server's side: events with ``alt=sse``, else a JSON array in pieces."""

from collections.abc import Iterator

import msgspec

from ouroboros.core.parts import Part, Reasoning, Text, ToolCall
from ouroboros.llm.script import parts
from ouroboros.llm.turns import Fault, ScriptedUsage, pieces
from ouroboros.testing.replies.piece import (
    EVENTS,
    Asked,
    Manner,
    Piece,
    Refusal,
    Refused,
    Reply,
    is_object,
    text_of,
)
from ouroboros.testing.replies.target import Target

_STOPS = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "refusal": "PROHIBITED_CONTENT"}

_TYPE = "type.googleapis.com/google.rpc."
_PER_DAY = {
    "@type": f"{_TYPE}QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}],
}
_BAD_KEY = {"@type": f"{_TYPE}ErrorInfo", "reason": "API_KEY_INVALID"}

_ERRORS: dict[str, tuple[int, str, str]] = {
    "auth": (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "permission": (403, "PERMISSION_DENIED", ""),
    "quota": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
    "rate_limit": (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."),
    "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "timeout": (504, "DEADLINE_EXCEEDED", ""),
    "server": (500, "INTERNAL", "An internal error has occurred."),
    "transport": (502, "UNAVAILABLE", ""),
    "context_overflow": (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1001) exceeds the maximum number of tokens allowed (1000).",
    ),
    "model_not_found": (404, "NOT_FOUND", "models/m is not found for API version v1beta."),
    "stale_reasoning": (
        400,
        "INVALID_ARGUMENT",
        "Function call is missing a thought_signature in functionCall parts.",
    ),
}


class GeminiFormat:
    """Speaks GenerateContentResponse."""

    def __init__(self, target: Target) -> None:
        """The model and the way of streaming stand in the address."""
        self._model = target.model
        self._streams = target.verb == "streamGenerateContent"
        self._sse = target.query.get("alt") == "sse"

    @property
    def manner(self) -> Manner:
        """By what the address asked for."""
        return EVENTS if self._sse else EVENTS._replace(kind="application/json; charset=UTF-8")

    def read(self, body: dict[str, object]) -> Asked:
        """Counts the contents of the model."""
        contents = msgspec.convert(body.get("contents", []), list[dict[str, object]])
        return Asked(
            model=self._model,
            stream=self._streams,
            answered=sum(1 for content in contents if content.get("role") == "model"),
            latest=text_of(contents[-1].get("parts")) if contents else "",
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """Chunks that each are a whole response; the last one says why it ended."""
        chunks = [
            (_response(reply, [part]), characters)
            for said in parts(reply.played)
            for part, characters in _parts(reply, said)
        ]
        ending = _response(reply, _signed_end(reply), _stop(reply))
        return self._framed([*chunks, (ending, 0)])

    def whole(self, reply: Reply) -> dict[str, object]:
        """One response."""
        said = [
            part
            for one in parts(reply.played)
            for part, _ in _parts(reply, one, size=0)
            if _stop(reply) != "MALFORMED_FUNCTION_CALL"
        ]
        return _response(reply, [*said, *_signed_end(reply)], _stop(reply))

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """Google's error object; in an array where an array was asked for."""
        error = _error(fault, refusal)
        status = _ERRORS.get(fault.kind, (refusal.status, "", ""))[0]
        in_array = self._streams and not self._sse
        content = msgspec.json.encode(error)
        frame = _event(content) if self._sse else content + b"]"
        return Refused(fault.status or status, [error] if in_array else error, frame)

    def _framed(self, chunks: list[tuple[dict[str, object], int]]) -> list[Piece]:
        if self._sse:
            return [Piece(_event(msgspec.json.encode(one)), count) for one, count in chunks]
        pretty = [
            (msgspec.json.format(msgspec.json.encode(one), indent=2), count)
            for one, count in chunks
        ]
        ends = [b"\n,\r\n"] * (len(pretty) - 1) + [b"\n]"]
        elements = [Piece(one + end, count) for (one, count), end in zip(pretty, ends, strict=True)]
        return [Piece(b"["), *elements]


def _event(content: bytes) -> bytes:
    return b"data: " + content + b"\r\n\r\n"


def _parts(
    reply: Reply, said: Part, size: int | None = None
) -> Iterator[tuple[dict[str, object], int]]:
    """The parts of one stretch, and the characters of the turn in each."""
    size = reply.played.turn.chunk if size is None else size
    match said:
        case Text(text=text):
            for piece in pieces(text, size):
                yield {"text": piece}, len(piece)
        case Reasoning(text=text):
            for piece in pieces(text, size):
                yield {"text": piece, "thought": True}, len(piece)
        case ToolCall(name=name, arguments=arguments) if is_object(arguments):
            call = {"name": name, "args": msgspec.Raw(arguments.encode())}
            part: dict[str, object] = {"functionCall": call}
            if said.id == reply.played.call_id(0):  # parallel calls after the first carry none
                part["thoughtSignature"] = _signature(reply)
            yield part, len(arguments)
        case _:
            return


def _signed_end(reply: Reply) -> list[dict[str, object]]:
    if reply.played.turn.tool_calls:
        return []
    return [{"text": "", "thoughtSignature": _signature(reply)}]


def _signature(reply: Reply) -> str:
    return f"c2lnbmF0dXJl{reply.played.number.zfill(4)}"


def _stop(reply: Reply) -> str:
    if not all(is_object(call.json) for call in reply.played.turn.tool_calls):
        return "MALFORMED_FUNCTION_CALL"
    return _STOPS.get(reply.played.turn.stop_reason, "STOP")


def _response(
    reply: Reply, said: list[dict[str, object]], finish: str | None = None
) -> dict[str, object]:
    candidate: dict[str, object] = {"index": 0}
    if said:
        candidate = {"content": {"role": "model", "parts": said}} | candidate
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(reply.usage),
        "modelVersion": reply.model,
        "responseId": f"response_{reply.played.number}",
    }


def _usage(usage: ScriptedUsage) -> dict[str, object]:
    prompt = usage.input_uncached + usage.cache_read + usage.cache_write
    counts: dict[str, object] = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": usage.output_text,
        "totalTokenCount": prompt + usage.output_text + usage.reasoning,
    }
    if usage.cache_read:
        counts["cachedContentTokenCount"] = usage.cache_read
    if usage.reasoning:
        counts["thoughtsTokenCount"] = usage.reasoning
    return counts


def _error(fault: Fault, refusal: Refusal) -> dict[str, object]:
    status, word, message = _ERRORS.get(fault.kind, (refusal.status, "INVALID_ARGUMENT", ""))
    details: list[dict[str, object]] = []
    if fault.kind == "quota":
        details.append(dict(_PER_DAY))
    if fault.kind == "auth":
        details.append(dict(_BAD_KEY))
    if fault.retry_after_seconds is not None:
        delay = f"{fault.retry_after_seconds:g}s"
        details.append({"@type": f"{_TYPE}RetryInfo", "retryDelay": delay})
    error: dict[str, object] = {
        "code": fault.status or status,
        "message": fault.message or message or refusal.message,
        "status": word,
    }
    return {"error": error | ({"details": details} if details else {})}
