"""Appends until the disk refuses, and reports what was acknowledged and how each wait ended."""

import os
import resource
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec

from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.store.lease import Lease
from ouroboros.store.log import EventLog
from ouroboros.store.writer import Writer
from tests.unit.store.samples import SESSION, envelope, said


async def fill(home: Path, size: int) -> dict[str, object]:
    shown: list[int] = []
    ends: list[str] = []

    def show(envelopes: list[Envelope]) -> None:
        shown.extend(each.seq for each in envelopes)

    async def wait(log: EventLog, seq: int) -> None:
        try:
            await log.settled(seq)
            ends.append("kept")
        except OuroborosError as failure:
            ends.append(type(failure).__name__)

    refusal, late = "", "taken"
    lease = await anyio.to_thread.run_sync(Lease.take, home, SESSION)
    async with Writer(home) as writer, anyio.create_task_group() as group:
        await writer.ready()
        log = EventLog(writer, lease, on_durable=show)
        while not refusal:
            try:
                for _ in range(20):
                    log.append(envelope(log.last + 1, said("z" * size)))
                    group.start_soon(wait, log, log.last)
                await log.settled()
            except OuroborosError as failure:
                refusal = type(failure).__name__
        try:
            log.append(envelope(log.last + 1, said("late")))
        except OuroborosError as failure:
            late = type(failure).__name__
    return {"shown": shown, "ends": ends, "refusal": refusal, "late": late}


if __name__ == "__main__":
    if len(sys.argv) > 3:
        limit = int(sys.argv[3])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    outcome = anyio.run(fill, Path(sys.argv[1]), int(sys.argv[2]))
    os.write(1, msgspec.json.encode(outcome))
