"""Questions to whoever may say yes."""

from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.commands import Scope
from ouroboros.core.events import PermissionRequested

type Decider = Literal["person", "nobody", "hook", "guardian", "cancelled"]
type Reviewer = Literal["person", "guardian"]


class Answer(Struct, frozen=True, kw_only=True):
    """A yes or a no.

    Attributes:
        message: What the model reads after a no.
        rules: What is remembered in the place of what the question offered.
        input: What is to be done in the place of what was asked; empty for exactly that.
    """

    allowed: bool
    decider: Decider = "person"
    scope: Scope = "once"
    message: str = ""
    rules: tuple[str, ...] = ()
    input: str = ""


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


class Kept(Struct, frozen=True, kw_only=True):
    """Where a remembered yes was written, or why it was not."""

    place: str = ""
    problem: str = ""


class Keeper(Protocol):
    """Writes a yes down for later sessions.

    Contract: bounds its own time and never raises for what fails.
    """

    async def scopes(self) -> tuple[Scope, ...]:
        """Where rules may be written now: some of ``local``, ``project`` and ``user``."""
        ...

    async def keep(self, scope: Scope, rules: tuple[str, ...], amendment: tuple[str, ...]) -> Kept:
        """Adds rules to the settings file of a scope, or the ``amendment`` to the policy file."""
        ...


class NoKeeper:
    """Nothing is remembered beyond the session."""

    async def scopes(self) -> tuple[Scope, ...]:
        """Nowhere."""
        return ()

    async def keep(self, scope: Scope, rules: tuple[str, ...], amendment: tuple[str, ...]) -> Kept:
        """No place."""
        del rules, amendment
        return Kept(problem=f"this session has no place to remember a rule for {scope}")


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
