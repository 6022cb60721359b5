"""What the loop needs of those it works with."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.reply import Reply
from ouroboros.agent.speaking.speaker import Tuning
from ouroboros.core.commands import Redo, Restore, Review, TakeBack, Undo
from ouroboros.core.errors import ModelFailed
from ouroboros.core.events import ContextCompacted, Event, ModelSwitched, TaskCompleted
from ouroboros.core.events.turn import Trigger
from ouroboros.core.parts import Message
from ouroboros.core.state import State
from ouroboros.llm.stream import StreamEvent

if TYPE_CHECKING:
    from ouroboros.core.context import Meter
    from ouroboros.core.events.review import ReviewOutput


class Mind(Protocol):
    """Decides what to say next and when the work is done; may be cancelled at any await.

    Raises only ``ModelFailed`` on purpose. A verdict ends the run, nudges, or (None) goes on.
    """

    def reply(self, state: State) -> Reply: ...
    def think(self, state: State) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]: ...
    def is_full(self, state: State) -> bool: ...
    async def compact(self, state: State, trigger: Trigger) -> ContextCompacted: ...
    def verdict(self, state: State) -> TaskCompleted | Message | None: ...


class Partner(Mind, Protocol):
    """A mind that a session can hold a conversation with.

    ``can_compact`` says whether there is anything to summarise, ``would_fill`` whether a model with
    another tuning could not read the history as it is, ``meter`` what fills the context.
    """

    @property
    def lineup(self) -> Lineup: ...
    def can_compact(self, state: State) -> bool: ...
    def would_fill(self, state: State, tuning: Tuning) -> bool: ...
    def meter(self, state: State) -> "Meter": ...
    async def compact(
        self, state: State, trigger: Trigger, focus: str = ""
    ) -> ContextCompacted: ...


class Models(Protocol):
    """Chooses the model that the mind asks: when a turn begins, and when one has failed.

    ``choose`` raises ``ModelFailed`` when none is left.
    """

    def may_replace(self, failed: ModelFailed) -> bool: ...
    async def choose(self, failed: ModelFailed | None) -> ModelSwitched | None: ...


class Past(Protocol):
    """Brings back what files were, and takes turns back; raises ``Misuse`` where it does not fit."""

    async def handle(self, command: Restore | TakeBack | Undo | Redo, *, running: bool) -> None: ...


class Assignment(Protocol):
    """One review that can be made; ``subject`` says of what.

    ``shaped`` gives it by the schema that was asked for, or nothing.
    """

    @property
    def subject(self) -> str: ...
    async def review(self) -> "ReviewOutput": ...
    async def shaped(self, review: "ReviewOutput") -> str: ...


class Reviewer(Protocol):
    """Finds out what is to be reviewed; raises ``Misuse`` where there is nothing."""

    async def prepare(self, wish: Review) -> Assignment: ...


class Journal(Protocol):
    """Puts events on record; ``settle`` returns when all of them are on disk."""

    def record(self, event: Event) -> None: ...
    async def settle(self) -> None: ...
