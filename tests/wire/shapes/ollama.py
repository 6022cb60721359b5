"""Ollama's chat, as its ``api/types.go`` reads it."""

from typing import Any, Literal

from msgspec import UNSET

from tests.wire.shapes.chat import ChatSpec
from tests.wire.shapes.strict import Maybe, Name, Size, Strict, Words


class OllamaFunction(Strict):
    name: Name
    arguments: dict[str, Any]


class OllamaCall(Strict):
    function: OllamaFunction
    id: Maybe[str] = UNSET


class OllamaMessage(Strict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    thinking: Maybe[str] = UNSET
    images: Maybe[list[Words]] = UNSET
    tool_calls: Maybe[list[OllamaCall]] = UNSET
    tool_name: Maybe[Name] = UNSET
    tool_call_id: Maybe[str] = UNSET


class OllamaTool(Strict):
    type: Literal["function"]
    function: ChatSpec


class Options(Strict):
    num_ctx: Size
    num_predict: Maybe[int] = UNSET
    temperature: Maybe[float] = UNSET


class Ollama(Strict):
    model: Words
    stream: bool
    truncate: bool
    shift: bool
    messages: list[OllamaMessage]
    options: Options
    think: Maybe[bool | Literal["low", "medium", "high"]] = UNSET
    tools: Maybe[list[OllamaTool]] = UNSET
