"""``/agent``: a program of its own that works apart and hands its changes over."""

from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat


async def agent(seat: Seat, rest: str) -> Control:
    """Has an agent do something in a work session; it asks here."""
    from ouroboros.app.paws.agents.asked import Place, run_agent

    place = Place(
        settings=seat.loaded.settings, home=seat.loaded.home, environment=seat.environment
    )

    async def job() -> None:
        await run_agent(seat.session, rest, place)

    return job
