"""The person's words on their way to the model: let through, in order, with what they name and what is new."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from ouroboros.agent.context.teller import Teller
from ouroboros.agent.roles import Journal
from ouroboros.agent.running.hooked import Heard, Hooks
from ouroboros.core.errors import Misuse
from ouroboros.core.events import UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State


class Hearing:
    """Takes words in for one session, before a run and during it."""

    def __init__(
        self,
        state: State,
        journal: Journal,
        *,
        teller: Teller,
        hooks: Hooks,
        mentions: Callable[[Message], Awaitable[Message | None]],
    ) -> None:
        """``hooks`` may refuse words; ``mentions`` reads what they name."""
        self._state, self._journal, self._teller = state, journal, teller
        self._hooks, self._mentions = hooks, mentions
        self._early: list[Message] | None = None
        self._attached: set[str] = set()
        self._typed: dict[str, int] = {}
        self._is_refused = False

    def limit_names(self, message: Message, typed: int) -> None:
        """Looks for names in so many characters only: what follows was handed in."""
        self._typed[message.id] = typed

    def was_refused(self) -> bool:
        """Whether the words that a run was to begin with were refused; says so once."""
        was, self._is_refused = self._is_refused, False
        return was

    async def begin(self, message: Message) -> None:
        """Takes in the words that a run begins with; those that come meanwhile are heard after them."""
        self._early = []
        heard, is_vetted = Heard(message=message), True
        try:
            await self.tell()
            is_vetted = False  # what no hook has let through is not kept for later
            heard, is_vetted = await self._hooks.prompted(message), True
        finally:  # a stop that comes this early does not lose the words
            later, self._early = self._early, None
            if is_vetted and not heard.refused:
                self._journal.record(UserMessage(message=heard.message))
            for more in later:
                self._steer(more)
        for more in heard.more:
            self._journal.record(UserMessage(message=more))
        self._is_refused = bool(heard.refused and not later)
        if not heard.refused:
            await self._attach(heard.message, steered=False)

    async def hear(self, message: Message) -> None:
        """Takes words in during a run, unless a hook refuses them."""
        heard = await self._hooks.prompted(message)
        for words in heard.more if heard.refused else (heard.message, *heard.more):
            self._steer(words)

    async def tell(self, but: tuple[str, ...] = ()) -> None:
        """Tells the model what is new around it, without the blocks of these names."""
        news = await self._teller.news(self._state, but)
        if news:
            self._journal.record(news)
        await self._tell_of_hooks()

    async def before_turn(self) -> None:
        """What was said during the turn before gets what it names."""
        if _is_mode_untold(self._state):
            await self.tell()
        for message in tuple(self._state.queued):
            if message.kind == "plain" and message.id not in self._attached:
                await self._attach(message, steered=True)
        await self._tell_of_hooks()

    async def _tell_of_hooks(self) -> None:
        for more in await self._hooks.news():
            self._journal.record(UserMessage(message=more))

    async def _attach(self, message: Message, *, steered: bool) -> None:
        """Puts what the person's words mention after them."""
        self._attached.add(message.id)
        typed = self._typed.pop(message.id, None)
        own = Text(text=message.text[:typed])
        named = message if typed is None else replace(message, parts=(own,))
        found = await self._mentions(named)
        if found is not None:
            self._journal.record(UserMessage(message=found, steered=steered))

    def _steer(self, message: Message) -> None:
        if self._early is not None:  # the words that begin the run go first
            self._early.append(message)
        else:
            self._journal.record(UserMessage(message=message, steered=True))


def said(text: str) -> str:
    """The text; raises ``Misuse`` where it says nothing."""
    if not text.strip():
        raise Misuse("there is nothing to say", hint="write some words")
    return text


def _is_mode_untold(state: State) -> bool:
    """The mode is another one than the model was told, as after a change in mid-run."""
    return state.told.get("permissions", state.mode) != state.mode
