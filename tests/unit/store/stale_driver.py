"""An owner of a session that writes until it is refused, and says on standard output what became of it.

After two events it waits for a line, and stops itself: never in the middle of a write, whose lock it would keep.
"""

import os
import signal
import sys
from pathlib import Path

import anyio

from ouroboros.core.errors import StoreFailed
from ouroboros.store import EventLog, Lease, Writer
from tests.unit.store.samples import numbered, said


async def main(home: Path) -> None:
    lease = Lease.take(home, "ses_1")
    async with Writer(home) as writer:
        log = EventLog(writer, lease)
        try:
            while True:
                log.append(numbered([said("stale")], after=log.last)[0])
                await log.settled()
                print(log.durable, flush=True)
                if log.durable == 2:
                    sys.stdin.readline()
                    os.kill(os.getpid(), signal.SIGSTOP)
        except StoreFailed as refused:
            print(type(refused).__name__, refused.message, flush=True)
    lease.release()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
