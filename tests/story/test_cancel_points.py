"""A run that is stopped at any point leaves a session that takes the next prompt at once."""

import random
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Interrupt
from ouroboros.core.events import ModelDelta, TaskCancelled, ToolStarted
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

FORMATS = ("openai-chat", "openai", "anthropic", "google", "bedrock", "bedrock-invoke", "ollama")
AWS = {"AWS_BEARER_TOKEN_BEDROCK": "token", "AWS_REGION": "eu-central-1"}
WORDS = (
    "I look at it now, one by one, and then again from its begin, as long as it takes to be sure "
    "of each and every one of all of them."
)
"""What is said arrives letter by letter and is shown word by word."""
PLACES = len(WORDS.split()) - 1

SLEEPS = call("shell", command="sleep 0.03; echo slept")
TURNS = [
    Turn(when="go now", text=WORDS, chunk=1, pace_seconds=0.001, tool_calls=(SLEEPS,)),
    Turn(when="slept", text=WORDS, chunk=1, pace_seconds=0.001),
    Turn(when="what next", text="Here."),
]


async def stopped(s: Stage, place: int) -> float:
    """Seconds from a stop, after so many deltas or (-1) within a call, to the next request."""
    clock = SystemClock()
    seen, started = len(s.events(ModelDelta)), len(s.events(ToolStarted))
    ends, at = len(s.events(TaskCancelled)), 0.0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(s.run, "go now")
        if place < 0:
            await s.until(ToolStarted, started + 1)
        else:
            await s.until(ModelDelta, seen + place)
        at = clock.monotonic()
        await s.session.send(Interrupt())
    assert len(s.events(TaskCancelled)) == ends + 1
    before = len(s.server.exchanges)
    assert (await s.run("what next")).final == "Here."
    assert len(s.server.exchanges) == before + 1
    return s.server.exchanges[-1].arrived_at - at


def on_stage(tmp_path: Path, format: str) -> Any:
    return stage(tmp_path, TURNS, format=format, environment=AWS)


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", ["openai-chat", pytest.param("bedrock", marks=pytest.mark.deep)])
async def test_a_stopped_run_takes_the_next_prompt(tmp_path: Path, format: str) -> None:
    async with on_stage(tmp_path, format) as s:
        for place in [1, -1, *random.Random(format).sample(range(2, PLACES), 3)]:
            await stopped(s, place)


@pytest.mark.proves("providers-faults")
@pytest.mark.soak
@pytest.mark.parametrize("format", FORMATS)
async def test_stopped_at_100_places_the_next_prompt_is_taken_within_half_a_second(
    tmp_path: Path, format: str
) -> None:
    chance = random.Random(f"100 {format}")
    places = [-1 if chance.random() < 0.2 else chance.randrange(1, PLACES) for _ in range(100)]
    async with on_stage(tmp_path, format) as s:
        late = [place for place in places if await stopped(s, place) > 0.5]
        assert len(late) <= 5
        for place in late:
            assert await stopped(s, place) <= 0.5
