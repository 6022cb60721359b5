"""What a session knows of the person's files, and of turns that were taken back."""

from msgspec.structs import replace

from ouroboros.core.events import Event
from ouroboros.core.events.checkpoint import (
    CheckpointCreated,
    CheckpointRestored,
    TurnRedone,
    TurnUndone,
)
from ouroboros.core.state.files import Back, Kept, Undone
from ouroboros.core.state.present import Present

_PATHS = 20


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
        case CheckpointRestored() if event.paths:
            state.files.back = _brought_back(state.files.back, event)
        case TurnUndone(turns=turns, head=head, start=start):
            state.files.undone.append(Undone(turns=turns, head=head, start=start))
            _place(state)
        case TurnRedone() if state.files.undone:
            state.files.undone.pop()
            _place(state)
        case _:
            pass


def _brought_back(before: Back | None, event: CheckpointRestored) -> Back:
    """What the model is to be told, together with what it was not told yet."""
    paths = tuple(dict.fromkeys((*(before.paths if before else ()), *event.paths)))
    was_more = before is not None and before.is_more
    return Back(
        paths=paths[:_PATHS],
        is_more=was_more or len(paths) > _PATHS or event.changed > len(event.paths),
        message_id=event.message_id,
    )


def _place(state: Present) -> None:
    if state.files.back is not None:
        state.files.back = replace(state.files.back, head=state.tree.head)
