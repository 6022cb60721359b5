"""The one interface every tool has, and what it hands back."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.commands import Scope
from ouroboros.core.events import Event, PermissionsGranted
from ouroboros.core.parts import Media, Text
from ouroboros.safety.policy.presets import WITHIN, Escalation
from ouroboros.safety.sandbox import Sandbox, Unconfined


class Progress(Struct, frozen=True, kw_only=True):
    """A piece of output of a running tool."""

    text: str
    stream: str = "stdout"


class Result(Struct, frozen=True, kw_only=True):
    """How a call ended; the orchestrator bounds what of it the model sees.

    Attributes:
        parts: What the model reads, not yet cut.
        ok: False when the model should read it as a failure.
        detail: What a face may show besides, such as a unified diff.
        final: The run ends with this result (the ``done`` tool).
        value: JSON for the code that made the call; never shown to a model and never on record.
        stopped: What a cage likely stopped, as the command said it; empty when none did.
        answer: The whole final value where the parts show only what kind of thing it is.
        origin: Where its text came from that nobody vouches for; None leaves that to the kind of
            effect, and an empty one says that it is our own.
        most: Bytes of text that the call wanted to be shown; None for as many as there may be.
        denied: A rule, or somebody, said no; the orchestrator says so.
    """

    parts: tuple[Text | Media, ...] = ()
    ok: bool = True
    detail: str = ""
    final: bool = False
    value: bytes | None = None
    answer: str | None = None
    stopped: str = ""
    origin: str | None = None
    most: int | None = None
    denied: bool = False

    @classmethod
    def of(cls, text: str, *, ok: bool = True, detail: str = "", stopped: str = "") -> "Result":
        """A result of one text."""
        return cls(parts=(Text(text=text),), ok=ok, detail=detail, stopped=stopped)


class Effect(Struct, frozen=True, kw_only=True):
    """What a call would do, in the words the rules understand.

    Attributes:
        kind: ``read`` and ``write`` name paths, ``execute`` names a command, ``look`` reads a page
            and ``act`` works in one, ``risk`` is an act that the person wants to know of (submit,
            pay, upload, download), ``run`` starts a program of the tool's own, ``origin`` opens a place that page data could be carried to,
            ``fetch`` asks a server for something, ``remember`` keeps something for later sessions,
            ``grant`` asks to be allowed more,
            ``none`` touches nothing outside the session.
        paths: Absolute, with symbolic links resolved.
        command: The exact shell text; with the ``folder`` it runs in, if that is another one, and the
            ``shell`` that reads it.
        url: Where the page is, or where it would go.
        protocol: How a policy file calls the way it is spoken to; empty for that of ``url``.
        risk: What is risky of a ``risk``: ``submit``, ``payment``, ``upload``, ``download``,
            ``cross-site-post``.
        escalation: What the model asks for a command beyond the sandbox.
        more: What its cage lets through besides, once somebody has said yes.
        action: One readable line for the person, such as ``Write src/app.py``.
        about: More lines, where the arguments of the call say little to a person.
    """

    kind: str
    action: str
    about: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    command: str = ""
    folder: Path | None = None
    shell: str = "bash"
    url: str = ""
    protocol: str = ""
    risk: str = ""
    escalation: Escalation = WITHIN
    more: PermissionsGranted | None = None


async def _admits(effect: Effect) -> None:
    del effect


def _hides_nothing(path: Path) -> bool:
    del path
    return False


class ToolContext(Struct, frozen=True, kw_only=True):
    """What a tool may use of the world; built by the orchestrator for each call.

    ``publish`` puts a session event on record (``update_plan`` uses it); ``sandbox`` is the cage
    of this attempt; ``hides`` says of a resolved path that a rule denies reading it, for tools that
    look into many files; ``command`` is what to run in the place of the command that was written, if
    it is not empty; ``admitted`` are the real paths that were let through; ``admit``
    puts an effect that came to light only now before hooks, rules and the person, and raises
    ``Denied``; ``scope`` is for how long a person who was asked said yes.
    """

    call_id: str
    cwd: Path
    clock: Clock
    environment: dict[str, str]
    publish: Callable[[Event], None]
    sandbox: Sandbox = Unconfined()
    hides: Callable[[Path], bool] = _hides_nothing
    admit: Callable[[Effect], Awaitable[None]] = _admits
    command: str = ""
    admitted: tuple[Path, ...] = ()
    scope: Scope = "once"


class Tool[Arguments: Struct](Protocol):
    """Something the agent can do.

    Contract: ``run`` yields any number of ``Progress`` and then exactly one ``Result``. It may be
    cancelled at any await and must then leave no process behind. It raises ``ToolFailed`` for what
    the model should read, and nothing else on purpose. It must not yield inside a task group or a
    cancel scope. A tool with one text argument may say in ``freeform`` how that text is built, for
    models that can write it without JSON.
    """

    name: str
    description: str
    arguments: type[Arguments]
    parallel_safe: bool

    def effect(self, arguments: Arguments, cwd: Path) -> Effect:
        """What the call would do, without doing it."""
        ...

    def run(self, arguments: Arguments, context: ToolContext) -> AsyncIterator[Progress | Result]:
        """Does it."""
        ...
