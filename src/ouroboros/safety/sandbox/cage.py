"""What every sandbox is, and the value that means none."""

from collections.abc import Sequence
from typing import Protocol

from ouroboros.core.errors import ToolFailed


class CageDenied(ToolFailed):
    """The sandbox, not the program, stopped it; the same call may be tried once outside."""


class Sandbox(Protocol):
    """Turns a command into one that runs confined; pure, never starts anything."""

    @property
    def name(self) -> str:
        """What the log calls it."""
        ...

    def command(self, command: Sequence[str]) -> tuple[str, ...]:
        """The same command, confined."""
        ...


class Unconfined:
    """No cage: an ordinary value, on the same path as every other."""

    name = "none"

    def command(self, command: Sequence[str]) -> tuple[str, ...]:
        """The command as it is."""
        return tuple(command)
