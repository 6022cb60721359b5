"""One plain question to a model of a lineup, with the next one in its place when it fails."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ouroboros.agent.speaking import asking
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
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
    question = Message(id="question", role="user", parts=(Text(text=text),))

    def request(speaker: Speaker) -> Request:
        return speaker.request((system,), (question,), (), choice="none", cache_key="")

    return await asking.asked(lineup, request, paid=paid, held=held)


def words(finished: Finished) -> str:
    """What was said."""
    return "".join(part.text for part in finished.parts if isinstance(part, Text)).strip()
