"""litellm's own functions; it turns chat and messages into chunks of chat, responses into its own."""

from importlib import import_module
from typing import Any


class LiteLLM:
    """``litellm.acompletion`` and ``litellm.aresponses``."""

    _litellm: Any
    _port: int
    _wire: str

    async def open(self, port: int, wire: str) -> None:
        """It has no client to make."""
        self._litellm = import_module("litellm")
        self._litellm.telemetry = False
        self._litellm.suppress_debug_info = True
        known = {"litellm_provider": "openai", "supports_native_streaming": True}
        # Of a model that it does not know it would ask a whole reply, and play a stream from that.
        self._litellm.register_model({
            f"bench-{plan}": known for plan in ("short", "long", "paced")
        })
        self._port, self._wire = port, wire

    async def hear(self, model: str) -> int:
        """One reply."""
        if self._wire == "responses":
            return await self._responses(model)
        path, vendor = ("/v1", "openai") if self._wire == "chat" else ("", "anthropic")
        characters = 0
        stream = await self._litellm.acompletion(
            model=f"{vendor}/{model}",
            messages=[{"role": "user", "content": "Go."}],
            max_tokens=1024,
            stream=True,
            stream_options={"include_usage": True},
            api_key="bench",
            api_base=f"http://127.0.0.1:{self._port}{path}",
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
        stream = await self._litellm.aresponses(
            model=f"openai/{model}",
            input="Go.",
            stream=True,
            api_key="bench",
            api_base=f"http://127.0.0.1:{self._port}/v1",
        )
        async for event in stream:
            if str(getattr(event.type, "value", event.type)).endswith(".delta"):
                characters += len(event.delta)
        return characters
