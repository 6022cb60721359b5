"""What every wire format of the test server needs to know of a reply."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import msgspec
from msgspec import Struct

from ouroboros.llm.turns import Fault, Played, ScriptedUsage


class Piece(NamedTuple):
    """One frame of a stream; ``characters`` of the turn travel in it."""

    frame: bytes
    characters: int = 0


class Asked(Struct, frozen=True, kw_only=True):
    """What the server read out of a request body."""

    model: str
    stream: bool
    answered: int
    latest: str
    wants_usage: bool = True


class Reply(Struct, frozen=True, kw_only=True):
    """A turn on its way out."""

    played: Played
    model: str
    usage: ScriptedUsage


class Refused(NamedTuple):
    """An error: as an answer of its own, and as a ``frame`` of a stream that began well."""

    status: int
    body: object
    frame: bytes
    headers: Mapping[str, str] = MappingProxyType({})


class Manner(NamedTuple):
    """How a format streams: the content type, and bytes that no frame can be."""

    kind: str
    garbage: bytes


EVENTS = Manner("text/event-stream", b"data: {not json\n\ndata: \x00\x01\n\n")


class Format(Protocol):
    """A wire format, from the server's side, for one request."""

    @property
    def manner(self) -> Manner:
        """How it streams."""
        ...

    def read(self, body: dict[str, object]) -> Asked:
        """Understands a request."""
        ...

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """The reply as a stream."""
        ...

    def whole(self, reply: Reply) -> dict[str, object]:
        """The reply as one body."""
        ...

    def refused(self, fault: Fault, refusal: "Refusal") -> Refused:
        """An error in the words of the vendor."""
        ...


class Refusal(NamedTuple):
    """How vendors word a kind of failure."""

    status: int
    openai_type: str
    openai_code: str | None
    anthropic_type: str
    message: str


REFUSALS = {
    "auth": Refusal(
        401,
        "invalid_request_error",
        "invalid_api_key",
        "authentication_error",
        "Incorrect API key provided.",
    ),
    "permission": Refusal(
        403, "invalid_request_error", None, "permission_error", "You may not use this model."
    ),
    "quota": Refusal(
        429,
        "insufficient_quota",
        "insufficient_quota",
        "billing_error",
        "You exceeded your current quota.",
    ),
    "rate_limit": Refusal(
        429, "requests", "rate_limit_exceeded", "rate_limit_error", "Rate limit reached."
    ),
    "overloaded": Refusal(
        529, "server_error", "slow_down", "overloaded_error", "The engine is overloaded."
    ),
    "timeout": Refusal(504, "timeout_error", None, "timeout_error", "The request timed out."),
    "server": Refusal(500, "server_error", None, "api_error", "The server had an error."),
    "transport": Refusal(502, "server_error", None, "api_error", "Bad gateway."),
    "context_overflow": Refusal(
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "invalid_request_error",
        "prompt is too long: maximum context length is 1000 tokens.",
    ),
    "content_policy": Refusal(
        400,
        "invalid_request_error",
        "content_policy_violation",
        "invalid_request_error",
        "The request was refused under the usage policy.",
    ),
    "model_not_found": Refusal(
        404,
        "invalid_request_error",
        "model_not_found",
        "not_found_error",
        "The model does not exist.",
    ),
    "invalid_request": Refusal(
        400, "invalid_request_error", None, "invalid_request_error", "The request is not valid."
    ),
    "stale_reasoning": Refusal(
        400,
        "invalid_request_error",
        "invalid_encrypted_content",
        "invalid_request_error",
        "Invalid `signature` in `thinking` block.",
    ),
    "invalid_tool_output": Refusal(
        400,
        "invalid_request_error",
        "tool_use_failed",
        "invalid_request_error",
        "Tool call validation failed.",
    ),
}


def event(value: dict[str, object], name: str = "") -> bytes:
    """A server-sent event, named or not."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(value) + b"\n\n"


_HOLDERS = ("text", "content", "output", "parts", "functionResponse", "toolResult")


def text_of(content: object) -> str:
    """The words of a message's content in any of the formats."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        blocks = msgspec.convert(content, list[object])
        return "\n".join(text_of(block) for block in blocks)
    if isinstance(content, dict):
        block = msgspec.convert(content, dict[str, object])
        held = next((block[name] for name in _HOLDERS if block.get(name)), "")
        if isinstance(response := block.get("response"), dict):  # Gemini lets us name its fields
            held = list(msgspec.convert(response, dict[str, object]).values())
        return text_of(held)
    return ""


def is_object(arguments: str) -> bool:
    """Whether a call's arguments can travel as an object."""
    try:
        msgspec.json.decode(arguments, type=dict[str, object])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return False
    return True


def openai_error(fault: Fault, refusal: Refusal) -> dict[str, object]:
    """The error object both formats of OpenAI use."""
    return {
        "error": {
            "message": fault.message or refusal.message,
            "type": refusal.openai_type,
            "param": None,
            "code": refusal.openai_code,
        }
    }
