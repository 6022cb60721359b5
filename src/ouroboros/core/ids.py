"""Identifiers that sort by the time they were made."""

from collections.abc import Callable
from typing import Protocol

from ouroboros.core.clock import Clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Ids(Protocol):
    """Makes identifiers that are unique within a home folder."""

    def new(self, prefix: str) -> str:
        """A fresh identifier such as ``ses_06f3…``."""
        ...


class TimeOrderedIds:
    """48 bits of milliseconds, then 52 bits of chance, in Crockford's base 32."""

    def __init__(self, clock: Clock, entropy: Callable[[int], bytes]) -> None:
        """``entropy(n)`` gives n random bytes; ``os.urandom`` outside of tests."""
        self._clock = clock
        self._entropy = entropy

    def new(self, prefix: str) -> str:
        """A fresh identifier; later ones sort after earlier ones of another millisecond."""
        milliseconds = int(self._clock.now() * 1000) & ((1 << 48) - 1)
        chance = int.from_bytes(self._entropy(7), "big") & ((1 << 52) - 1)
        number = (milliseconds << 52) | chance
        digits = [_ALPHABET[(number >> shift) & 31] for shift in range(95, -1, -5)]
        return f"{prefix}_{''.join(digits)}"
