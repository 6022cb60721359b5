"""``! COMMAND``: what the person runs themselves."""

from functools import partial

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat


async def shell(seat: Seat, rest: str) -> Control:
    """Runs a command; beside a run it is heard at the next step."""
    if not rest:
        raise Misuse("there is no command to run", hint="for example: ! git status")
    run = partial(seat.session.run_own, rest, seat.loaded.settings, seat.environment)
    if seat.session.running:
        await run()
        return "stay"

    async def job() -> None:
        await run()

    return job
