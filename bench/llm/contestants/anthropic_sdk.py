"""The official SDK of Anthropic, at its lightest: the typed events and nothing collected."""

from importlib import import_module
from typing import Any


class Anthropic:
    """``anthropic.AsyncAnthropic``."""

    _client: Any

    async def open(self, port: int, wire: str) -> None:
        """A client without retries."""
        make = import_module("anthropic").AsyncAnthropic
        self._client = make(api_key="bench", base_url=f"http://127.0.0.1:{port}", max_retries=0)

    async def hear(self, model: str) -> int:
        """One reply."""
        characters = 0
        stream = await self._client.messages.create(
            model=model,
            max_tokens=1024,
            messages=[{"role": "user", "content": "Go."}],
            stream=True,
        )
        async for event in stream:
            if event.type == "content_block_delta":
                delta = event.delta
                match delta.type:
                    case "text_delta":
                        characters += len(delta.text)
                    case "thinking_delta":
                        characters += len(delta.thinking)
                    case "input_json_delta":
                        characters += len(delta.partial_json)
                    case _:
                        pass
        return characters
