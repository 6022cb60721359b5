"""``/agent``: a program of its own that works apart and hands its changes over."""

from functools import partial

from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat


async def agent(seat: Seat, rest: str) -> Control:
    """Has an agent do something in a work session; it asks here."""
    run = partial(
        seat.session.run_agent,
        rest,
        seat.loaded.settings,
        home=seat.loaded.home,
        environment=seat.environment,
    )

    async def job() -> None:
        await run()

    return job
