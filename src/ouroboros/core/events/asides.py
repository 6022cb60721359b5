"""What a person and a model arrange beside the turns: plans to be accepted, words for later."""

from typing import ClassVar

from ouroboros.core.commands import Mode
from ouroboros.core.events.envelope import Event, Source


class PlanProposed(Event, frozen=True, kw_only=True):
    """In plan mode the model put a plan before the person; the one before it counts no more."""

    type: ClassVar[str] = "plan.proposed"
    source: ClassVar[Source] = "agent"
    text: str


class PlanAnswered(Event, frozen=True, kw_only=True):
    """The person accepted a plan, to be carried out in a mode, or refused it.

    ``text`` is the plan where they changed it, or why they refused it.
    """

    type: ClassVar[str] = "plan.answered"
    source: ClassVar[Source] = "user"
    accepted: bool
    mode: Mode | None = None
    text: str = ""


class WordsQueued(Event, frozen=True, kw_only=True):
    """Words are to be said once the run has ended; the person's message of this id begins with them.

    A later event with the same id replaces them.
    """

    type: ClassVar[str] = "queue.put"
    source: ClassVar[Source] = "user"
    id: str
    text: str


class WordsDropped(Event, frozen=True, kw_only=True):
    """Such words will not be said."""

    type: ClassVar[str] = "queue.dropped"
    source: ClassVar[Source] = "user"
    id: str
