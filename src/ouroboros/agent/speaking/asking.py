"""A reply that is wanted as a whole, from the model of a lineup that can give it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from anyio.lowlevel import checkpoint

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.reply import IN_ONE_GO
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.errors import ModelFailed
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished


async def asked(
    lineup: Lineup,
    request: Callable[[Speaker], Request],
    *,
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
                finished = await _read(speaker, request(speaker))
                paid(speaker, finished)
        except ModelFailed as broken:
            if not lineup.may_replace(broken):
                raise
            failed = broken
            continue
        lineup.answered()
        return finished


async def _read(speaker: Speaker, request: Request) -> Finished:
    pieces = 0
    async with speaker.model.stream(request) as stream:
        async for event in stream:
            if isinstance(event, Finished):
                return event
            pieces += 1
            if pieces % IN_ONE_GO == 0:
                await checkpoint()
    raise RuntimeError("a model's stream ended without an ending")
