"""A session with many screenshots sends the newest ones, and seldom changes how a request begins."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from ouroboros.core.commands import Submit
from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.code import Logged
from ouroboros.core.parts import Media
from ouroboros.llm.turns import Turn
from ouroboros.testing.prefix import breaches
from tests.story.stage import Stage, stage

SHOTS = 30


def shot(number: int) -> Media:
    return Media(media_type="image/png", data=f"c2hvdA{number:02}")


async def show(s: Stage, count: int = SHOTS) -> list[str]:
    for number in range(count):
        await s.session.send(Submit(text=f"Look at {number}.", media=(shot(number),)))
    return [exchange.body for exchange in s.server.exchanges if exchange.method == "POST"]


def seen(body: str) -> list[int]:
    return [number for number in range(SHOTS) if f"c2hvdA{number:02}" in body]


@pytest.mark.deep
@pytest.mark.proves("J12")
async def test_thirty_screenshots_break_the_prefix_twice(tmp_path: Path) -> None:
    answers = [Turn(text=f"Seen {number}.") for number in range(SHOTS)]
    async with stage(tmp_path, answers, format="anthropic", check=False) as s:
        bodies = await show(s)
        assert s.events(ContextCompacted) == []
    broken = breaches([body.encode() for body in bodies], summary="\0", question="\0")
    assert [breach.partition(":")[0] for breach in broken] == ["request 17", "request 25"]
    for number, body in enumerate(bodies):
        kept = seen(body)
        assert kept == list(range(number + 1))[-len(kept) :]
        assert len(kept) <= 16
    assert [len(seen(body)) for body in bodies[14:18]] == [15, 16, 9, 10]
    assert "(The older image is left out here.)" in bodies[-1]


@pytest.mark.proves("J12")
async def test_a_resumed_session_leaves_out_the_same_images(tmp_path: Path) -> None:
    answers = [Turn(text="Seen.")] * 6
    wanted: dict[str, Any] = {"context": {"image_tokens": 8_000}, "check": False}
    async with stage(tmp_path, answers, **wanted) as s:
        bodies = await show(s, 6)
        name = s.session.id
    assert seen(bodies[-1]) == [2, 3, 4, 5]
    async with stage(tmp_path, [Turn(text="Still there.")], resume=name, **wanted) as s:
        await s.run("What did you see?")
        resumed, last = (
            msgspec.json.decode(body)["messages"]
            for body in (s.server.exchanges[0].body, bodies[-1])
        )
    assert seen(str(resumed)) == [2, 3, 4, 5]
    assert resumed[: len(last)] == last


@pytest.mark.proves("J12")
async def test_a_model_that_takes_none_is_sent_a_word_in_their_place(tmp_path: Path) -> None:
    models = {"openai-chat/scripted": {"images": False}}
    async with stage(tmp_path, [Turn(text="I see nothing.")], models=models) as s:
        (body,) = await show(s, 1)
        assert seen(body) == []
        assert "(The image is left out: you are a model that is sent none.)" in body
        (told,) = [line.text for line in s.events(Logged) if line.level == "warning"]
        assert told == "openai-chat/scripted takes no pictures, so those are left out"
