"""The models of a session: whose window, effort and service tier each of them gets."""

from typing import Any

import msgspec
from anyio import to_thread

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Tuning
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.limits import CONTEXT_WINDOW

KEYS = {"HOME": "/nowhere", "OPENAI_API_KEY": "sk-0", "ANTHROPIC_API_KEY": "sk-1"}


async def tunings(*names: str, **settings: Any) -> list[Tuning]:
    """How each model is asked, when the one before it has failed."""
    first, *others = names
    chosen = msgspec.convert({"model": first, "fallback": others, **settings}, Settings)
    speakers = await to_thread.run_sync(Speakers, chosen, KEYS, SystemClock())
    try:
        lineup = Lineup(await speakers.leader(), clock=SystemClock(), connect=speakers.another)
        found = [lineup.speaker.tuning]
        for name in speakers.others:
            one = await speakers.another(name)
            found.append(Lineup(one, clock=SystemClock(), connect=speakers.another).speaker.tuning)
        return found
    finally:
        await speakers.close()


async def test_a_model_that_does_not_reason_is_not_asked_to() -> None:
    first, second = await tunings("openai/gpt-5", "openai/gpt-4o", effort="high")
    assert (first.effort, second.effort) == ("high", None)


async def test_the_first_model_is_asked_for_what_the_person_said() -> None:
    [first] = await tunings("openai/gpt-4o", effort="high")
    assert first.effort == "high"


async def test_a_tier_that_would_not_be_sent_is_told_of() -> None:
    said: list[list[str]] = []
    for name in ("openai/gpt-5", "ollama/qwen3", "echo"):
        chosen = msgspec.convert({"model": name, "service_tier": "flex"}, Settings)
        said.append((await to_thread.run_sync(Speakers, chosen, KEYS, SystemClock())).warnings)
    warning = "no service tier can be asked of ollama/qwen3, so 'flex' is left out"
    assert said == [[], [warning], []]


async def test_a_window_of_the_person_is_that_of_the_first_model() -> None:
    context = {"window": 5_000}
    first, second = await tunings("openai/gpt-5", "openai/gpt-4o", context=context)
    assert first.window == first.known_window == 5_000
    assert second.window == second.known_window == 128_000


async def test_a_reply_may_be_as_long_as_the_model_makes_it() -> None:
    [known] = await tunings("anthropic/claude-haiku-4-5")
    [told] = await tunings("anthropic/claude-haiku-4-5", max_output_tokens=500)
    assert known.max_output_tokens is not None
    assert known.max_output_tokens > 4_096
    assert told.max_output_tokens == 500


async def test_a_window_that_nobody_knows_is_assumed_and_not_told() -> None:
    [first] = await tunings("openai/some-model-of-tomorrow")
    assert (first.window, first.known_window) == (CONTEXT_WINDOW, None)


async def test_a_service_tier_is_for_the_vendor_of_the_first_model() -> None:
    tuned = await tunings(
        "openai/gpt-5", "openai/gpt-4o", "anthropic/claude-sonnet-4-5", service_tier="flex"
    )
    assert [each.service_tier for each in tuned] == ["flex", "flex", None]


async def test_a_model_is_named_once_and_never_follows_itself() -> None:
    names = ("openai/gpt-5", "openai/gpt-5", "gpt-4o", "openai/gpt-4o")
    chosen = Settings(model=names[0], fallback=names[1:])
    speakers = await to_thread.run_sync(Speakers, chosen, KEYS, SystemClock())
    assert speakers.others == ("openai/gpt-4o",)
