"""What a killed command left half done is ended, or taken back, before the next one begins."""

from msgspec import Struct

from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.worktrees import ending, keeping, merging, rewinding, starting
from ouroboros.workspace.worktrees.faults import WorkBusy
from ouroboros.workspace.worktrees.place import Place
from ouroboros.workspace.worktrees.records.manifest import Step
from ouroboros.workspace.worktrees.records.shelf import Kept, held
from ouroboros.workspace.worktrees.repository import trees


class Mended(Struct, frozen=True, kw_only=True):
    """A session that something was left undone of; ``problem`` is why it still is."""

    session_id: str
    what: str
    problem: OuroborosError | None = None


async def mend(place: Place) -> list[Mended]:
    """Ends what was begun; the list of sessions must be held alone.

    What another process is at work on is left to it.
    """
    found: list[Mended] = []
    for session in await place.all():
        step = session.work.step
        if step is None:
            continue
        problem: OuroborosError | None = None
        try:
            async with held(session.folder / ".lock", wait=0.0):
                session = await place.read(session.id)  # it may have been ended meanwhile
                if session.work.step is not None:
                    await _finish(place, session, session.work.step)
        except WorkBusy:
            continue
        except OuroborosError as failed:
            problem = failed
        found.append(Mended(session_id=session.id, what=step.kind, problem=problem))
    return found


async def _finish(place: Place, session: Kept, step: Step) -> None:
    match step.kind:
        case "start":
            if session.manifest is None:
                await starting.drop(place, session)
            else:
                await place.begun(session, None)
        case "checkpoint":
            await keeping.finish(place, session, step)
        case "rewind":
            await rewinding.finish(place, session, step)
        case "merge":
            await merging.finish(place, session, step)
        case "archive":
            await ending.finish(place, session)
        case "resume":
            if session.manifest is None or session.manifest.status != "active":
                await trees.remove(place.ground, session.tree)
                await ending.resume(place, session)
            else:
                await place.begun(session, None)
