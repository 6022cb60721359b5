"""What became of the files of a folder while an agent worked there, as a bundle of changes."""

import os
import stat
from pathlib import Path

from msgspec import Struct

from ouroboros.app.rewind.bounds import bounds_of
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.store.layout import put_whole
from ouroboros.workspace.artifacts.dogs.change import Header
from ouroboros.workspace.artifacts.dogs.plan import Snapshot
from ouroboros.workspace.artifacts.dogs.writing import write
from ouroboros.workspace.checkpoints.objects import Entry
from ouroboros.workspace.checkpoints.rewind import Plan, begin, between, planned
from ouroboros.workspace.checkpoints.shadow import Shadow


class Made(Struct, frozen=True, kw_only=True):
    """What was handed over.

    Attributes:
        path: The bundle; None where no file is different.
        files: How many are.
        left: Changes that a bundle cannot say, such as to a link.
    """

    path: Path | None
    files: int = 0
    left: tuple[str, ...] = ()


class Watched:
    """A folder as it was; every method blocks."""

    def __init__(self, root: Path, settings: Settings, *, home: Path, owner: str) -> None:
        """``owner`` is a name that no other run has.

        Raises:
            CheckpointFailed: Its files cannot be kept.
        """
        self._shadow = Shadow.opened(home, root)
        self._bounds, self._owner = bounds_of(settings, home), owner
        self._before = self._after = ""

    def begin(self, clock: Clock) -> None:
        """Keeps the files as they are now; raises ``CheckpointFailed``."""
        taken = self._shadow.take(
            self._bounds, session=self._owner, message="before an agent", now=clock.now()
        )
        self._before = taken.checkpoint

    def hand_over(self, path: Path, header: Header, clock: Clock) -> Made:
        """Writes the bundle that leads from the files as they were to those of now, which it keeps.

        Raises:
            CheckpointFailed: What there was or is cannot be read.
            Refused: A name cannot be said in a bundle.
            OSError: It cannot be written.
        """
        taken = self._shadow.take(
            self._bounds, session=self._owner, message="after an agent", now=clock.now()
        )
        self._after = taken.checkpoint
        before, after, left = self._compared()
        if not before and not after:
            return Made(path=None, left=left)
        content = write(before, after, header=header)
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, content, path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp"))
        return Made(path=path, files=len(before.keys() | after.keys()), left=left)

    def put_back(self) -> tuple[str, ...]:
        """Brings what was handed over back as it was; gives the files that stay as they are.

        Where something changed that a bundle cannot say, nothing is brought back. A file that was
        changed after the handing over is in no bundle, so it stays.

        Raises:
            CheckpointFailed: It broke off.
        """
        _, _, left = self._compared()
        if left:
            return left
        shadow = self._shadow
        with shadow.reading():
            changes, stay = planned(shadow, self._after, self._before, self._bounds)
            plan = Plan(
                session=self._owner,
                checkpoint=self._before,
                start=self._after,
                excluded=(),
                modes=(),
                mark=os.urandom(4).hex(),
            )
            found = begin(shadow, plan, changes)
        return (*stay, *found.left)

    def close(self) -> None:
        """Lets go of what was kept."""
        with self._shadow.locked():
            self._shadow.forget(self._owner)
        self._shadow.library.close()

    def _compared(self) -> tuple[dict[str, Snapshot], dict[str, Snapshot], tuple[str, ...]]:
        """Files that were different, as before and as handed over; and what no bundle can say."""
        before: dict[str, Snapshot] = {}
        after: dict[str, Snapshot] = {}
        left: list[str] = []
        with self._shadow.locked():
            for change in between(self._shadow, self._before, self._after):
                sides = (change.before, change.after)
                if change.is_folder:
                    continue
                if any(each is not None and not _is_said(each) for each in sides):
                    left.append(change.path)
                    continue
                for files, entry in zip((before, after), sides, strict=True):
                    if entry is not None and not entry.is_folder:
                        files[change.path] = self._snapshot(entry)
        return before, after, tuple(left)

    def _snapshot(self, entry: Entry) -> Snapshot:
        content = self._shadow.library.get(entry.sha, "blob")
        return Snapshot(content=content, mode=stat.S_IMODE(entry.mode))


def _is_said(entry: Entry) -> bool:
    return entry.is_folder or stat.S_ISREG(entry.mode)
