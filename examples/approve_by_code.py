"""Decide by code what may be done: files of this folder may be written, everything else is refused."""

from pathlib import Path

import anyio

from ouroboros import Envelope, Ouroboros, Session
from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested


async def decide(session: Session, event: Envelope) -> None:
    """Answers a question, where the event is one."""
    match event.data:
        case PermissionRequested(request_id=id, tool="write" | "edit", action=action):
            print(f"yes: {action}")
            await session.send(Approve(request_id=id))
        case PermissionRequested(request_id=id, action=action):
            print(f"no: {action}")
            await session.send(Deny(request_id=id, message="only files of this folder"))
        case _:
            pass


async def main(engine: Ouroboros) -> None:
    async with engine.open(cwd=Path(), interactive=True) as session:
        async for event in session.stream("Write notes.txt, then remove the folder build."):
            await decide(session, event)
        assert session.outcome is not None
        print(session.outcome.final)


anyio.run(main, Ouroboros.configured(Path(), mode="ask"))
