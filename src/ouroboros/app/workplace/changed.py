"""What a session, or one of its turns, changed in files; everything blocks.

The files as they are now are looked at and not kept: asking often keeps no checkpoint from its place.
"""

from collections.abc import Callable, Collection
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.review.changes import steering_of
from ouroboros.app.rewind.journey import Way
from ouroboros.app.rewind.offline import Records
from ouroboros.app.rewind.points import Point, before, named
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse
from ouroboros.core.state.files import Kept
from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.diff import name_of, sides_of
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.rewind import between
from ouroboros.workspace.hunks import FileChange, Status, file_changes

__all__ = ["FILES", "Back", "Changes", "CheckpointFailed", "Clean", "Past"]

FILES = 500
"""So many files are in one answer."""

type Clean = Callable[[str], str]


class Changes(Struct, frozen=True, kw_only=True):
    """What differs between two checkpoints, or one and the files as they are.

    Attributes:
        start: The checkpoint that is compared with; empty where nothing was ever written.
        end: The other one; empty for the files as they are.
        more: Files that are left out, as there are too many.
        hidden: Files of which a secret is not shown, so that parts of them cannot be taken back.
        steering: Of files that steer later runs what they steer, by path.
    """

    files: tuple[FileChange, ...] = ()
    start: str = ""
    end: str = ""
    more: int = 0
    hidden: tuple[str, ...] = ()
    steering: dict[str, str] = {}


class Back(Struct, frozen=True, kw_only=True):
    """What a way back to before some words would do to files.

    Attributes:
        foreign: Changed by somebody else since, or maybe so; they need a decision.
        unsure: Those of them that a command may have changed as well.
        left: What stays as it is, and why.
    """

    changes: Changes
    added: int = 0
    changed: int = 0
    removed: int = 0
    foreign: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    left: dict[str, str] = {}


