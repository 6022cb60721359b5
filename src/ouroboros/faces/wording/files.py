"""What happened to the person's files as a whole, as one line each."""

from collections.abc import Sequence

from ouroboros.core.events import Event
from ouroboros.core.events.changes import SteeringChanged
from ouroboros.core.events.checkpoint import (
    CheckpointCreated,
    CheckpointRestored,
    TurnRedone,
    TurnUndone,
)
from ouroboros.core.events.session import RepoLoaded
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import count, one_line

_NAMED = 3


def file_notice(event: Event) -> Notice | None:
    """The line that an event of checkpoints deserves; one that kept everything deserves none."""
    match event:
        case CheckpointCreated(left_count=left) if left:
            some = "; ".join(one_line(each, 120) for each in event.left[:_NAMED])
            more = f"; {count(left - _NAMED, 'path')} more" if left > _NAMED else ""
            return Notice(text=f"Not kept for going back: {some}{more}", level="warning")
        case CheckpointRestored():
            return Notice(text=_restored(event), hint=_left(event))
        case TurnUndone(turns=turns):
            return _taken("Took back the latest", turns, event.done, event.failed)
        case RepoLoaded(repo=repo, path=path):
            files = f", {count(event.file_count, 'file')}" if event.file_count else ""
            text = f"{one_line(repo, 120)} is in this session{files}: {one_line(path, 300)}"
            return Notice(text=text)
        case SteeringChanged(paths=paths):
            return Notice(text=steering_told(paths), level="warning")
        case TurnRedone(turns=turns):
            return _taken("Have again the latest", turns, event.done, event.failed)
        case _:
            return None


def steering_told(paths: Sequence[str]) -> str:
    """The line that says which of the changed files steer later runs."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    named = ", ".join(one_line(path, 120) for path in paths[:_NAMED])
    return f"Also changed what steers later runs: {named}{more}"


def _restored(event: CheckpointRestored) -> str:
    again = "A rewind that was cut off is finished: files" if event.finished else "Files"
    if not event.changed and event.left:
        return f"{again} stay as they are"
    if not event.changed:
        return f"{again} are as they were; nothing was different"
    named = ", ".join(one_line(path, 120) for path in event.paths[:_NAMED])
    more = ", ..." if event.changed > _NAMED else ""
    back = f"; {event.start[:12]} is what they were before that" if event.start else ""
    changed = f"{count(event.changed, 'path')} changed: {named}{more}"
    return f"{again} were brought back, {changed}{back}"


def _left(event: CheckpointRestored) -> str:
    if not event.left:
        return ""
    more = "; ..." if len(event.left) > _NAMED else ""
    some = "; ".join(one_line(each, 120) for each in event.left[:_NAMED])
    return f"left as they are: {some}{more}"


def _taken(words: str, turns: int, done: tuple[str, ...], failed: tuple[str, ...]) -> Notice:
    latest = "turn" if turns == 1 else count(turns, "turn")
    what = f" ({', '.join(sorted(done))})" if done else ""
    if not failed:
        return Notice(text=f"{words} {latest}{what}")
    why = "; ".join(one_line(each, 200) for each in failed)
    return Notice(text=f"{words} {latest}{what}, but not all of it: {why}", level="warning")
