"""Facts about the machine and the folder, for the model's context."""

import platform
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from anyio import to_thread

from ouroboros.agent.briefing import Surroundings, git_state
from ouroboros.agent.instructions import gather, project_root
from ouroboros.core.clock import Clock


def reader(
    *,
    cwd: Path,
    home: Path,
    environment: Mapping[str, str],
    clock: Clock,
    instruction_bytes: int,
    warn: Callable[[str], None],
) -> Callable[[], Awaitable[Surroundings]]:
    """A function that reads them anew; ``warn`` gets each complaint about instruction files once."""
    told: set[str] = set()

    def read() -> Surroundings:
        moment = time.localtime(clock.now())
        return Surroundings(
            cwd=cwd,
            shell=Path(environment.get("SHELL", "/bin/sh")).name,
            system=f"{platform.system()} {platform.release()} {platform.machine()}",
            date=time.strftime("%Y-%m-%d", moment),
            timezone=time.strftime("%Z", moment),
            git=git_state(project_root(cwd)),
            instructions=gather(cwd, home, instruction_bytes),
        )

    async def surroundings() -> Surroundings:
        found = await to_thread.run_sync(read)
        for warning in found.instructions.warnings:
            if warning not in told:
                told.add(warning)
                warn(warning)
        return found

    return surroundings
