"""Writes events for ever and prints the number of each one that was acknowledged."""

import os
import sys
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.core.events import Envelope, UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.store.lease import Lease
from ouroboros.store.log import EventLog
from ouroboros.store.writer import Writer


def written(seq: int) -> UserMessage:
    size = 70_000 if seq % 40 == 0 else seq % 300
    parts = (Text(text=f"{seq} " + "x" * size),)
    return UserMessage(message=Message(id=f"msg_{seq}", role="user", parts=parts))


def acknowledge(envelopes: list[Envelope]) -> None:
    os.write(1, b"".join(b"%d\n" % each.seq for each in envelopes))


async def write_for_ever(home: Path, session: str) -> None:
    lease = await anyio.to_thread.run_sync(Lease.take, home, session)
    async with Writer(home) as writer:
        log = EventLog(writer, lease, on_durable=acknowledge)
        seq = 0
        while True:
            for _ in range(seq % 7 + 1):
                seq += 1
                event = written(seq)
                log.append(
                    Envelope(
                        id=f"evt_{seq}",
                        session=session,
                        turn=0,
                        seq=seq,
                        ts=float(seq),
                        type=event.type,
                        source=event.source,
                        data=event,
                    )
                )
            await log.settled()


if __name__ == "__main__":
    anyio.run(write_for_ever, Path(sys.argv[1]), sys.argv[2])
