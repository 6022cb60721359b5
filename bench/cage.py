"""How long a command takes to start in each cage, beside one that is started bare in the same rounds.

Usage: python bench/cage.py [rounds]

The command is ``/bin/true``, to its end; what a cage adds is the difference of the medians. Between two
commands lies a pause, as a model makes a longer one: what is prepared for the next command is made in it.
"""

import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import anyio

from ouroboros.safety.sandbox import Policy, Sandbox, Unconfined
from ouroboros.safety.sandbox.bubblewrap import Bubblewrap
from ouroboros.safety.sandbox.features import features
from ouroboros.safety.sandbox.floor import Floor
from ouroboros.safety.sandbox.namespaces import Namespaces
from ouroboros.safety.sandbox.policy import protected_in, real, secrets_of
from ouroboros.safety.spawn import spawn

PAUSE_SECONDS = 0.05
AIMS = {"none": 0.0, "landlock": 5.0, "namespaces": 4.0, "bubblewrap": 30.0}


async def one(sandbox: Sandbox, cwd: Path) -> float:
    """Milliseconds from the wish to the end of the command."""
    began = time.perf_counter()
    confined = sandbox.confine(("/bin/true",), cwd=cwd)
    async with spawn((), cwd=cwd, environment={}, confined=confined) as process:
        while await process.read() is not None:
            pass
    return (time.perf_counter() - began) * 1000


async def main(rounds: int) -> None:
    """Takes turns, so that all cages meet the same machine."""
    offered = features(bubblewrap="first")
    with TemporaryDirectory() as folder:
        roots = real([Path(folder)])
        (roots[0] / ".git" / "hooks").mkdir(parents=True)
        (roots[0] / ".git" / "config").touch()
        policy = Policy(
            writable=roots,
            protected=protected_in(roots),
            hidden=real(secrets_of(Path.home(), Path.home() / ".ouroboros")),
            processes=16_384,
        )
        cages: list[Sandbox] = [Unconfined(), Floor(policy, restores=True)]
        if features().namespaces:
            cages.append(Namespaces(policy))
        if offered.launcher is not None:
            cages.append(Bubblewrap(policy, offered.launcher))
        taken: dict[str, list[float]] = {cage.name: [] for cage in cages}
        for _ in range(rounds):
            for cage in cages:
                taken[cage.name].append(await one(cage, roots[0]))
                await anyio.sleep(PAUSE_SECONDS)
    bare = median(taken["none"])
    sys.stdout.write("| cage | median, ms | it adds, ms | aim, ms |\n|---|---|---|---|\n")
    for name, each in taken.items():
        added = median(each) - bare
        sys.stdout.write(f"| {name} | {median(each):.2f} | {added:.2f} | {AIMS[name]:g} |\n")


if __name__ == "__main__":
    anyio.run(partial(main, int(sys.argv[1]) if len(sys.argv) > 1 else 100))
