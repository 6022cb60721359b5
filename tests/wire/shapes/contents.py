"""Gemini's contents, as google-genai 3.4 sends them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta

from tests.wire.shapes.strict import Camel, Maybe, Name, Size, Words


class Blob(Camel):
    mime_type: Words
    data: Words


class FileUri(Camel):
    mime_type: Words
    file_uri: Words


class CallMade(Camel):
    name: Name
    args: dict[str, Any]
    id: Maybe[str] = UNSET


class MediaPart(Camel):
    inline_data: Maybe[Blob] = UNSET
    file_data: Maybe[FileUri] = UNSET


class Answer(Camel):
    name: Name
    response: dict[Literal["output", "error"], str]
    id: Maybe[str] = UNSET
    parts: Maybe[list[MediaPart]] = UNSET


class Part(Camel):
    text: Maybe[str] = UNSET
    inline_data: Maybe[Blob] = UNSET
    file_data: Maybe[FileUri] = UNSET
    function_call: Maybe[CallMade] = UNSET
    function_response: Maybe[Answer] = UNSET
    executable_code: Maybe[dict[str, Any]] = UNSET
    thought: Maybe[Literal[True]] = UNSET
    thought_signature: Maybe[str] = UNSET

    def __post_init__(self) -> None:
        rest = {"thought", "thought_signature"}
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        assert sum(value is not UNSET for name, value in values.items() if name not in rest) == 1
        assert self.text or self.text is UNSET or self.thought_signature


class Content(Camel):
    role: Literal["user", "model"]
    parts: Annotated[list[Part], Meta(min_length=1)]


class Instruction(Camel):
    parts: list[Part]


class Declaration(Camel):
    name: Name
    description: str
    parameters_json_schema: dict[str, Any]


class Declarations(Camel):
    function_declarations: Annotated[list[Declaration], Meta(min_length=1)]


class Mode(Camel):
    mode: Literal["AUTO", "ANY", "NONE", "VALIDATED"]


class ToolConfig(Camel):
    function_calling_config: Mode


class ThinkingConfig(Camel):
    include_thoughts: bool
    thinking_budget: Maybe[Annotated[int, Meta(ge=-1, le=32_768)]] = UNSET
    thinking_level: Maybe[Literal["MINIMAL", "LOW", "MEDIUM", "HIGH"]] = UNSET


class Generation(Camel):
    max_output_tokens: Maybe[Size] = UNSET
    temperature: Maybe[float] = UNSET
    thinking_config: Maybe[ThinkingConfig] = UNSET


class Contents(Camel):
    contents: Annotated[list[Content], Meta(min_length=1)]
    system_instruction: Maybe[Instruction] = UNSET
    tools: Maybe[list[Declarations]] = UNSET
    tool_config: Maybe[ToolConfig] = UNSET
    generation_config: Maybe[Generation] = UNSET
    service_tier: Maybe[Literal["standard", "flex", "priority"]] = UNSET
