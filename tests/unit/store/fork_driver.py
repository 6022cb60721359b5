"""Forks a session, branches it and keeps snapshots of it for ever, and says after each round that it is done."""

import sys
from pathlib import Path

from ouroboros.app.past import forking
from ouroboros.core.commands import Branch, Rollback
from ouroboros.store import Lease, resume, snapshots
from tests.unit.store.samples import SESSION


def work(home: Path) -> None:
    while True:
        forking.fork_aside(home, SESSION, "ans_1")
        forking.move(home, SESSION, Branch(message_id="ans_2"))
        with Lease.take(home, SESSION) as lease:
            state = resume.restore(home, lease).state
        snapshots.save(home, SESSION, state.seq, snapshots.encoded(state))
        forking.move(home, SESSION, Rollback(turns=1))
        print("done", flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
