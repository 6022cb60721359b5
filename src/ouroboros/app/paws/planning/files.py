"""Plans as files: put in place whole, read within bounds; blocking."""

import os
from pathlib import Path

from ouroboros.app.paws.named import bytes_of
from ouroboros.app.paws.planning.document import Followed, Plan, read, written
from ouroboros.core.errors import OuroborosError
from ouroboros.store.layout import put_whole
from ouroboros.workspace.artifacts.faults import Malformed

MOST_BYTES = 10_000_000


def keep(plan: Plan, place: Path) -> None:
    """Writes a plan in one step; raises ``OuroborosError``."""
    beside = place.with_name(f".{place.name}.{os.urandom(4).hex()}.part")
    try:
        put_whole(place, written(plan).encode("utf-8", "replace"), beside)
    except OSError as failed:
        raise OuroborosError(
            f"{str(place)!r} cannot be written: {failed.strerror}",
            hint="name another file with -o, or use -o - for standard output",
        ) from failed


def text_of(name: str) -> str:
    """A file that a model is to read; raises ``Misuse``."""
    return bytes_of(name, most=MOST_BYTES).decode("utf-8", "replace")


def plan_in(name: str) -> Followed:
    """A plan that was written.

    Raises:
        Misuse: It cannot be read.
        Malformed: It is no plan, or of another version; with the line.
    """
    try:
        return read(text_of(name))
    except Malformed as refused:
        raise refused.of(name) from None
