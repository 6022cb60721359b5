"""A reply that is wanted as a whole: others go on meanwhile, and another model takes over."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from anyio import create_task_group
from anyio.lowlevel import checkpoint

from ouroboros.agent.speaking.asking import asked
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.parts import Origin, Text
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew, Finished, StreamEvent
from ouroboros.testing.clock import ManualClock

PIECES = 3_200


class Told:
    """A model that says all it has at once, or fails."""

    def __init__(self, name: str, *, fails: bool = False) -> None:
        self.origin = Origin(provider=name, protocol="openai-chat", model="m")
        self._fails = fails

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        async def events() -> AsyncGenerator[StreamEvent]:
            for _ in range(PIECES):
                yield BlockGrew(part=0, kind="text", text="x")
            if self._fails:
                raise ModelFailed(Failure(kind="overloaded", message="Busy."), hint="wait")
            yield Finished(
                stop_reason="end",
                parts=(Text(text=f"{request.model} of {self.origin.provider}"),),
            )

        yield events()


def speaker(name: str, *, fails: bool = False) -> Speaker:
    model = Told(name, fails=fails)
    return Speaker(name=name, model=model, tuning=Tuning(), cost=lambda usage: None)


async def connect(name: str) -> Speaker:
    return speaker(name)


def request(one: Speaker) -> Request:
    return one.request(("Be brief.",), (), (), choice="none", cache_key="")


def unpaid(one: Speaker, finished: Finished) -> None:
    del one, finished


@pytest.mark.proves("A11")
async def test_others_have_their_turn_while_a_long_reply_comes_in_one_go() -> None:
    lineup = Lineup(speaker("a"), clock=ManualClock(), others=(), connect=connect)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await checkpoint()

    async with create_task_group() as tasks:
        tasks.start_soon(count)
        finished = await asked(lineup, request, paid=unpaid)
        assert finished.parts == (Text(text="m of a"),)
        tasks.cancel_scope.cancel()
    assert turns >= PIECES // 64


@pytest.mark.proves("A11")
async def test_the_next_model_gives_the_reply_that_the_first_broke_off() -> None:
    lineup = Lineup(speaker("a", fails=True), clock=ManualClock(), others=("b",), connect=connect)
    paid: list[str] = []
    finished = await asked(lineup, request, paid=lambda one, _: paid.append(one.name))
    assert (finished.parts, paid) == ((Text(text="m of b"),), ["b"])
    alone = Lineup(speaker("a", fails=True), clock=ManualClock(), others=(), connect=connect)
    with pytest.raises(ModelFailed, match="Busy"):
        await asked(alone, request, paid=unpaid)
