"""A session that another process has open, read along."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.core.events import Envelope, UserMessage
from ouroboros.store import resume
from ouroboros.store.following import Follower

_SECONDS = 0.1
"""Between two looks; a look at a database that nobody wrote to costs two system calls."""


async def follow(home: Path, session: str, *, after: int = 0) -> AsyncGenerator[list[Envelope]]:
    """The events of a session from after one on, as they become durable; goes on until it is closed.

    Raises:
        SessionUnknown: There is no such session, or not any more.
        StoreFailed: The database cannot be read, or an event in it.
    """
    follower = Follower(home, session, after=after)
    while True:
        found = await to_thread.run_sync(follower.read)
        if found:
            yield found
        if follower.warnings:
            raise resume.damaged(follower.warnings[0])
        await anyio.sleep(_SECONDS)


def latest_turn(home: Path, session: str) -> int:
    """The event before the latest words that began a turn; blocking."""
    for envelope in reversed(resume.read(home, session).envelopes):
        match envelope.data:
            case UserMessage(message=message, steered=False) if message.kind == "plain":
                return envelope.seq - 1
            case _:
                pass
    return 0
