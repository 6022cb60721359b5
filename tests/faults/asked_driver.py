"""A session that asks before each command, answered and killed as its arguments say.

Usage: asked_driver FOLDER ANSWERS MOMENT COUNT DELAY. ANSWERS are what the questions get in turn: ``y``,
``n``, or ``-`` for none. It kills itself DELAY seconds after the COUNT-th event of the type MOMENT was
shown; without a moment it goes on with the latest session and runs to its end.
"""

import os
import signal
import sys
from pathlib import Path
from threading import Timer

import anyio

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import Envelope, PermissionRequested
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

CALLS = 3
PATIENCE_SECONDS = 0.1
"""So long a question without an answer is open before it dies, unless it does so earlier."""


def turns(*, goes_on: bool) -> list[Turn]:
    """Commands that differ in one figure alone, in two replies; one that goes on has asked already."""
    calls = [call("shell", command=f"echo {number} >> effects") for number in range(CALLS)]
    last = Turn(
        text="More.", tool_calls=(call("shell", command=f"echo {CALLS + goes_on} >> effects"),)
    )
    return [
        *([] if goes_on else [Turn(text="I ask.", tool_calls=tuple(calls))]),
        last,
        Turn(text="Done."),
    ]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, answers: str, moment: str, count: int, delay: float) -> None:
    goes_on = not moment
    given = iter(answers)
    seen = 0
    send, receive = anyio.create_memory_object_stream[str](64)

    def hear(envelope: Envelope) -> None:
        nonlocal seen
        if isinstance(envelope.data, PermissionRequested):
            send.send_nowait(envelope.data.request_id)
        seen += envelope.type == moment
        if moment and seen == count:
            Timer(delay, die).start() if delay else die()

    async with (
        stage(
            folder,
            turns(goes_on=goes_on),
            mode="ask",
            interactive=True,
            latest=goes_on,
            check=False,
        ) as s,
        anyio.create_task_group() as tasks,
    ):
        s.session.listen(hear)

        async def answer() -> None:
            async for asked in receive:
                match next(given, "n"):
                    case "y":
                        await s.session.send(Approve(request_id=asked))
                    case "n":
                        await s.session.send(Deny(request_id=asked))
                    case _:
                        Timer(PATIENCE_SECONDS, die).start()

        tasks.start_soon(answer)
        await s.run("" if goes_on else "Make them.")
        tasks.cancel_scope.cancel()


if __name__ == "__main__":
    where, replies, name, number, seconds = sys.argv[1:]
    anyio.run(main, Path(where), replies, name, int(number), float(seconds))
