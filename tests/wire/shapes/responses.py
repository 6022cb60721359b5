"""Responses, as openai 3.54 has them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta

from tests.wire.shapes.strict import Effort, Maybe, Name, Size, Strict, Tier, Words


class InText(Strict, tag_field="type", tag="input_text"):
    text: Words


class InImage(Strict, tag_field="type", tag="input_image"):
    image_url: Annotated[str, Meta(pattern="^(https://|data:image/)")]


class InFile(Strict, tag_field="type", tag="input_file"):
    filename: Maybe[Words] = UNSET
    file_data: Maybe[Annotated[str, Meta(pattern="^data:")]] = UNSET
    file_url: Maybe[str] = UNSET


class OutText(Strict, tag_field="type", tag="output_text"):
    text: str
    annotations: list[dict[str, Any]]


class OutRefusal(Strict, tag_field="type", tag="refusal"):
    refusal: str


class Item(Strict, tag_field="type", tag="message"):
    role: Literal["user", "assistant"]
    content: Annotated[list[InText | InImage | InFile | OutText | OutRefusal], Meta(min_length=1)]
    id: Maybe[str] = UNSET
    phase: Maybe[Literal["commentary", "final_answer"]] = UNSET
    status: Maybe[Literal["completed"]] = UNSET

    def __post_init__(self) -> None:
        is_said = [isinstance(part, OutText | OutRefusal) for part in self.content]
        assert all(is_said) if self.role == "assistant" else not any(is_said)
        assert bool(self.id) == bool(self.status)


class ItemCall(Strict, tag_field="type", tag="function_call"):
    call_id: Annotated[str, Meta(min_length=1, max_length=64)]
    name: Name
    arguments: Words
    id: Maybe[str] = UNSET


class ItemCustomCall(Strict, tag_field="type", tag="custom_tool_call"):
    call_id: Annotated[str, Meta(min_length=1, max_length=64)]
    name: Name
    input: str
    id: Maybe[str] = UNSET


class ItemResult(Strict, tag_field="type", tag="function_call_output"):
    call_id: Annotated[str, Meta(min_length=1, max_length=64)]
    output: str | list[InText | InImage | InFile]


class ItemCustomResult(Strict, tag_field="type", tag="custom_tool_call_output"):
    call_id: Annotated[str, Meta(min_length=1, max_length=64)]
    output: str | list[InText | InImage | InFile]


class ItemThought(Strict, tag_field="type", tag="reasoning"):
    id: str
    summary: list[dict[str, Any]]
    encrypted_content: str


class ItemSearch(Strict, tag_field="type", tag="web_search_call"):
    id: str


class Function(Strict, tag_field="type", tag="function"):
    name: Name
    description: str
    parameters: dict[str, Any]
    strict: Literal[False]


class Grammar(Strict):
    type: Literal["grammar", "text"]
    syntax: Maybe[Literal["lark", "regex"]] = UNSET
    definition: Maybe[Words] = UNSET


class Custom(Strict, tag_field="type", tag="custom"):
    name: Name
    description: str
    format: Grammar


class Summarised(Strict):
    effort: Effort
    summary: Literal["auto"]


class Responses(Strict):
    model: Words
    input: Annotated[
        list[
            Item | ItemCall | ItemCustomCall | ItemResult | ItemCustomResult | ItemThought
            | ItemSearch
        ],
        Meta(min_length=1),
    ]  # fmt: skip
    stream: bool
    store: Literal[False]
    include: Maybe[list[Literal["reasoning.encrypted_content"]]] = UNSET
    instructions: Maybe[Words] = UNSET
    max_output_tokens: Maybe[Size] = UNSET
    temperature: Maybe[float] = UNSET
    reasoning: Maybe[Summarised] = UNSET
    service_tier: Maybe[Tier] = UNSET
    prompt_cache_key: Maybe[Annotated[str, Meta(max_length=64)]] = UNSET
    tools: Maybe[list[Function | Custom]] = UNSET
    tool_choice: Maybe[Literal["auto", "none", "required"]] = UNSET
