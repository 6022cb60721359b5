"""How applying a bundle ended, in words for machines, and the exit code of each way."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field, structs

type Ending = Literal[
    "applied",
    "refused",
    "verify_failed",
    "reverted",
    "needs_context",
    "nothing_to_do",
    "steering_left",
    "planned",
    "wrong_command_line",
    "interrupted",
    "failed",
]

EXIT_CODES: dict[Ending, int] = {
    "applied": 0,
    "planned": 0,
    "refused": 1,
    "verify_failed": 2,
    "reverted": 3,
    "needs_context": 4,
    "nothing_to_do": 5,
    "steering_left": 6,
    "wrong_command_line": 64,
    "interrupted": 130,
    "failed": 1,
}
"""``planned`` is what --dry-run ends with; the last three are said by an error, with its reason.

``steering_left`` is ``applied`` but for files that steer later runs, which nobody said yes to.
"""

_WRITTEN = frozenset({"add", "change", "delete", "rename"})


class FileOutcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one file.

    Attributes:
        action: ``add``, ``change``, ``delete`` or ``rename``; ``refused``, ``skipped`` or ``none``
            where it is as it was.
        was: Its name before, of a rename.
        steers: What it steers in later runs; empty for an ordinary file.
    """

    path: str
    action: str
    reason: str = ""
    was: str = ""
    added: int = 0
    removed: int = 0
    steers: str = ""

    @property
    def is_written(self) -> bool:
        """Something was done, or would be done, to it."""
        return self.action in _WRITTEN


def taken_away(file: FileOutcome, left: Mapping[str, str]) -> FileOutcome:
    """What became of a file whose change was taken back; ``left`` are paths that stay, and why."""
    if not file.is_written:
        return file
    if why := left.get(file.path) or left.get(file.was):
        return structs.replace(file, reason=f"it was not taken back: {why}")
    return FileOutcome(path=file.path, action="none", was=file.was, reason="it was taken back")


class Verified(Struct, frozen=True, kw_only=True):
    """How the command ended that judged the changes; output is bounded, its middle left out."""

    command: str
    exit_code: int
    timed_out: bool = False
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """It ended with 0."""
        return self.exit_code == 0 and not self.timed_out


class Asked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the model asks for in the place of changes.

    Attributes:
        decision: What became of a command: it ran, or why not.
        output: What it said.
    """

    kind: Literal["context", "command"]
    path: str = ""
    reason: str = ""
    command: str = ""
    decision: str = ""
    output: str = ""
    exit_code: int | None = None


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole of it.

    Attributes:
        reason: Why, where it is about the bundle and not about one file.
        diff: The changes as a unified diff, where they are only looked at.
        left: Paths that could not be brought back, and why.
        checkpoint: The commit of a work session that holds the changes.
    """

    outcome: Ending
    files: tuple[FileOutcome, ...]
    reason: str = ""
    diff: str = ""
    verify: Verified | None = None
    requests: tuple[Asked, ...] = ()
    notes: tuple[str, ...] = ()
    left: dict[str, str] = field(default_factory=dict[str, str])
    checkpoint: str = ""

    @property
    def exit_code(self) -> int:
        """What the program ends with."""
        return EXIT_CODES[self.outcome]
