"""This project's own client, the whole way from the route to the typed event."""

from random import random

from ouroboros.core.clock import SystemClock
from ouroboros.core.parts import Message, Text
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers.choice import find
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew

MODELS = {"chat": "compatible/bench", "responses": "openai/bench", "messages": "anthropic/bench"}
KEYS = {"OPENAI_API_KEY": "bench", "ANTHROPIC_API_KEY": "bench"}


class Ours:
    """One client, its connections kept."""

    _client: Client

    async def open(self, port: int, wire: str) -> None:
        """A client for the wire format."""
        choice = find(MODELS[wire], environment=KEYS, base_url=f"http://127.0.0.1:{port}/v1")
        self._client = await open_client(
            choice, clock=SystemClock(), random=random, connection=Connection()
        )

    async def hear(self, model: str) -> int:
        """One reply."""
        message = Message(id="msg_1", role="user", parts=(Text(text="Go."),))
        characters = 0
        async with self._client.stream(Request(model=model, messages=(message,))) as events:
            async for event in events:
                if isinstance(event, BlockGrew):
                    characters += len(event.text)
        return characters
