"""Chat completions, as openai 3.54 and the vendors' own pages have them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta

from tests.wire.shapes.strict import Effort, Mark, Maybe, Name, Size, Strict, Tier, Words


class ChatText(Strict, tag_field="type", tag="text"):
    text: Annotated[str, Meta(pattern=r"\S")]
    cache_control: Maybe[Mark] = UNSET


class ImageUrl(Strict):
    url: Annotated[str, Meta(pattern="^(https://|data:image/)")]


class ChatImage(Strict, tag_field="type", tag="image_url"):
    image_url: ImageUrl
    cache_control: Maybe[Mark] = UNSET


class FileBytes(Strict):
    filename: Words
    file_data: Annotated[str, Meta(pattern="^data:")]


class ChatFile(Strict, tag_field="type", tag="file"):
    file: FileBytes
    cache_control: Maybe[Mark] = UNSET


class Sound(Strict):
    data: Words
    format: Literal["wav", "mp3"]


class ChatSound(Strict, tag_field="type", tag="input_audio"):
    input_audio: Sound
    cache_control: Maybe[Mark] = UNSET


class MistralThought(Strict, tag_field="type", tag="thinking"):
    thinking: list[ChatText]


class ChatFunction(Strict):
    name: Name
    arguments: Words


class ChatCall(Strict):
    id: Annotated[str, Meta(min_length=1, max_length=40)]
    type: Literal["function"]
    function: ChatFunction
    extra_content: Maybe[dict[str, Any]] = UNSET


class ChatSystem(Strict, tag_field="role", tag="system"):
    content: Words | list[ChatText]


class ChatDeveloper(Strict, tag_field="role", tag="developer"):
    content: Words


class ChatUser(Strict, tag_field="role", tag="user"):
    content: Words | list[ChatText | ChatImage | ChatFile | ChatSound]


class ChatAssistant(Strict, tag_field="role", tag="assistant"):
    content: Words | list[ChatText | MistralThought] | None
    tool_calls: Maybe[Annotated[list[ChatCall], Meta(min_length=1)]] = UNSET
    reasoning_content: Maybe[str] = UNSET
    reasoning_details: Maybe[list[dict[str, Any]]] = UNSET

    def __post_init__(self) -> None:
        assert self.content or self.tool_calls


class ChatResult(Strict, tag_field="role", tag="tool"):
    tool_call_id: Annotated[str, Meta(min_length=1, max_length=40)]
    content: str | list[ChatText]


class ChatSpec(Strict):
    name: Name
    description: str
    parameters: dict[str, Any]


class ChatTool(Strict):
    type: Literal["function"]
    function: ChatSpec
    cache_control: Maybe[Mark] = UNSET


class StreamOptions(Strict):
    include_usage: Literal[True]


class Switch(Strict):
    type: Literal["enabled", "disabled"]


class Template(Strict):
    enable_thinking: bool


class OnlyEffort(Strict):
    effort: Effort


class Chat(Strict):
    model: Words
    messages: Annotated[
        list[ChatSystem | ChatDeveloper | ChatUser | ChatAssistant | ChatResult], Meta(min_length=1)
    ]
    stream: bool
    stream_options: Maybe[StreamOptions] = UNSET
    max_tokens: Maybe[Size] = UNSET
    max_completion_tokens: Maybe[Size] = UNSET
    temperature: Maybe[float] = UNSET
    reasoning_effort: Maybe[Effort] = UNSET
    service_tier: Maybe[Tier] = UNSET
    prompt_cache_key: Maybe[str] = UNSET
    tools: Maybe[list[ChatTool]] = UNSET
    tool_choice: Maybe[Literal["auto", "none", "required", "any"]] = UNSET
    thinking: Maybe[Switch] = UNSET
    reasoning: Maybe[OnlyEffort] = UNSET
    enable_thinking: Maybe[bool] = UNSET
    chat_template_kwargs: Maybe[Template] = UNSET
    reasoning_split: Maybe[bool] = UNSET


EVERYONE = frozenset({
    "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens",
    "temperature", "tools", "tool_choice", "reasoning_effort",
})  # fmt: skip
CHAT_EXTRAS = {
    "openai-chat": {"service_tier", "prompt_cache_key"},
    "groq": {"service_tier"},
    "mistral": {"prompt_cache_key", "service_tier"},
    "xai": {"service_tier"},
    "cerebras": {"prompt_cache_key", "service_tier"},
    "openrouter": {"reasoning"},
    "deepseek": {"thinking"},
    "moonshot": {"thinking"},
    "zai": {"thinking"},
    "qwen": {"enable_thinking"},
    "minimax": {"reasoning_split"},
    "nvidia": {"chat_template_kwargs"},
    "vllm": {"chat_template_kwargs"},
    "llamacpp": {"chat_template_kwargs"},
}
"""Members that are no part of the common format, by the vendors that document them."""
