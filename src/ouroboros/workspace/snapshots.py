"""The latest snapshots of something that runs on, the oldest let go; where they lie is handed in."""

from collections.abc import Sequence
from typing import Protocol

KEPT = 10
"""Source: design 001, daemon checkpoints."""


class Storage(Protocol):
    """Holds snapshots by number; blocks."""

    def numbers(self) -> Sequence[int]: ...
    def put(self, number: int, data: bytes) -> None: ...
    def get(self, number: int) -> bytes: ...
    def remove(self, number: int) -> None: ...


class Snapshots:
    """Keeps at most so many; a new one is there before an old one goes."""

    def __init__(self, storage: Storage, keep: int = KEPT) -> None:
        """Raises ``ValueError`` where not even one would be kept."""
        if keep < 1:
            raise ValueError("at least one snapshot is kept")
        self._storage, self._keep = storage, keep

    def add(self, data: bytes) -> int:
        """Keeps one more and gives its number; raises what the storage raises."""
        known = sorted(self._storage.numbers())
        number = known[-1] + 1 if known else 1
        self._storage.put(number, data)
        for old in [*known, number][: -self._keep]:
            self._storage.remove(old)
        return number

    def latest(self) -> bytes | None:
        """The one that was added last; None before the first."""
        known = self._storage.numbers()
        return self._storage.get(max(known)) if known else None
