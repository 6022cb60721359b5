"""Turns that were being taken back when the program was killed: the rest of it is done at the next start."""

from typing import TYPE_CHECKING

import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.agent.running.branching import moved
from ouroboros.app.rewind.undoing import Report, Span, undone_event
from ouroboros.core.commands import Rollback
from ouroboros.core.events import Event
from ouroboros.core.state import State
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.rewind import carried

if TYPE_CHECKING:
    from ouroboros.app.rewind.keeping import Keeping


class Undoing(Struct, frozen=True, kw_only=True):
    """What is kept with the plan for the files: the turns, where the conversation stood, where it goes."""

    turns: int
    head: str
    to: str


def note_of(span: Span, state: State) -> str:
    """For the plan of the files; empty where no turns are taken back."""
    if not span.message_id:
        return ""
    to = state.tree.before(span.message_id)
    return msgspec.json.encode(Undoing(turns=span.turns, head=span.head, to=to)).decode()


async def take_up(keeping: "Keeping") -> list[str]:
    """Goes on with files and turns of which a rewind was cut off; what to tell the person.

    What goes on record does so once the session has begun.
    """
    told = await keeping.recover()
    state = keeping.ground.state
    try:
        plan = await keeping.use(lambda shadow, _: carried(shadow, state.session))
    except CheckpointFailed as failed:
        return [*told, failed.message]
    if plan is None:
        return told
    rest = _rest(state, msgspec.json.decode(plan.note, type=Undoing), plan.start)
    if not rest:
        await to_thread.run_sync(keeping.forget)
        return told
    keeping.late.extend(rest)
    return [*told, "turns that were being taken back when the program ended are taken back now"]


def _rest(state: State, undoing: Undoing, start: str) -> list[Event]:
    """What is not on record yet of the turns that were taken back."""
    if any(each.start == start and each.head == undoing.head for each in state.files.undone):
        return []
    span = Span(turns=undoing.turns, head=undoing.head)
    end = undone_event(span, start, Report(done=["files", "history"]))
    if state.tree.head == undoing.head:
        return [moved(state, Rollback(turns=undoing.turns)), end]
    # Whoever went on from elsewhere since then has left these turns by a way of their own.
    return [end] if state.tree.head == undoing.to else []
