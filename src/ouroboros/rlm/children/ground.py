"""What a run and all the children below it share: one budget, one record, one crowd of models."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Protocol

import anyio
from msgspec import Struct, field

from ouroboros.agent.journal import Journal
from ouroboros.agent.running.caps import watch
from ouroboros.agent.running.hooked import Childless, Children
from ouroboros.agent.running.overlap import Hands
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.core.clock import Clock
from ouroboros.core.events import Event
from ouroboros.core.ids import Ids
from ouroboros.core.limits import Caps
from ouroboros.core.parts import Message
from ouroboros.core.state import State
from ouroboros.repl.seeds import Seeds
from ouroboros.rlm.mind import Window
from ouroboros.tools.registry import AnyTool


class Bounds(Struct, frozen=True, kw_only=True):
    """How far children may go.

    Attributes:
        calls: Of a whole run, its children's counted with them.
        iterations: Of one child.
        depth: Children may have children down to this depth.
        at_once: Children of one depth that run at the same time.
        leaf_tokens: Larger data starts a run of its own.
        history_tokens: Code and metadata of earlier iterations in one request of a child.
    """

    calls: int
    iterations: int
    depth: int
    at_once: int
    leaf_tokens: int
    history_tokens: int


async def no_news() -> tuple[Message, ...]:
    """Nobody has anything to tell."""
    return ()


class Room(Struct, frozen=True, kw_only=True):
    """A child's REPL, open: its hands, its system prompt, and its view of the browser.

    ``news`` is what it is to be told before it is asked next.
    """

    hands: Hands
    system: str
    prepare: Callable[[], Awaitable[str]]
    window: Window | None = None
    news: Callable[[], Awaitable[tuple[Message, ...]]] = no_news


class Kin(Struct, frozen=True, kw_only=True):
    """Those below a child: what it asks them with, and which of them ended because its block did."""

    tools: tuple[AnyTool, ...] = ()
    left: Callable[[], tuple[str, ...]] = tuple


class Birth(Struct, frozen=True, kw_only=True):
    """What a child's REPL is opened with."""

    child: str
    state: State
    journal: Journal
    seeds: Seeds
    below: Kin

    @property
    def can_ask(self) -> bool:
        """It may have children."""
        return bool(self.below.tools)


class Nursery(Protocol):
    """Opens REPLs for children; what a child opened in the browser is closed with its REPL."""

    def has_browser(self) -> bool: ...
    def open(self, birth: Birth) -> AbstractAsyncContextManager[Room]: ...


class Spent(Exception):
    """A request would take more than is left; the words say so."""


class Allowance:
    """The caps of the latest run, its children's use counted with it while they run."""

    def __init__(self, caps: Caps, state: State, clock: Clock) -> None:
        """Counts from here on until ``begin`` is called."""
        self._caps, self._state, self._clock = caps, state, clock
        self._held_tokens, self._held_cost = 0, 0.0
        self.begin()

    def begin(self) -> None:
        """Counts from here on."""
        self._reached = watch(self._caps, self._state, self._clock)
        self._tokens, self._cost = self._state.spent.tokens, self._state.spent.known_cost

    def reached(self) -> str | None:
        """The first cap that is reached."""
        return self._reached(self._state)

    async def limit(self, state: State) -> str | None:
        """The same, for the run of a child."""
        del state
        return self.reached()

    @contextmanager
    def held(self, tokens: int, cost: float) -> Generator[None]:
        """Keeps what the question of a request will take, so that those beside it cannot have it.

        Raises:
            Spent: So much is not left.
        """
        used = self._state.spent.tokens - self._tokens + self._held_tokens
        paid = self._state.spent.known_cost - self._cost + self._held_cost
        if self._caps.max_tokens is not None and used + tokens > self._caps.max_tokens:
            left = max(0, self._caps.max_tokens - used)
            raise Spent(
                f"{left:,} tokens of the run's limit are left, and this takes some {tokens:,}"
            )
        if self._caps.max_cost is not None and paid + cost > self._caps.max_cost:
            left = max(0.0, self._caps.max_cost - paid)
            raise Spent(f"${left:.4f} of the run's limit are left, and this costs some ${cost:.4f}")
        self._held_tokens += tokens
        self._held_cost += cost
        try:
            yield
        finally:
            self._held_tokens -= tokens
            self._held_cost -= cost


class Ground(Struct, frozen=True, kw_only=True):
    """Handed down to every child.

    Attributes:
        state: Of the run at the top; its record is that of all.
        lineup: A new lineup of the models that children ask.
        marks: Something nobody can guess, anew each time.
        leaf: The prompt of a plain read.
        redact: An event's JSON, or a leaf's text, without secrets; None when it holds none.
        hooks: Hear of each child, and may refuse it or send it back.
        working: What stops each child that is at work.
        attended: Somebody is there who can approve something.
    """

    state: State
    record: Callable[[Event], None]
    settle: Callable[[], Awaitable[None]]
    lineup: Callable[[], Awaitable[Lineup]]
    nursery: Nursery
    bounds: Bounds
    allowance: Allowance
    places: tuple[anyio.Semaphore, ...]
    ids: Ids
    clock: Clock
    marks: Callable[[], str]
    leaf: str
    redact: Callable[[bytes], bytes | None] | None = None
    hooks: Children = Childless()
    working: dict[str, anyio.CancelScope] = field(default_factory=dict[str, anyio.CancelScope])
    attended: bool = True


def places(bounds: Bounds) -> tuple[anyio.Semaphore, ...]:
    """One for each depth: a child that waits for its own children must not keep them waiting."""
    return tuple(anyio.Semaphore(bounds.at_once) for _ in range(max(1, bounds.depth)))
