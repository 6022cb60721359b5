"""Where a session can go back to, as lines for people and for pipes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ouroboros.faces.wording import table
from ouroboros.faces.wording.words import count, one_line

if TYPE_CHECKING:
    from ouroboros.app.rewind.offline import Preview
    from ouroboros.app.rewind.points import Point
    from ouroboros.core.state.files import Kept

_KINDS = {
    "before": "before a call",
    "end": "end of a run",
    "rewind": "before going back",
    "restored": "after going back",
}


def point_lines(found: "Sequence[Point]") -> list[str]:
    """One line a turn, the latest first: its number, when, what became of files, the words."""
    cells = [
        (
            str(point.number),
            table.moment(point.at) if point.at else "",
            changed(point.added, point.changed, point.removed),
            one_line(point.text),
        )
        for point in found
    ]
    return list(table.block(cells, table.columns()))


def kept_lines(found: "Sequence[tuple[Kept, float, bool]]") -> list[str]:
    """One line a checkpoint, the latest first."""
    cells = [
        (
            kept.checkpoint[:12],
            table.moment(at) if at else "",
            _KINDS.get(kept.kind, kept.kind),
            kept.call_id if is_there else f"{kept.call_id} gone".strip(),
        )
        for kept, at, is_there in reversed(found)
    ]
    return list(table.block(cells, table.columns()))


def changed(added: int, altered: int, removed: int) -> str:
    """How many files came, were changed and went; a checkpoint that is gone cannot tell."""
    if added < 0:
        return "unknown"
    counts = ((added, "+"), (altered, "~"), (removed, "-"))
    return " ".join(f"{sign}{number}" for number, sign in counts if number) or "no files"


def would_change(added: int, altered: int, removed: int) -> str:
    """The same of what has not happened yet, in words."""
    counts = ((added, "comes back"), (altered, "changes"), (removed, "goes"))
    plural = {"comes back": "come back", "changes": "change", "goes": "go"}
    said = (
        f"{count(number, 'file')} {verb if number == 1 else plural[verb]}"
        for number, verb in counts
        if number
    )
    return ", ".join(said) or "no file changes"


def foreign_line(preview: "Preview", path: str) -> str:
    """Whose change of this path going back would undo."""
    if path in preview.unsure:
        return f"changed by a command, or by somebody while it ran: {path}"
    return f"changed since by somebody else: {path}"
