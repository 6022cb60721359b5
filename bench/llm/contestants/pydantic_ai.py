"""The model classes of pydantic-ai, over the official SDKs; they collect the reply as we do."""

from importlib import import_module
from typing import Any

_MODELS = {
    "chat": ("openai", "OpenAIChatModel", "OpenAIProvider", "/v1"),
    "responses": ("openai", "OpenAIResponsesModel", "OpenAIProvider", "/v1"),
    "messages": ("anthropic", "AnthropicModel", "AnthropicProvider", ""),
}


class PydanticAI:
    """``pydantic_ai.direct.model_request_stream``."""

    _make: Any
    _provider: Any
    _stream: Any
    _prompt: Any

    async def open(self, port: int, wire: str) -> None:
        """A provider; models are made for each request, which is cheap."""
        module, model, provider, path = _MODELS[wire]
        self._make = getattr(import_module(f"pydantic_ai.models.{module}"), model)
        provide = getattr(import_module(f"pydantic_ai.providers.{module}"), provider)
        self._provider = provide(api_key="bench", base_url=f"http://127.0.0.1:{port}{path}")
        self._stream = import_module("pydantic_ai.direct").model_request_stream
        self._prompt = import_module("pydantic_ai").ModelRequest.user_text_prompt

    async def hear(self, model: str) -> int:
        """One reply."""
        characters = 0
        made = self._make(model, provider=self._provider)
        async with self._stream(made, [self._prompt("Go.")]) as events:
            async for event in events:
                match event.event_kind:
                    case "part_start":
                        characters += _length(event.part)
                    case "part_delta":
                        characters += _length(event.delta)
                    case _:
                        pass
        return characters


def _length(part: Any) -> int:
    for name in ("content", "content_delta", "args", "args_delta"):
        value = getattr(part, name, None)
        if isinstance(value, str):
            return len(value)
    return 0
