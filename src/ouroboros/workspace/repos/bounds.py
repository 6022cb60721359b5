"""How much of a repository is taken, and how long that may last."""

from msgspec import Struct


class Bounds(Struct, frozen=True, kw_only=True):
    """Of one repository.

    Attributes:
        bytes: Of its history as received, and again of its files.
        files: How many names it may have.
        depth: Commits of history; 0 for all of it.
        idle_seconds: How long nothing may arrive.
        seconds: How long all of it may take.
    """

    bytes: int = 1_073_741_824
    files: int = 100_000
    depth: int = 1
    idle_seconds: float = 60.0
    seconds: float = 1800.0
