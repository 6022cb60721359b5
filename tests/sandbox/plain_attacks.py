"""Attacks of a user without rights, in a process of its own; prints what came of them as JSON.

python -m tests.sandbox.plain_attacks FOLDER attack CAGE ONE_OF GROUP...
python -m tests.sandbox.plain_attacks FOLDER bomb CAGE KIND
"""

import itertools
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

import anyio

from ouroboros.safety.sandbox import Policy
from ouroboros.safety.sandbox.starting import end_launcher
from ouroboros.safety.spawn import spawn
from tests.sandbox.cages import cage_of
from tests.sandbox.plain_user import SYSTEM_PYTHON, become_nobody
from tests.sandbox.test_command_escapes import GROUPS, Ground, attacked, ran

MOST_PROCESSES = 150
_LEAVING = "exec 2>>refused; while :; do setsid /bin/bash leave & done"
BOMBS = {
    "plain": "exec 2>refused; echo begun; b() { b | b & b; }; b & b; sleep 60",
    "leaving": f"echo '{_LEAVING}' > leave; echo begun; exec /bin/bash leave",
}
"""One stays in its group, the other leaves it with every process."""
_OWN = 4
"""Processes of ours and of ``bwrap``, which the limit inside of a namespace does not count."""


def attack(folder: Path, cage: str, one_of: int, *groups: str) -> list[str]:
    """Which attacks came through, of those that are tried: one of so many."""
    ground = Ground(folder)
    try:
        return [
            case for group in groups for case in attacked(ground, cage, GROUPS[group][::one_of])
        ]
    finally:
        ground.close()


async def bomb(folder: Path, cage: str, kind: str) -> list[object]:
    """Whether a fork bomb meets the limit, is gone at its end, and leaves us able to go on."""
    policy = Policy(writable=(folder,), processes=MOST_PROCESSES)
    sandbox = cage_of(cage, policy)
    text = BOMBS[kind]
    most, left = 0, -1
    confined = sandbox.confine(("/bin/bash", "-c", text), cwd=folder)
    with anyio.move_on_after(60):
        async with spawn(
            (), cwd=folder, environment=dict(os.environ), confined=confined
        ) as process:
            await process.read()
            for _ in range(20):
                most = max(most, _own_processes())
                await anyio.sleep(0.05)
    end_launcher()
    with anyio.move_on_after(60):  # what is killed takes a while to die where so many do
        for pause in itertools.repeat(0.05):
            if not (left := _own_processes()):
                break
            await anyio.sleep(pause)
    after = await anyio.to_thread.run_sync(
        partial(ran, sandbox.confine(("/bin/echo", "well"), cwd=folder), folder)
    )
    is_refused = "fork" in (folder / "refused").read_text("utf-8", "replace")
    return [most > 20, most <= MOST_PROCESSES + _OWN, is_refused, left, after]


def _own_processes() -> int:
    """How many of this user there are, this one aside."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_dead = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
            found += not is_dead and entry.stat().st_uid == os.getuid()
        except OSError:
            continue
    return found - 1


def main(folder: Path, what: str, cage: str, *words: str) -> None:
    """One of the two."""
    anyio.run(anyio.sleep, 0)  # loads what the plain user may not be able to read
    end_launcher()  # it is the superuser's
    become_nobody(folder)
    if not os.access(sys.executable, os.X_OK):
        sys.executable = SYSTEM_PYTHON
    signal.alarm(300)
    if what == "attack":
        told: object = attack(folder, cage, int(words[0]), *words[1:])
    else:
        told = anyio.run(bomb, folder, cage, words[0])
    sys.stdout.write(json.dumps({"user": os.getuid(), "told": told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], *sys.argv[4:])
