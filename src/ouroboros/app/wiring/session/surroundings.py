"""Facts about the machine and the folder, for the model's context."""

import platform
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from anyio import to_thread

from ouroboros.agent.context.briefing import Surroundings, git_state
from ouroboros.agent.context.instructions import gather, project_root
from ouroboros.app.permission.visited import Visited
from ouroboros.app.settings import Sandbox
from ouroboros.core.clock import Clock
from ouroboros.core.commands import Personality
from ouroboros.safety.sandbox.policy import PROTECTED_NAMES


def reader(
    *,
    cwd: Path,
    home: Path,
    environment: Mapping[str, str],
    clock: Clock,
    instruction_bytes: int,
    warn: Callable[[str], None],
    sandbox: Sandbox,
    attended: bool = True,
    personality: Personality = "none",
    visited: Visited | None = None,
) -> Callable[[], Awaitable[Surroundings]]:
    """A function that reads them anew; ``warn`` gets each complaint about what was read once."""
    told: set[str] = set()

    def read() -> tuple[Surroundings, list[str]]:
        said = visited.read() if visited is not None else []
        moment = time.localtime(clock.now())
        found = Surroundings(
            cwd=cwd,
            shell=Path(environment.get("SHELL", "/bin/sh")).name,
            system=f"{platform.system()} {platform.release()} {platform.machine()}",
            date=time.strftime("%Y-%m-%d", moment),
            timezone=time.strftime("%Z", moment),
            git=git_state(project_root(cwd)),
            instructions=gather(cwd, home, instruction_bytes),
            cage=_cage(sandbox),
            attended=attended,
            personality=personality,
            visits=visited.told() if visited is not None else (),
        )
        return found, [*found.instructions.warnings, *said]

    async def surroundings() -> Surroundings:
        found, said = await to_thread.run_sync(read)
        for warning in said:
            if warning not in told:
                told.add(warning)
                warn(warning)
        return found

    return surroundings


def _cage(wanted: Sandbox) -> str:
    """What commands may do where they surely run in a cage; asks the kernel."""
    from ouroboros.app.permission.cages import is_caged

    if not is_caged(wanted):
        return ""
    names = [name for name in PROTECTED_NAMES if name != ".git"]
    git = ".git" if wanted.git == "closed" else "the configuration and hooks of git"
    commits = "" if wanted.git == "closed" else "; git commit works"
    writing = f"they write in the workspace (not {git}, {', '.join(names)}{commits})"
    writing += " and in $TMPDIR, where file tools write too"
    writing += "" if wanted.exclude_tmp else ", and in the temporary folder"
    writing = "they write nothing" if wanted.mode == "read-only" else writing
    network = {
        "off": "have no network, not even to this machine",
        "proxy": "reach the network by the proxy of their environment",
        "on": "have the network",
    }
    return f"{writing}, and {network[wanted.network]}"
