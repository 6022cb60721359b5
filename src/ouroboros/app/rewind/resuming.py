"""Turns that were being taken back, or had again, when the program was killed: the next start does the rest."""

from typing import TYPE_CHECKING

import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.agent.running.branching import closings, moved
from ouroboros.app.rewind.undoing import Report, Span, redone_event, undone_event
from ouroboros.core.commands import Branch, Rollback
from ouroboros.core.events import Event
from ouroboros.core.events.checkpoint import TurnRedone
from ouroboros.core.state import State
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.rewind import Plan, carried

if TYPE_CHECKING:
    from ouroboros.app.rewind.keeping import Keeping

_BACK = "turns that were being taken back when the program ended are taken back now"
_AGAIN = "turns that were being had again when the program ended are there again now"


class Undoing(Struct, frozen=True, kw_only=True):
    """What is kept with the plan for the files.

    Attributes:
        head: Where the conversation stood, and ``to`` is where it goes.
        again: The turns are had again.
    """

    turns: int
    head: str
    to: str
    again: bool = False


def note_of(span: Span, state: State) -> str:
    """For the plan of the files: what is to be done once they are there."""
    head, again = state.tree.head, not span.message_id
    to = span.head if again else state.tree.before(span.message_id)
    undoing = Undoing(turns=span.turns, head=head, to=to, again=again)
    return msgspec.json.encode(undoing).decode()


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
    rest = rest_of(plan, state)
    if not rest:
        await to_thread.run_sync(keeping.forget)
        return told
    keeping.carried = plan
    return [*told, _AGAIN if isinstance(rest[-1], TurnRedone) else _BACK]


def rest_of(plan: Plan, state: State) -> list[Event]:
    """What is not on record yet of the turns that were taken back or had again with these files."""
    undoing, start = msgspec.json.decode(plan.note, type=Undoing), plan.start
    undone = state.files.undone
    report = Report(done=["files", "history"])
    span = Span(turns=undoing.turns, head=undoing.head)
    move: Branch | Rollback
    if undoing.again:
        is_told = not undone or undone[-1].head != undoing.to
        move, end = Branch(message_id=undoing.to), redone_event(span, report)
    else:
        is_told = any(each.start == start and each.head == undoing.head for each in undone)
        move, end = Rollback(turns=undoing.turns), undone_event(span, start, report)
    if is_told:
        return []
    if state.tree.head == undoing.head:
        return [*closings(state, "branched"), moved(state, move), end]
    # Whoever went on from elsewhere since then has left these turns by a way of their own.
    return [end] if state.tree.head == undoing.to else []