class Past:
    """One session's checkpoints, for showing; ``clean`` takes secrets out of lines."""

    def __init__(self, home: Path, session: str, settings: Settings, clean: Clean) -> None:
        """Reads the log; raises as ``Records``."""
        self._records = Records(home, session, settings)
        self._depth = settings.checkpoints.undo_depth
        self._clean = clean

    def points(self) -> list[Point]:
        """Where it can go back to, the latest first."""
        return self._records.points()

    @property
    def undone(self) -> int:
        """How often in a row something was taken back that can be had again."""
        return len(self._records.state.files.undone)

    @property
    def undoable(self) -> int:
        """So many turns can still be taken back with ``Undo``."""
        already = sum(undone.turns for undone in self._records.state.files.undone)
        return max(0, self._depth - already)

    def since_the_start(self, only: Collection[str] = ()) -> Changes:
        """From before the first effect to the files as they are."""
        kept = self._records.state.files.kept
        return self._to_now(kept[0].checkpoint, only) if kept else Changes()

    def of_turn(self, message_id: str, only: Collection[str] = ()) -> Changes:
        """From some words of the person's to their next ones; raises ``Misuse`` for no such words."""
        start, after = self._ends(message_id)
        if start is None:
            return Changes()
        if after is None:
            return self._to_now(start.checkpoint, only)
        return self.between(start.checkpoint, after.checkpoint, only)

    def made(self, message_id: str, only: Collection[str] = ()) -> Changes:
        """As ``of_turn``, up to the latest checkpoint where it is open to now: as ``points`` counts."""
        start, after = self._ends(message_id)
        if start is None:
            return Changes()
        if after is None and self._records.is_open_ended:
            return self._to_now(start.checkpoint, only)
        last = after or self._records.state.files.kept[-1]
        return self.between(start.checkpoint, last.checkpoint, only)

    def _ends(self, message_id: str) -> tuple[Kept | None, Kept | None]:
        """The files before some words, and before the next ones; None where none were written since."""
        state = self._records.state
        start = before(state, message_id)
        turns = state.tree.turns()
        place = turns.index(message_id) if message_id in turns else -1
        return start, before(state, turns[place - 1]) if place > 0 else None

    def between(self, start: str, end: str = "", only: Collection[str] = ()) -> Changes:
        """From a checkpoint, by the beginning of its name, to another, or to the files as they are."""
        records = self._records
        first = named(records.state, start).checkpoint
        if not end:
            return self._to_now(first, only)
        last = named(records.state, end).checkpoint
        with records.shadow.locked():
            return self._told(between(records.shadow, first, last), first, last, only)

    def across(self, start: str, end: str) -> Changes:
        """From one checkpoint to another; an empty one stands for the files as they are."""
        if not self._records.state.files.kept:
            return Changes()
        shadow = self._records.shadow
        with shadow.locked():
            now = shadow.glance(self._records.bounds, now=SystemClock().now())
            found = between(shadow, start or now, end or now)
            return self._told(found, start, end, ())

    def back(self, message_id: str) -> tuple[Back, Back | None]:
        """What bringing all files back to before these words would do, and what taking turns back would.

        None stands for the same.
        """
        records = self._records
        target = before(records.state, message_id)
        if target is None:
            return Back(changes=Changes()), None
        with records.shadow.locked():
            way = records.way(target)
            touched = way.touched()
            return self._back(way), None if touched == way else self._back(touched)

    def _back(self, way: Way) -> Back:
        files = [change for change in way.changes if not change.is_folder]
        return Back(
            changes=self._told(files, "", way.target, ()),
            added=sum(change.before is None for change in files),
            changed=sum(None not in {change.before, change.after} for change in files),
            removed=sum(change.after is None for change in files),
            foreign=tuple(_text(path) for path in way.foreign),
            unsure=tuple(_text(path) for path in way.unsure),
            left={_text(path): why for path, why in way.left.items()},
        )

    def marks(self, most: int) -> dict[str, Status]:
        """Which files differ from before the first effect, by path."""
        kept = self._records.state.files.kept
        if not kept:
            return {}
        shadow = self._records.shadow
        with shadow.locked():
            found = self._until_now(kept[0].checkpoint)
        files = (change for change in found if not change.is_folder)
        return {_text(change.path): _status(change) for change in islice(files, most)}

    def _until_now(self, checkpoint: str) -> list[Change]:
        shadow = self._records.shadow
        now = shadow.glance(self._records.bounds, now=SystemClock().now())
        return between(shadow, checkpoint, now)

    def _to_now(self, checkpoint: str, only: Collection[str]) -> Changes:
        with self._records.shadow.locked():
            return self._told(self._until_now(checkpoint), checkpoint, "", only)

    def _told(self, changes: list[Change], start: str, end: str, only: Collection[str]) -> Changes:
        files = [change for change in changes if not change.is_folder]
        if only:
            files = [change for change in files if _text(change.path) in only]
            if not files:
                raise Misuse("this file is as it was", hint="look at the changes again")
        sides = sides_of(self._records.shadow.library, files[:FILES])
        found = [self._cleaned(change) for change in file_changes(sides, name_of, only=only)]
        return Changes(
            files=tuple(change for change, _ in found),
            start=start,
            end=end,
            more=max(0, len(files) - FILES),
            hidden=tuple(change.path for change, is_hidden in found if is_hidden),
            steering=steering_of(
                *(each for change, _ in found for each in (change.path, change.was))
            ),
        )

    def _cleaned(self, change: FileChange) -> tuple[FileChange, bool]:
        """The same without secrets, and whether there were any."""
        text = "".join(line for hunk in change.hunks for line in hunk.lines)
        if self._clean(text) == text:
            return change, False
        hunks = (
            replace(hunk, lines=tuple(self._clean(line) for line in hunk.lines))
            for hunk in change.hunks
        )
        return replace(change, hunks=tuple(hunks)), True


def _status(change: Change) -> Status:
    if change.before is None or change.before.is_folder:
        return "added"
    return "removed" if change.after is None or change.after.is_folder else "changed"


def _text(path: str) -> str:
    return name_of(Path(path))
