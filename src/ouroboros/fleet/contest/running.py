"""Runs the contestants at once, so many at a time; one that fails ends alone."""

from collections.abc import Awaitable, Callable

import anyio

from ouroboros.core.errors import OuroborosError, StoreFailed, unwrapped
from ouroboros.fleet.contest.ranking import Entry, ranked

MOST = 16
"""Contestants of one task."""

type Contestant = Callable[[int], Awaitable[Entry]]
type Tell = Callable[[Entry], None]


async def held(contestant: Contestant, *, count: int, at_once: int, tell: Tell) -> list[Entry]:
    """Every entry, the best first.

    Args:
        contestant: Does the task for a number from 1; a failure that a person should read is an
            entry with a problem.
        count: How many there are.
        at_once: How many work at the same time.
        tell: Hears of each once it is over.

    Raises:
        StoreFailed: Sessions cannot be kept, so that all of them would fail alike.
    """
    entries: list[Entry] = []
    seats = anyio.Semaphore(min(at_once, count))

    async def take(number: int) -> None:
        async with seats:
            try:
                entry = await contestant(number)
            except (OuroborosError, ExceptionGroup) as error:
                problem = unwrapped(error)
                if not isinstance(problem, OuroborosError) or isinstance(problem, StoreFailed):
                    raise
                entry = Entry(number=number, problem=problem.message)
        entries.append(entry)
        tell(entry)

    async with anyio.create_task_group() as tasks:
        for number in range(1, count + 1):
            tasks.start_soon(take, number)
    return ranked(entries)
