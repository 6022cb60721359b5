"""Anthropic's messages, as anthropic 2.12 has them, and as Bedrock takes them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta

from tests.wire.shapes.strict import Id, Mark, Maybe, Name, Size, Strict, Words


class Text(Strict, tag_field="type", tag="text"):
    text: Annotated[str, Meta(pattern=r"\S")]
    cache_control: Maybe[Mark] = UNSET
    citations: Maybe[list[dict[str, Any]]] = UNSET


class Base64(Strict, tag_field="type", tag="base64"):
    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]
    data: Words


class Url(Strict, tag_field="type", tag="url"):
    url: Words


class Plain(Strict, tag_field="type", tag="text"):
    media_type: Literal["text/plain"]
    data: str


class Image(Strict, tag_field="type", tag="image"):
    source: Base64 | Url
    cache_control: Maybe[Mark] = UNSET


class Document(Strict, tag_field="type", tag="document"):
    source: Base64 | Url | Plain
    title: Maybe[str] = UNSET
    cache_control: Maybe[Mark] = UNSET


class Thought(Strict, tag_field="type", tag="thinking"):
    thinking: str
    signature: Words


class Redacted(Strict, tag_field="type", tag="redacted_thinking"):
    data: Words


class Use(Strict, tag_field="type", tag="tool_use"):
    id: Id
    name: Name
    input: dict[str, Any]
    caller: Maybe[dict[str, Any]] = UNSET


class ServerUse(Strict, tag_field="type", tag="server_tool_use"):
    id: str
    name: str
    input: dict[str, Any]


class Result(Strict, tag_field="type", tag="tool_result"):
    tool_use_id: Id
    content: Maybe[Annotated[str, Meta(pattern=r"\S")] | list[Text | Image | Document]] = UNSET
    is_error: Maybe[bool] = UNSET
    cache_control: Maybe[Mark] = UNSET


class Turn(Strict):
    role: Literal["user", "assistant"]
    content: Annotated[
        list[Text | Image | Document | Thought | Redacted | Use | ServerUse | Result],
        Meta(min_length=1),
    ]


class Tool(Strict):
    name: Name
    description: str
    input_schema: dict[str, Any]
    cache_control: Maybe[Mark] = UNSET


class Choice(Strict):
    type: Literal["auto", "any", "none"]


class Thinking(Strict):
    type: Literal["enabled", "disabled", "adaptive", "between_tools"]
    budget_tokens: Maybe[Annotated[int, Meta(ge=1_024)]] = UNSET
    display: Maybe[Literal["summarized", "omitted"]] = UNSET


class Output(Strict):
    effort: Literal["low", "medium", "high", "xhigh", "max"]


class Messages(Strict):
    max_tokens: Size
    messages: Annotated[list[Turn], Meta(min_length=1)]
    model: Maybe[Words] = UNSET
    stream: Maybe[bool] = UNSET
    anthropic_version: Maybe[Literal["bedrock-2023-05-31"]] = UNSET
    system: Maybe[list[Text]] = UNSET
    temperature: Maybe[float] = UNSET
    thinking: Maybe[Thinking] = UNSET
    output_config: Maybe[Output] = UNSET
    service_tier: Maybe[Literal["auto", "standard_only"]] = UNSET
    tools: Maybe[list[Tool]] = UNSET
    tool_choice: Maybe[Choice] = UNSET

    def __post_init__(self) -> None:
        if self.thinking and self.thinking.budget_tokens:
            assert self.thinking.budget_tokens < self.max_tokens
