"""Which model of a session is asked, how it is tuned, and when the first one comes back."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ouroboros.agent.mind import ToolMind
from ouroboros.agent.speaking.lineup import Lineup, nearest
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.commands import Effort
from ouroboros.core.errors import Failure, FailureKind, KeyMissing, ModelFailed
from ouroboros.core.events import ModelSwitched
from ouroboros.core.parts import Message, Origin, Text
from ouroboros.core.state import State
from ouroboros.llm.request import Request
from ouroboros.llm.stream import StreamEvent
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.ids import SequentialIds
from tests.cases import every


class Nobody:
    """A model that is never asked here."""

    def __init__(self, name: str) -> None:
        provider, _, model = name.partition("/")
        self.origin = Origin(provider=provider, protocol="openai-chat", model=model)

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        raise AssertionError(request.model)
        yield


def speaker(name: str, **tuning: str) -> Speaker:
    return Speaker(
        name=name,
        model=Nobody(name),
        tuning=Tuning(effort="low", service_tier=tuning.get("service_tier")),
        cost=lambda usage: None,
    )


class Opened:
    """Opens speakers, counting; those called ``broken`` cannot be."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def __call__(self, name: str) -> Speaker:
        self.names.append(name)
        if "broken" in name:
            raise KeyMissing(f"{name} has no key", hint="set one")
        return speaker(name)


def lineup(*others: str) -> tuple[Lineup, ManualClock, Opened]:
    clock, opened = ManualClock(), Opened()
    return Lineup(speaker("a/1"), clock=clock, others=others, connect=opened), clock, opened


def failed(kind: FailureKind = "overloaded") -> ModelFailed:
    return ModelFailed(Failure(kind=kind, message=f"It is {kind}."), hint="do this")


@pytest.mark.proves("H23")
async def test_the_first_is_asked_until_it_fails_and_after_its_rest() -> None:
    models, clock, opened = lineup("b/1")
    assert await models.choose(None) is None
    assert opened.names == []
    there = await models.choose(failed())
    assert there == ModelSwitched(
        old="a/1", new="b/1", kind="overloaded", reason="It is overloaded."
    )
    clock.advance(59)
    assert await models.choose(None) is None
    clock.advance(1)
    assert await models.choose(None) == ModelSwitched(old="b/1", new="a/1")
    await models.choose(failed())
    assert opened.names == ["b/1"]


async def test_an_answer_makes_the_next_rest_a_short_one() -> None:
    models, clock, _ = lineup("b/1")
    mind = ToolMind(
        lineup=models,
        prompts={},
        system=(),
        tools=lambda: (),
        ids=SequentialIds(),
        context=lambda state: None,
    )
    await models.choose(failed())
    clock.advance(60)
    await models.choose(None)
    state = State(history=[Message(id="m", role="assistant", parts=(Text(text="Hi"),))])
    mind.verdict(state)
    await models.choose(failed())
    clock.advance(60)
    assert await models.choose(None) == ModelSwitched(old="b/1", new="a/1")


async def test_who_failed_at_an_earlier_request_is_asked_at_this_one() -> None:
    models, clock, _ = lineup("b/1", "c/1")
    await models.choose(failed())
    await models.choose(failed())
    assert models.speaker.name == "c/1"
    clock.advance(60)
    await models.choose(None)
    assert models.speaker.name == "a/1"
    await models.choose(failed())
    assert models.speaker.name == "b/1"


async def test_one_that_cannot_be_opened_is_passed_over() -> None:
    models, _, opened = lineup("b/broken", "c/1")
    switched = await models.choose(failed("server"))
    assert switched is not None
    assert (switched.new, switched.kind) == ("c/1", "server")
    await models.choose(None)
    assert opened.names == ["b/broken", "c/1"]


async def test_when_none_is_left_the_failure_names_all() -> None:
    models, clock, _ = lineup("b/broken")
    with pytest.raises(
        ModelFailed, match="a/1: It is server; b/broken: b/broken has no key"
    ) as all_:
        await models.choose(failed("server"))
    assert all_.value.failure.kind == "server"
    assert models.speaker.name == "a/1"
    clock.advance(1)
    assert await models.choose(None) is None


async def test_one_model_alone_is_never_replaced() -> None:
    models, _, _ = lineup()
    assert not models.may_replace(failed())


@pytest.mark.proves("H26")
async def test_a_service_tier_is_a_word_of_one_vendor_and_effort_of_all() -> None:
    models, _, _ = lineup("a/2", "b/1")
    models.tune(effort="high", service_tier="priority")
    assert (models.speaker.tuning.effort, models.speaker.tuning.service_tier) == (
        "high",
        "priority",
    )
    await models.choose(failed())
    assert (models.speaker.name, models.speaker.tuning.service_tier) == ("a/2", "priority")
    await models.choose(failed())
    tuning = models.speaker.tuning
    assert (models.speaker.name, tuning.effort, tuning.service_tier) == ("b/1", "high", None)


async def test_without_a_wish_each_model_is_asked_as_its_settings_say() -> None:
    models, _, _ = lineup("b/1")
    models.lead(speaker("a/1", service_tier="flex"))
    assert models.speaker.tuning.service_tier == "flex"
    models.tune(effort=None, service_tier="")
    assert (models.speaker.tuning.effort, models.speaker.tuning.service_tier) == ("low", None)


@pytest.mark.proves("H26")
@every(
    ("wanted", "known", "asked"),
    [
        ("xhigh", None, "xhigh"),
        ("xhigh", ("low", "high"), "high"),
        ("high", ("low", "high"), "high"),
        ("none", ("low", "high"), "low"),
        ("medium", ("low", "high"), "low"),
        ("high", (), None),
        (None, ("low",), None),
    ],
)
def test_a_model_is_asked_for_a_level_that_it_has(
    wanted: Effort | None, known: tuple[Effort, ...] | None, asked: Effort | None
) -> None:
    assert nearest(wanted, known) == asked


async def test_another_first_one_makes_all_well_again() -> None:
    models, _, _ = lineup("b/1")
    await models.choose(failed("auth"))
    models.lead(speaker("a/1"))
    assert models.speaker.name == "a/1"
    assert await models.choose(None) is None
