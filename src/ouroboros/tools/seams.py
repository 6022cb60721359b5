"""What the orchestrator needs from higher rooms, handed in by the wiring."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.commands import Mode
from ouroboros.core.events import Event, PermissionsGranted
from ouroboros.core.parts import ToolCall
from ouroboros.safety.pipeline.calls import Issue
from ouroboros.safety.rules import Around
from ouroboros.safety.sandbox import Sandbox, Unconfined
from ouroboros.tools.tool import Effect, Result


class Journal(Protocol):
    """Where events go on record."""

    def record(self, event: Event) -> None:
        """Takes an event in at once; never waits, never raises for a slow reader."""
        ...

    async def settle(self) -> None:
        """Returns when all that was recorded is durable; raises ``StoreFailed`` when it cannot be."""
        ...


class Stands(Protocol):
    """How much may happen now."""

    @property
    def mode(self) -> Mode:
        """How much is asked."""
        ...

    @property
    def granted(self) -> Sequence[str]:
        """Rules that the person allowed until the session ends."""
        ...

    @property
    def around(self) -> Around:
        """What was remembered and read, and whether commands reach the network."""
        ...


class Standing(Stands, Protocol):
    """How the session stands now."""

    @property
    def cwd(self) -> str:
        """The folder that relative paths start from."""
        ...

    def request_of(self, call_id: str) -> str:
        """The question of a call that was open when an earlier process ended; empty for none."""
        ...


class Cages(Protocol):
    """The cages that commands of a session run in; found out when the first one is needed."""

    async def within(
        self,
        mode: Mode,
        more: PermissionsGranted | None = None,
        shown: Sequence[Path] = (),
        *,
        wary: bool = False,
    ) -> Sandbox:
        """The cage of an ordinary command, and of one that was allowed ``more``.

        ``shown`` are files that rules ask about, and somebody said yes. A ``wary`` one has no network and
        changes no file that steers programs and agents.
        """
        ...

    async def caveat(self, mode: Mode) -> str:
        """What whoever is asked about a command should know of its cage; empty when all of it holds."""
        ...

    async def beyond(self, shown: Sequence[Path] = ()) -> Sandbox:
        """For a command that may leave that cage, but was not looked at with its keys in mind.

        What is hidden stays hidden.
        """
        ...

    async def outside(self) -> Sandbox:
        """For a command that a person let out: it is kept from what rules deny, and nothing else."""
        ...

    def close(self) -> None:
        """Takes away what they made on the disk, once no command runs any more. Blocks."""
        ...


class OneCage:
    """The same cage for everything, and none beyond."""

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        """Without ``sandbox`` nothing is confined."""
        self._sandbox = sandbox or Unconfined()

    def close(self) -> None:
        """Nothing was made."""

    async def within(
        self,
        mode: Mode,
        more: PermissionsGranted | None = None,
        shown: Sequence[Path] = (),
        *,
        wary: bool = False,
    ) -> Sandbox:
        """The one."""
        del mode, more, shown, wary
        return self._sandbox

    async def caveat(self, mode: Mode) -> str:
        """Nothing: nobody promised more."""
        del mode
        return ""

    async def beyond(self, shown: Sequence[Path] = ()) -> Sandbox:
        """None."""
        del shown
        return Unconfined()

    async def outside(self) -> Sandbox:
        """None."""
        return Unconfined()


class Verdict(Struct, frozen=True, kw_only=True):
    """What a hook says of a call: nothing, yes without asking, or no with a message.

    ``arguments`` take the place of the call's own where a hook changed them.
    """

    outcome: Literal["pass", "allow", "deny"] = "pass"
    message: str = ""
    arguments: str = ""


class Hooks(Protocol):
    """Programs of the person that look at a call before and after it happens.

    Contract: bounds its own time; may be cancelled; an error inside is a ``pass``.
    """

    async def before(self, call: ToolCall, effect: Effect) -> Verdict:
        """What the hooks say of this call."""
        ...

    async def after(self, call: ToolCall, result: Result) -> Result:
        """What a model is to read of a call that was carried out."""
        ...


class Validator(Protocol):
    """Looks at a call before anybody is asked; ``safety.pipeline.calls.Validator`` is one."""

    def issues(
        self, *, kind: str, spelled: Sequence[Path], paths: Sequence[Path], url: str
    ) -> Sequence[Issue]:
        """What is wrong with it; a critical one stops it, a high one asks."""
        ...


class Checkpoints(Protocol):
    """Keeps the person's files before something may change them.

    Contract: bounds its own time; what goes wrong is told in words and never raised.
    """

    async def before(self, call_id: str, effect: Effect, *, within: str) -> str:
        """Returns when they are kept, or need not be; else why a person should know that they are not."""
        ...

    def accept(self) -> None:
        """The person knows, and wants it to go on without."""
        ...


class NoCheckpoints:
    """Nothing is kept."""

    async def before(self, call_id: str, effect: Effect, *, within: str) -> str:
        """Never a reason to ask."""
        del call_id, effect, within
        return ""

    def accept(self) -> None:
        """There is nothing to know."""


class NoHooks:
    """No hooks are set up."""

    async def before(self, call: ToolCall, effect: Effect) -> Verdict:
        """Nothing."""
        del call, effect
        return Verdict()

    async def after(self, call: ToolCall, result: Result) -> Result:
        """The same."""
        del call
        return result


class NoSpill:
    """Whole outputs are not kept anywhere."""

    async def keep(self, data: bytes) -> str:
        """No place."""
        del data
        return ""
