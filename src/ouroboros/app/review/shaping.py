"""A review in the form that the person wants: one JSON value by their schema."""

import msgspec
from anyio import to_thread

from ouroboros.agent.shaping.answer import MOST_TRIES, again, asked, fitting, read
from ouroboros.app.apart import Ended, Room
from ouroboros.app.review.readers import Ground, Reader, listened
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events.review import ReviewOutput

_RUBRIC = (
    "You put a finished review of code into another form. Add nothing that is not in it, leave "
    "nothing out that the form has a place for, and judge nothing anew."
)


async def shaped(ground: Ground, review: ReviewOutput, written: str) -> str:
    """The review by a schema; an answer that does not fit is sent back a few times.

    Raises:
        OuroborosError: The model could not be asked, or gave nothing that fits.
    """
    schema = await read(written.encode())
    finished = msgspec.json.encode(review).decode()
    task = f"{asked(written)}\n\nThe review:\n<review>\n{finished}\n</review>"
    problems: tuple[str, ...] = ()
    found = ""

    async def talk(room: Room) -> Ended:
        nonlocal problems, found
        ended = await room.run(task, typed=0)
        for number in range(MOST_TRIES + 1):
            found, problems = await to_thread.run_sync(fitting, ended.final, schema)
            if not problems or number == MOST_TRIES or ended.reason != "completed":
                return ended
            ended = await room.run(again(problems), typed=0)
        return ended

    reader = Reader(task="put the review into form", rubric=_RUBRIC, tools=frozenset())
    await listened(ground, reader, talk)
    if problems:
        raise OuroborosError(f"the review does not fit the schema: {problems[0]}")
    return found
