"""Blocks of model-written code and what came out of them."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class IterationStarted(Event, frozen=True, kw_only=True):
    """A pass of the REPL mind begins."""

    type: ClassVar[str] = "iteration.started"
    iteration: int


class CodeGenerated(Event, frozen=True, kw_only=True):
    """The model wrote a block."""

    type: ClassVar[str] = "code.generated"
    source: ClassVar[Literal["user", "agent", "system"]] = "agent"
    block: int
    code: str


class CodeResulted(Event, frozen=True, kw_only=True):
    """A block ran: type, size, schema and preview of its value as JSON text."""

    type: ClassVar[str] = "code.result"
    block: int
    ok: bool
    metadata: str
    seconds: float = 0.0


class EnvironmentUpdated(Event, frozen=True, kw_only=True):
    """Variables of the REPL changed."""

    type: ClassVar[str] = "env.updated"
    names: tuple[str, ...]


class Logged(Event, frozen=True, kw_only=True):
    """A line for the person, without a place in the history."""

    type: ClassVar[str] = "log"
    level: Literal["debug", "info", "warning", "error"] = "info"
    text: str
