"""Blocks of model-written code and what came out of them."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event, Source


class IterationStarted(Event, frozen=True, kw_only=True):
    """A pass of the REPL mind begins.

    Here and below ``child`` names the child run that it belongs to; empty for the run itself.
    """

    type: ClassVar[str] = "iteration.started"
    iteration: int
    task: str = ""
    child: str = ""


class CodeGenerated(Event, frozen=True, kw_only=True):
    """The model wrote a block."""

    type: ClassVar[str] = "code.generated"
    source: ClassVar[Source] = "agent"
    block: int
    code: str
    iteration: int = 0
    child: str = ""


class CodeResulted(Event, frozen=True, kw_only=True):
    """A block ran: type, size, schema and preview of its value as JSON text."""

    type: ClassVar[str] = "code.result"
    block: int
    ok: bool
    metadata: str
    seconds: float = 0.0
    iteration: int = 0
    child: str = ""


class EnvironmentUpdated(Event, frozen=True, kw_only=True):
    """Variables of the REPL changed; ``metadata`` is what kind of thing each is, one line each."""

    type: ClassVar[str] = "env.updated"
    names: tuple[str, ...]
    metadata: str = ""
    child: str = ""


class VariablesKept(Event, frozen=True, kw_only=True):
    """The REPL's variables are on the disk, so that they come back with this place of the conversation.

    Attributes:
        name: Of what was kept; empty when they changed and, being large, are kept later.
        names: What the variables are called.
    """

    type: ClassVar[str] = "env.kept"
    name: str
    names: tuple[str, ...] = ()


class Logged(Event, frozen=True, kw_only=True):
    """A line for the person, without a place in the history."""

    type: ClassVar[str] = "log"
    level: Literal["debug", "info", "warning", "error"] = "info"
    text: str
