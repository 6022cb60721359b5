"""Agents of a repository as people read them: what each is, and what it does now."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ouroboros.app.paws.agents.agents import Agents, Instance, Run

_SHORT = 8
NONE = "there is no agent; `paws agent create --from FILE` makes one"


async def rows(agents: "Agents") -> list[tuple[str, str, str]]:
    """A name, a state and a description for each, and for each definition that none was made from."""
    found = [(each.name, _state(run), _about(each)) for each, run in await agents.all()]
    free = await agents.only_defined()
    return found + [(path.name, "only defined", _made(path)) for path in free]


def _state(run: "Run | None") -> str:
    if run is None:
        return "at rest"
    where = f" in session {run.session[:_SHORT]}" if run.session else ""
    return f"at work{where}, process {run.pid}"


def _about(agent: "Instance") -> str:
    return agent.config.description


def _made(path: Path) -> str:
    return f"paws agent create --from {path}"
