"""Who answers a session's questions first."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.commands import Command
from ouroboros.core.events import Event
from ouroboros.core.ids import Ids
from ouroboros.core.state import State
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.policy.presets import REVIEWED
from ouroboros.tools.approval import Asker


class Stop:
    """Stops the turn of the session that its holder will be a part of."""

    def __init__(self) -> None:
        """There is no session yet."""
        self.handle: Callable[[Command], Awaitable[None]] | None = None

    async def send(self, command: Command) -> None:
        """Carries a command out, once there is somebody to do so."""
        if self.handle is not None:
            await self.handle(command)


class Bench(Struct, frozen=True, kw_only=True):
    """What the answering has to work with; ``prompt`` is the guardian's."""

    settings: Settings
    state: State
    record: Callable[[Event], None]
    lineup: Lineup
    speakers: Speakers
    prompt: str
    leaks: Leaks
    clock: Clock
    ids: Ids
    stop: Stop
    interactive: bool


def asker(desk: Desk, bench: Bench) -> Asker:
    """The desk, or a guardian before it; codex's other policies leave it nothing to review."""
    wanted, policy = bench.settings.guardian, bench.settings.approval_policy
    if not wanted.enabled or policy not in REVIEWED:
        return desk
    from ouroboros.app.permission import guardian  # a run without it never loads it

    async def speaker() -> Speaker:
        if wanted.model:
            return await bench.speakers.another(wanted.model)
        return bench.lineup.speaker

    return guardian.Guardian(
        guardian.Ground(
            desk=desk,
            state=bench.state,
            record=bench.record,
            speaker=speaker,
            another=bench.speakers.another,
            prompt=bench.prompt,
            redact=bench.leaks.redacted,
            mark=lambda: bench.ids.new("mark"),
            clock=bench.clock,
            stop=bench.stop.send,
            effort=wanted.effort,
            seconds=wanted.timeout,
            interactive=bench.interactive,
        )
    )
