"""What every cage is, what it makes of a command, and the value that means none."""

import resource
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, Protocol

from msgspec import Struct, field

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.sandbox.policy import Policy

NAME, NO_NETWORK = "OURO_SANDBOX", "OURO_SANDBOX_NETWORK_DISABLED"
"""Variables by which a program can tell that it is confined."""


class CageDenied(ToolFailed):
    """The sandbox, not the program, stopped it; the same call may be tried once outside."""


class Started(Protocol):
    """A child process: what ``subprocess.Popen`` gives, as far as it is used."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None
    returncode: int | None

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the number of a signal, once it has ended."""
        ...

    def kill(self) -> None:
        """Ends it at once."""
        ...

    def communicate(
        self, data: bytes | None = None, /, timeout: float | None = None
    ) -> tuple[bytes, bytes]:
        """All that it says on its pipes until its end."""
        ...


type Right = Literal["write", "reach", "socket", "network", "call"]
"""To change a place; to see it at all; to speak to a local socket; to reach a host; to make a system call."""


class Refusal(Struct, frozen=True):
    """Something that a cage refused to a command; ``place`` is a path, an address, or what a call does."""

    right: Right
    place: str


class Refusals(Protocol):
    """What a cage refused to one command, as it was observed."""

    def is_blind(self) -> bool:
        """Whether the words of a program are all there is, as nobody was notified of what was refused."""
        ...

    def all(self) -> Sequence[Refusal]:
        """All so far that is worth telling."""
        ...

    def fresh(self) -> Sequence[Refusal]:
        """Those that this was not asked for yet."""
        ...

    def told(self, refusal: Refusal) -> str:
        """One in words."""
        ...

    def is_hidden(self, line: str) -> bool:
        """Whether a line names something that may not even be read, which nothing observes."""
        ...


class CommandLaunch(Struct, frozen=True, kw_only=True):
    """A command with all that it gets.

    Attributes:
        descriptors: Ours, by the numbers that they have for the command, 0 to 2 among them.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path
    descriptors: Mapping[int, int]


class Confined(Struct, frozen=True, kw_only=True):
    """A command as it is to be started; ``sandbox.begin`` starts it.

    Attributes:
        command: Program and arguments, those of the cage first.
        environment: Variables set over those of the command.
        launch: Starts it, in the place of ``subprocess``; its number. It is a child of ours. Raises ``OSError``.
        descriptors: Opens what the argument of that number is to name; closed after the start.
        ends_with_thread: The kernel ends the command with the thread that started it, so that thread
            has to last.
        finish: Takes away what the cage left on the disk, once the command has ended.
        notes: What the cage did about the command after its end, for whoever is told of it.
        refusals: What it refused so far, as it was observed; None where nothing observes it.
        held: Is given what ends the command, where that runs on beyond its call.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    launch: Callable[[CommandLaunch], int] | None = None
    descriptors: Mapping[int, Callable[[], int]] = field(
        default_factory=dict[int, Callable[[], int]]
    )
    ends_with_thread: bool = False
    finish: Callable[[], None] | None = None
    notes: list[str] = field(default_factory=list[str])
    refusals: "Refusals | None" = None
    held: Callable[[Callable[[], None]], None] | None = None


class Sandbox(Protocol):
    """Turns a command into one that runs confined; starts nothing."""

    @property
    def name(self) -> str:
        """What the log calls it: ``none``, ``namespaces``, ``landlock``, ``bubblewrap``, ``seatbelt``."""
        ...

    @property
    def hides(self) -> bool:
        """Whether it hides files that the same command would read outside."""
        ...

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The same command, confined; ``cwd`` is where it is to run."""
        ...


class Unconfined:
    """No cage: an ordinary value, on the same path as every other."""

    name = "none"
    hides = False

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command as it is."""
        del cwd
        return Confined(command=tuple(command))


def limits(policy: Policy) -> dict[int, int]:
    """No core files, and no more processes than the policy says."""
    found = {resource.RLIMIT_CORE: 0}
    if policy.processes and hasattr(resource, "RLIMIT_NPROC"):
        found[resource.RLIMIT_NPROC] = policy.processes
    return found


def variables(name: str, policy: Policy) -> dict[str, str]:
    """By which a program can tell that it is confined, and where its temporary files are to be."""
    off = {NO_NETWORK: "1"} if policy.network == "off" else {}
    temporary = {} if policy.temporary is None else {"TMPDIR": str(policy.temporary)}
    return {NAME: name, **off, **temporary}
