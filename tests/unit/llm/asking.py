"""Asks a vendor that wants a proof, through the whole client."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.parts import Message, Text
from ouroboros.llm.auth import AuthStyle
from ouroboros.llm.auth.plan import AuthPlan
from ouroboros.llm.client import Client
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.providers import Choice, Entry
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import Finished

REQUEST = Request(model="m", messages=(Message(id="1", role="user", parts=(Text(text="Hi"),)),))


@asynccontextmanager
async def client(
    url: str,
    plan: AuthPlan,
    home: Path,
    *,
    clock: Clock | None = None,
    style: AuthStyle = "bearer",
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[Client]:
    """A client of the vendor at ``url`` that makes no retries of its own."""
    entry = Entry(name="mine", protocol="openai-chat", auth=style)
    choice = Choice(entry=entry, model="m", base_url=f"{url}/v1", plan=plan)
    policy = Policy(request_retries=0, stream_retries=0)
    connection = Connection(policy=policy, home=home, environment=environment or {})
    opened = await open_client(
        choice, clock=clock or SystemClock(), random=lambda: 0.5, connection=connection
    )
    try:
        yield opened
    finally:
        await opened.close()


async def said(asked: Client) -> str:
    """The words of one reply; raises ``ModelFailed``."""
    async with asked.stream(REQUEST) as events:
        async for event in events:
            if isinstance(event, Finished):
                return "".join(part.text for part in event.parts if isinstance(part, Text))
    raise AssertionError
