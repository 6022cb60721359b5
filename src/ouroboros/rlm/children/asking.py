"""One plain question to a model of a lineup, with the next one in its place when it fails."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.errors import ModelFailed
from ouroboros.core.parts import Message, Text
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished


async def asked(
    lineup: Lineup,
    *,
    system: str,
    text: str,
    paid: Callable[[Speaker, Finished], None],
    held: Callable[[Speaker], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> Finished:
    """The whole reply; ``paid`` hears of it and who gave it, within what ``held`` keeps for it.

    Raises:
        ModelFailed: No model of the lineup could answer.
    """
    failed: ModelFailed | None = None
    while True:
        await lineup.choose(failed)
        speaker = lineup.speaker
        try:
            with held(speaker):
                finished = await _once(speaker, system, text)
                paid(speaker, finished)
        except ModelFailed as broken:
            if not lineup.may_replace(broken):
                raise
            failed = broken
            continue
        lineup.answered()
        return finished


async def _once(speaker: Speaker, system: str, text: str) -> Finished:
    tuning = speaker.tuning
    request = Request(
        model=speaker.model.origin.model,
        system=(system,),
        messages=(Message(id="question", role="user", parts=(Text(text=text),)),),
        max_output_tokens=tuning.max_output_tokens,
        temperature=tuning.temperature,
        effort=tuning.effort,
        service_tier=tuning.service_tier,
        window=tuning.known_window,
    )
    async with speaker.model.stream(request) as stream:
        async for event in stream:
            if isinstance(event, Finished):
                return event
    raise RuntimeError("a model's stream ended without an ending")


def words(finished: Finished) -> str:
    """What was said."""
    return "".join(part.text for part in finished.parts if isinstance(part, Text)).strip()
