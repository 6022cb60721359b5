"""A session that another process has open, as a face sees one: all of it can be read, nothing said."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Never

import anyio
from anyio import create_task_group, to_thread

from ouroboros.app.ouroboros import Session
from ouroboros.app.past.following import follow
from ouroboros.core.commands import Command
from ouroboros.core.context import Meter
from ouroboros.core.errors import Misuse, SessionBusy
from ouroboros.core.events import Envelope
from ouroboros.core.state import State
from ouroboros.store.lease import holder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from ouroboros.agent.session import Session as Engine
    from ouroboros.app.ouroboros import Outcome
    from ouroboros.app.repos.bringing import Asked, Repos, Tell
    from ouroboros.app.repos.standing import Map, Repo
    from ouroboros.app.settings import Settings

_LOOK_SECONDS = 1.0


class Bystander(Session):
    """Follows the log of a session; every wish is refused."""

    def __init__(self, busy: SessionBusy) -> None:
        """Made by ``standing_by`` only; it has no engine behind it."""
        self._busy = busy
        self._folded = State()
        self._sinks: list[Callable[[Envelope], None]] = []
        self.resumed = True
        self.warnings = (f"{busy.message.rstrip('.')}; it can only be read here",)

    @property
    def state(self) -> State:
        """What is true by the events that were read."""
        return self._folded

    @property
    def id(self) -> str:
        """The session's name."""
        return self._folded.session

    @property
    def running(self) -> bool:
        """A run is under way, in the other process."""
        return self._folded.status in {"running", "waiting"}

    def listen(self, sink: Callable[[Envelope], None]) -> None:
        """Shows every event from now on; there are no deltas."""
        self._sinks.append(sink)

    async def settle(self) -> None:
        """What is known here was read from the disk."""

    async def warm(self) -> None:
        """Nothing has to be."""

    async def send(self, command: Command) -> None:
        """Refuses; raises ``Misuse``."""
        self._refuse(command)

    async def run(self, text: str, *, typed: int | None = None) -> "Outcome":
        """Refuses; raises ``Misuse``."""
        self._refuse(text, typed)

    async def fork(self, message_id: str = "") -> str:
        """Refuses; raises ``Misuse``."""
        self._refuse(message_id)

    async def visit(self, asked: "Asked", repos: "Repos", tell: "Tell | None" = None) -> "Repo":
        """Refuses; raises ``Misuse``."""
        self._refuse(asked, repos, tell)

    async def run_own(
        self, command: str, settings: "Settings", environment: "Mapping[str, str]"
    ) -> int:
        """Refuses; raises ``Misuse``."""
        self._refuse(command, settings, environment)

    async def set_going(self, job: "Callable[[Engine], Awaitable[None]]") -> None:
        """Refuses; raises ``Misuse``."""
        self._refuse(job)

    async def tell_map(self, found: "Map", root: Path) -> None:
        """Refuses; raises ``Misuse``."""
        self._refuse(found, root)

    def meter(self) -> Meter:
        """What the vendor reported last; the rest only the other process knows."""
        return Meter(
            model=self._folded.model,
            blocks=(),
            used=self._folded.measured_tokens or 0,
            source="reported",
            limit=None,
            window=0,
            is_assumed=True,
        )

    def take(self, envelopes: list[Envelope]) -> None:
        """Folds and shows what was read."""
        for envelope in envelopes:
            self._folded.apply(envelope)
            for sink in tuple(self._sinks):
                sink(envelope)

    def _refuse(self, *_: object) -> Never:
        raise Misuse(self._busy.message, hint=self._busy.hint)


@asynccontextmanager
async def standing_by(
    home: Path, session: str, busy: SessionBusy, free: Callable[[], None]
) -> AsyncGenerator[Bystander]:
    """Reads a session along; calls ``free`` when nobody has it any more.

    Raises:
        StoreFailed: Its log cannot be read.
    """
    made = Bystander(busy)
    async with aclosing(follow(home, session)) as batches:
        made.take(await anext(batches))

        async def read_on() -> None:
            async for batch in batches:
                made.take(batch)

        async def look() -> None:
            while True:
                if await to_thread.run_sync(holder, home, session) is None:
                    return free()
                await anyio.sleep(_LOOK_SECONDS)

        async with create_task_group() as tasks:
            tasks.start_soon(read_on)
            tasks.start_soon(look)
            yield made
            tasks.cancel_scope.cancel()
