"""What watches over the calls of a session: commands that outlive them, and calls without end."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from threading import Thread

from anyio import Lock, to_thread

from ouroboros.agent.journal import Sink
from ouroboros.agent.running.repeats import Careful
from ouroboros.agent.running.standing_on import Meant, StandingOn
from ouroboros.app.kit import Kit
from ouroboros.core.events import Envelope, ModelDelta
from ouroboros.core.events.changes import SteeringChanged, TurnDiffed
from ouroboros.core.parts import ToolCall
from ouroboros.safety.rules.values import HARMLESS
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.tool import Effect
from ouroboros.workspace.changes import Changes, SteeringFiles

_MOST_NAMED = 50


@asynccontextmanager
async def opened(kit: Kit, warnings: list[str]) -> AsyncGenerator[Processes]:
    """The table of them; ``warnings`` tell which ended with the program that had this session before."""
    state, lost = kit.state, dict(kit.state.processes)
    warnings.extend(
        f"the command {command!r} ended with the program that had this session before"
        for command in lost.values()
    )
    processes = Processes(
        is_paused=lambda: state.is_asking,
        lost=lost,
        snapshots=None if kit.ephemeral else kit.home / "shell_snapshots" / state.session,
    )
    kit.journal.listen(_loading())
    async with processes.opened():
        yield processes


def _loading() -> Sink:
    """Loads what judges a call while the first one is still being written."""
    is_due = True

    def hear(envelope: Envelope) -> None:
        nonlocal is_due
        match envelope.data:
            case ModelDelta(phase="start", kind="call") if is_due:
                is_due = False
                Thread(target=_load, name="loading", daemon=True).start()
            case _:
                pass

    return hear


def _load() -> None:
    from ouroboros.safety.commands import classify, grammar
    from ouroboros.safety.pipeline import injection

    del classify, injection
    grammar.prepare()


def _itself(call: ToolCall) -> ToolCall:
    return call


def careful(kit: Kit, hands: Orchestrator, meant: Meant = _itself) -> StandingOn:
    """The hands, which see when nothing new comes of a call; in full-auto nobody is asked of that.

    ``meant`` gives what a call stands for where a tool of theirs calls others.
    """
    sparing = Careful(
        hands,
        kit.journal,
        may_ask=lambda: kit.desk.is_interactive and kit.state.mode != "full-auto",
    )
    return StandingOn(sparing, kit.journal, kit.state, meant)


def changes(
    kit: Kit, hands: Orchestrator, *, has_diff: bool = True
) -> Callable[[], Awaitable[None]]:
    """Follows what files tools write; what is given back tells of it, and begins anew.

    Of files that steer later runs it tells whoever wrote them; without ``has_diff`` of these alone.
    """
    tracked, steering, looking = Changes(kit.cwd), SteeringFiles(kit.cwd, kit.home), Lock()

    async def touch(effect: Effect) -> None:
        if effect.kind not in HARMLESS and not steering.has_begun:
            async with looking:  # of two effects at once none happens before it was looked
                if not steering.has_begun:
                    await to_thread.run_sync(steering.begin)
        if effect.kind == "write" and has_diff:
            await to_thread.run_sync(tracked.touch, effect.paths)

    async def tell() -> None:
        if tracked.has_any:
            diff = await to_thread.run_sync(tracked.diff)
            tracked.clear()
            if diff:
                kit.journal.record(TurnDiffed(diff=diff))
        if steering.has_begun and (paths := await to_thread.run_sync(steering.changed)):
            kit.journal.record(SteeringChanged(paths=paths[:_MOST_NAMED]))

    hands.watch(touch)
    return tell
