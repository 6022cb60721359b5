"""Files as they were, for `ouro rewind` and `ouro checkpoints`: of which session, what is asked, what is told."""

from typing import TYPE_CHECKING

from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.wording.points import foreign_line
from ouroboros.faces.wording.words import count

if TYPE_CHECKING:
    from ouroboros.app.rewind.offline import Preview, Records
    from ouroboros.core.commands import Foreign
    from ouroboros.core.events.checkpoint import CheckpointRestored


def records_of(invocation: Invocation, session: str) -> "Records":
    """What was kept of a session, by default of the latest of this folder; raises ``OuroborosError``."""
    from ouroboros.app.rewind.offline import Records
    from ouroboros.app.wiring.session.past import resolve

    home, cwd = invocation.home(), invocation.cwd()
    return Records(home, resolve(home, cwd, session), invocation.load().settings, cwd)


def decided(preview: "Preview", *, yes: bool, keep: bool) -> "Foreign | None":
    """Tells what would change and asks where nothing was decided; None where it is not wanted."""
    tell(preview)
    if keep:
        return "keep"
    if yes:
        return "overwrite"
    if preview.foreign:
        hint = "--yes overwrites them, and what is new goes; --keep leaves them as they are"
        return "overwrite" if agreed("Overwrite what others changed, too?", hint=hint) else None
    return "ask" if agreed("Bring the files back?", hint="--yes goes on without asking") else None


def tell(preview: "Preview") -> None:
    """How much would change, and what stands in the way of it."""
    note(f"{preview.added} added, {preview.changed} changed, {preview.removed} removed")
    for path in preview.foreign:
        note(foreign_line(preview, path))
    tell_left(tuple(f"{path}: {why}" for path, why in preview.left.items()))


def tell_done(done: "CheckpointRestored") -> None:
    """What was changed, and what was not."""
    note(f"{count(done.changed, 'path')} changed; {done.start[:12]} is what they were before that")
    tell_left(done.left)


def tell_left(left: tuple[str, ...]) -> None:
    """Paths that could not be brought back, with why."""
    for line in left:
        note(f"left as it is: {line}")
