"""What checkpoints of an open session need of it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.events import Event
from ouroboros.core.state import State


class Ground(Struct, frozen=True, kw_only=True):
    """What checkpoints of a session need of it; ``person`` is the person's own folder."""

    settings: Settings
    home: Path
    cwd: Path
    state: State
    record: Callable[[Event], None]
    settle: Callable[[], Awaitable[None]]
    clock: Clock
    person: Path
