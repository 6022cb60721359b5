"""Questions to whoever may say yes."""

from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.commands import Scope
from ouroboros.core.events import PermissionRequested

type Decider = Literal["person", "nobody", "hook", "guardian", "cancelled"]
type Reviewer = Literal["person", "guardian"]


class Answer(Struct, frozen=True, kw_only=True):
    """A yes or a no; ``message`` is what the model reads after a no."""

    allowed: bool
    decider: Decider = "person"
    scope: Scope = "once"
    message: str = ""


class Asker(Protocol):
    """Brings one question to one decider.

    Contract: the question is already on record and the answer is recorded by the caller. It may
    wait for ever, may be cancelled at any moment, and never raises otherwise.
    """

    @property
    def reviewer(self) -> Reviewer:
        """Who would be asked now."""
        ...

    async def ask(self, question: PermissionRequested) -> Answer:
        """The answer to a question."""
        ...


class Nobody:
    """There is no person: every question is a no."""

    reviewer: Reviewer = "person"

    async def ask(self, question: PermissionRequested) -> Answer:
        """No, and why."""
        return Answer(
            allowed=False,
            decider="nobody",
            message=f"nobody is there to approve: {question.action}",
        )
