"""What a session knows of the person's files, and of turns that were taken back."""

from ouroboros.core.events import Event
from ouroboros.core.events.checkpoint import CheckpointCreated, TurnRedone, TurnUndone
from ouroboros.core.state.files import Kept, Undone
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in what was kept, taken back or had again."""
    match event:
        case CheckpointCreated():
            state.files.kept.append(
                Kept(
                    seq=state.seq,
                    checkpoint=event.checkpoint,
                    tree=event.tree,
                    kind=event.kind,
                    call_id=event.call_id,
                    paths=event.paths,
                    open_seconds=event.open_seconds,
                    written=event.written,
                )
            )
        case TurnUndone(turns=turns, head=head, start=start):
            state.files.undone.append(Undone(turns=turns, head=head, start=start))
        case TurnRedone() if state.files.undone:
            state.files.undone.pop()
        case _:
            pass
