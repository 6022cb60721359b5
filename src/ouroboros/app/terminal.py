"""The person's terminal, while a face has the whole of it."""

from collections.abc import Generator
from contextlib import contextmanager, suppress

from ouroboros.safety.keeper import Keeper


@contextmanager
def kept(terminal: int, reset: str) -> Generator[None]:
    """For the time of the block: killed, we leave the terminal as it is now, with ``reset`` written to it."""
    keeper = Keeper()
    with suppress(OSError):
        keeper.begin(terminal, reset)
    try:
        yield
    finally:
        keeper.release()
