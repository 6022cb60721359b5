"""Tells the model of its surroundings: what is new before each of the person's messages, and all anew."""

from collections.abc import Awaitable, Callable

from ouroboros.agent.context.briefing import Briefing, Surroundings, brief
from ouroboros.agent.prompts import Prompts
from ouroboros.core.events import UserMessage
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State


async def no_mentions(message: Message) -> Message | None:
    """What words name is not read."""
    del message


class Teller:
    """Knows the surroundings as they were read last."""

    def __init__(
        self,
        *,
        surroundings: Callable[[], Awaitable[Surroundings]],
        handed: Callable[[], dict[str, str]],
        prompts: Prompts,
        off: tuple[str, ...],
        ids: Ids,
    ) -> None:
        """``surroundings`` reads the facts, ``handed`` gives what goes on that the state does not know."""
        self._surroundings, self._handed = surroundings, handed
        self._prompts, self._off, self._ids = prompts, off, ids
        self._around: Surroundings | None = None

    async def news(self, state: State, but: tuple[str, ...] = ()) -> UserMessage | None:
        """What is new since it was told, without the blocks of these names; None when nothing is."""
        earlier, self._around = self._around, await self._surroundings()
        off = (*self._off, *but)
        briefing = brief(
            self._around, state, self._prompts, off, earlier=earlier, handed=self._handed
        )
        return (
            UserMessage(message=self._context(briefing), told=briefing.told) if briefing else None
        )

    def anew(self, state: State) -> tuple[Message, dict[str, str]] | None:
        """What a model that goes on right after a compaction must be told anew."""
        if self._around is None:
            return None
        briefing = brief(
            self._around, state, self._prompts, self._off, anew=True, handed=self._handed
        )
        return (self._context(briefing), briefing.told) if briefing else None

    def _context(self, briefing: Briefing) -> Message:
        parts = (Text(text=briefing.text),)
        return Message(id=self._ids.new("msg"), role="user", kind="context", parts=parts)
