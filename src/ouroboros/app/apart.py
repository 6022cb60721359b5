"""Sessions apart from the one that a person talks to: they serve it, may only read, and cost it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ouroboros.app.settings import Settings
from ouroboros.core.events import AgentMessage, Envelope, Event
from ouroboros.core.events.fleet import SubagentReplied

TOOLS = frozenset({"read", "grep", "find", "ls", "exec_command", "write_stdin", "shell"})
"""All that such a session has; in mode plan a command may only read."""


class Ended(Protocol):
    """How a run ended."""

    @property
    def reason(self) -> str: ...
    @property
    def final(self) -> str: ...


class Room(Protocol):
    """An open session."""

    @property
    def id(self) -> str: ...
    def listen(self, sink: Callable[[Envelope], None]) -> None: ...
    async def run(self, text: str, *, typed: int | None = None) -> Ended: ...


type Opener = Callable[[Settings, frozenset[str]], AbstractAsyncContextManager[Room]]
"""Opens a session with such settings and tools, which asks nobody."""


def replied(event: Event, child: str, model: str) -> SubagentReplied | None:
    """What the session that is served counts of a reply, also of one that broke off."""
    match event:
        case AgentMessage(usage=usage, cost=cost, partial=partial) if usage or not partial:
            return SubagentReplied(child=child, model=model, usage=usage, cost=cost)
        case _:
            return None
