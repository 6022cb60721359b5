"""``/agent``: a program of its own that works apart and hands its changes over."""

from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat
from ouroboros.faces.wording import agents as wording
from ouroboros.faces.wording.words import one_line

_NONE = f"{wording.NONE}; /agent NAME GOAL sets it to work"


async def agent(seat: Seat, rest: str) -> Control:
    """Lists those that are there, or has one do something in a work session; it asks here."""
    from ouroboros.app.paws.agents.asked import Place, agents_at, run_agent

    place = Place(
        settings=seat.loaded.settings, home=seat.loaded.home, environment=seat.environment
    )
    if not rest.strip():
        found = await wording.rows(await agents_at(seat.cwd, place))
        seat.say(*("  ".join(map(one_line, each)) for each in found), *([] if found else [_NONE]))
        return "stay"

    async def job() -> None:
        await run_agent(seat.session, rest, place)

    return job
