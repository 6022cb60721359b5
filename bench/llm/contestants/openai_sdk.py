"""The official SDK of OpenAI, at its lightest: the typed events and nothing collected."""

from importlib import import_module
from typing import Any


class OpenAI:
    """``openai.AsyncOpenAI``."""

    _client: Any
    _wire: str

    async def open(self, port: int, wire: str) -> None:
        """A client without retries."""
        self._wire = wire
        make = import_module("openai").AsyncOpenAI
        self._client = make(api_key="bench", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0)

    async def hear(self, model: str) -> int:
        """One reply."""
        return await (self._chat(model) if self._wire == "chat" else self._responses(model))

    async def _chat(self, model: str) -> int:
        characters = 0
        stream = await self._client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": "Go."}],
            stream=True,
            stream_options={"include_usage": True},
        )
        async for chunk in stream:
            for choice in chunk.choices:
                delta = choice.delta
                characters += len(delta.content or "")
                characters += len(getattr(delta, "reasoning_content", None) or "")
                for call in delta.tool_calls or ():
                    characters += len(call.function.arguments or "")
        return characters

    async def _responses(self, model: str) -> int:
        characters = 0
        stream = await self._client.responses.create(model=model, input="Go.", stream=True)
        async for event in stream:
            if event.type.endswith(".delta"):
                characters += len(event.delta)
        return characters
