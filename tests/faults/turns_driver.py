"""Takes a session again and again, adds some events, lets go; prints what was acknowledged to it."""

import os
import sys
import time
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.core.errors import SessionBusy
from ouroboros.store import EventLog, Lease, Writer, resume
from tests.unit.store.samples import SESSION, envelope, said

EVENTS = 5


def taken(home: Path) -> Lease:
    while True:
        try:
            return Lease.take(home, SESSION)
        except SessionBusy:
            time.sleep(0.002)


async def add(home: Path, name: str) -> None:
    lease = await anyio.to_thread.run_sync(taken, home)
    found = await anyio.to_thread.run_sync(resume.load, home, lease)
    assert found.warnings == ()
    async with Writer(home) as writer:
        log = EventLog(writer, lease, after=found.last)
        for number in range(EVENTS):
            log.append(envelope(log.last + 1, said(f"{name}.{number}")))
            await log.settled()
            os.write(1, b"%d %s.%d\n" % (log.durable, name.encode(), number))
    lease.release()


async def main(home: Path, name: str, rounds: int) -> None:
    for number in range(rounds):
        await add(home, f"{name}.{number}")


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
