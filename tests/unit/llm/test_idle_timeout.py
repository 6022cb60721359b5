"""Silence is waited for as long as was said, wherever it falls, and any byte begins the wait anew."""

from collections.abc import Callable, Sequence

import pytest
from anyio import create_task_group

from ouroboros.llm.turns import Turn
from ouroboros.testing.raw import Pause, Speech, Step, chunk
from tests.cases import every
from tests.passing import hurrying
from tests.unit.llm.fault_ground import FORMATS, asked, facing, listen

pytestmark = pytest.mark.real

TURN = Turn(text="Hello there, this is a reply.", chunk=4)


def frames(speech: Speech) -> list[bytes]:
    return [chunk(piece.frame) for piece in speech.pieces]


def spaced(speech: Speech, seconds: float) -> list[Step]:
    """Three frames, so far apart that together they take longer than the silence may."""
    pause = Pause(seconds * 0.6)
    first, second, third, *_ = frames(speech)
    return [speech.head, pause, first, pause, second, pause, third]


PLACES: dict[str, Callable[[Speech, float], Sequence[Step]]] = {
    "before the head": lambda speech, _: [],
    "behind the head": lambda speech, _: [speech.head],
    "in mid-reply": lambda speech, _: [speech.head, *frames(speech)[: len(speech.pieces) // 2]],
    "behind slow bytes": spaced,
}


async def check(format: str, place: str, seconds: float, most: float) -> None:
    """The client gives up on a connection after so many seconds, and not before."""

    def silent(speech: Speech) -> Sequence[Step]:
        return [*PLACES[place](speech, seconds), Pause(3600)]

    async with (
        facing([silent], TURN, format, idle_timeout=seconds) as (client, server, _),
        create_task_group() as tasks,
    ):
        tasks.start_soon(listen, client, asked(format))
        await server.until(hung_up=1)
        tasks.cancel_scope.cancel()
    first = server.exchanges[0]
    waited = server.hung_up[0] - (first.ended_at or first.complete_at)
    assert seconds * 0.95 <= waited <= seconds * most, (format, place, waited)


@pytest.mark.proves("providers-faults")
async def test_silence_is_waited_for_and_bytes_begin_it_anew() -> None:
    async with hurrying(5.0), create_task_group() as tasks:
        for place in PLACES:
            tasks.start_soon(check, "openai-chat", place, 300.0, 1.1)


@pytest.mark.soak
@every("format", FORMATS)
async def test_the_time_holds_within_a_tenth(format: str) -> None:
    async with hurrying(3.0), create_task_group() as tasks:
        for place in PLACES:
            tasks.start_soon(check, format, place, 300.0, 1.1)
