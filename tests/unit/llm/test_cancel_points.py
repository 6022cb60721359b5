"""Cancelling at any point of a reply closes the connection, and the client can be asked again."""

import random
from collections.abc import Sequence

import anyio
import pytest

from ouroboros.core.clock import SystemClock
from ouroboros.llm.client import Client
from ouroboros.llm.turns import Turn
from ouroboros.testing.raw import Pause, RawServer, Speech, Step, chunk
from tests.cases import every
from tests.unit.llm.fault_ground import CALL, FORMATS, asked, facing, listen, said

pytestmark = pytest.mark.real

TURN = Turn(reasoning="Let me see.", text="Hello there, this is it.", chunk=2, tool_calls=(CALL,))
PATIENCE = 60.0
PROMPT = 0.1


def slowly(speech: Speech) -> Sequence[Step]:
    steps: list[Step] = [Pause(0.001), speech.head]
    for piece in speech.pieces:
        steps += [chunk(piece.frame), Pause(0)]
    return [*steps[:-2], Pause(3600)]


async def cancelled(client: Client, server: RawServer, format: str, place: int) -> float:
    """Seconds from a cancel, after so many events, to the end of the connection."""
    clock, asked_before = SystemClock(), len(server.exchanges)
    gone_before, at = len(server.hung_up), 0.0

    async def hear(scope: anyio.CancelScope) -> None:
        nonlocal at
        with scope:
            async with client.stream(asked(format)) as events:
                number = 0
                async for _ in events:
                    number += 1
                    if number == place:
                        at = clock.monotonic()
                        scope.cancel()

    with anyio.fail_after(PATIENCE):
        scope = anyio.CancelScope()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hear, scope)
            if not place:
                await server.until(requests=asked_before + 1)
                at = clock.monotonic()
                scope.cancel()
        await server.until(hung_up=gone_before + 1)
    return server.hung_up[-1] - at


async def count_events(format: str) -> int:
    async with facing([lambda speech: [speech.whole]], TURN, format) as (client, _, _):
        return len((await listen(client, asked(format)))[0])


@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
async def test_a_cancel_closes_the_connection_and_the_next_reply_is_whole(format: str) -> None:
    total = await count_events(format)
    places = [0, 1, *random.Random(format).sample(range(2, total - 1), 3)]
    answers = [slowly] * len(places) + [lambda speech: [speech.whole]]
    async with facing(answers, TURN, format) as (client, server, _):
        for place in places:
            await cancelled(client, server, format, place)
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, TURN.text)
        assert len(server.exchanges) == len(server.hung_up) + 1 == len(places) + 1


@pytest.mark.soak
@every("format", FORMATS)
async def test_a_cancel_at_100_places_closes_the_connection_within_100_ms(format: str) -> None:
    """One that is late because the machine is busy must be in time when it is tried again."""
    total = await count_events(format)
    chance = random.Random(f"100 {format}")
    places = [chance.randrange(0, total - 1) for _ in range(100)]
    async with facing([slowly], TURN, format) as (client, server, _):
        late = [
            place for place in places if await cancelled(client, server, format, place) > PROMPT
        ]
        assert len(late) <= 5
        for place in late:
            assert await cancelled(client, server, format, place) <= PROMPT
        assert len(server.hung_up) == 100 + len(late)
