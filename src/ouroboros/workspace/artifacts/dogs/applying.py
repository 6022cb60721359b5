"""Writes a plan: every file or none, also when the disk is full or the process is killed.

What was there keeps a second name until all is done, so taking it back needs no room and gives back the
very file. A journal names both before anything is changed.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.artifacts.dogs.change import Refusal, Refused
from ouroboros.workspace.artifacts.dogs.journal import (
    READ,
    Journal,
    Place,
    Step,
    above,
    copy_beside,
    digest,
    digest_of,
    liken,
    status,
)
from ouroboros.workspace.artifacts.dogs.plan import FilePlan, Plan, Snapshot
from ouroboros.workspace.checkpoints.place import alone, keep_file

_SYNCED_ONE_BY_ONE = 64
"""More files than this are made durable together."""

_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ONE_NAME_ONLY = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
_USUAL = {0o644: 0o666, 0o755: 0o777}

type Hear = Callable[[str], None]
"""Hears of each step before it is done."""


class Recovered(Struct, frozen=True, kw_only=True):
    """What became of changes that were cut off; ``left`` are paths that somebody has changed since."""

    outcome: Literal["nothing", "finished", "taken back"]
    left: tuple[str, ...] = ()


class ApplyFailed(OuroborosError):
    """A plan could not be written, or one that was cut off not be taken back."""


def apply(plan: Plan, root: Path, *, journal: Path, hear: Hear = lambda _: None) -> None:
    """Writes every file of a plan, whatever blocks it refuses; it blocks.

    Args:
        plan: Made for this folder, a moment ago.
        root: The folder; it may be a link.
        journal: A file outside of it, one for each folder; ``recover`` is given the same.
        hear: Hears of each step before it is done.

    Raises:
        Refused: A file is not as the plan has it any more. All is as it was.
        ApplyFailed: The disk refused. All is as it was, unless the message says more.
        CheckpointBusy: Another process writes changes to this folder.
    """
    place = Path(os.path.realpath(root))
    try:
        journal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(_lock(journal), place):
            _recovered(place, journal)
            writer = _Writer(place, plan.changed, journal, hear)
            _run(writer)
    except OSError as failed:
        raise ApplyFailed(f"nothing was written: {_why(failed)}") from failed


def recover(root: Path, *, journal: Path) -> Recovered:
    """Ends what a killed process left: taken back, or tidied up when all was written; it blocks.

    Raises:
        ApplyFailed: It cannot be done; the journal stays, and says what was under way.
        CheckpointBusy: Another process writes changes to this folder.
    """
    if not journal.exists():
        return Recovered(outcome="nothing")
    place = Path(os.path.realpath(root))
    try:
        with alone(_lock(journal), place):
            return _recovered(place, journal)
    except OSError as failed:
        raise ApplyFailed(
            f"changes of {str(root)!r} that were cut off cannot be taken back: {_why(failed)}"
        ) from failed


def _recovered(root: Path, path: Path) -> Recovered:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Journal)
    except FileNotFoundError:
        return Recovered(outcome="nothing")
    except msgspec.DecodeError as broken:
        raise ApplyFailed(
            f"{str(path)!r}, which tells of changes that were cut off, is damaged",
            hint="look at the folder, then remove that file",
        ) from broken
    place = Place(root, found.mark)
    if found.state == "done":
        place.tidy(found)
        left: list[str] = []
    else:
        left = place.undo(found)
    path.unlink(missing_ok=True)
    outcome = "finished" if found.state == "done" else "taken back"
    return Recovered(outcome=outcome, left=tuple(left))


def _run(writer: "_Writer") -> None:
    try:
        writer.run()
    except OSError as failed:
        told = writer.take_back()
        raise ApplyFailed(f"the changes could not be written: {_why(failed)}; {told}") from failed
    except Refused as refused:
        told = writer.take_back()
        raise Refused(*refused.refusals, hint=told) from refused
    except BaseException:
        writer.take_back()
        raise


def _lock(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.lock")


def _why(failed: OSError) -> str:
    name = f"{failed.filename!r}: " if isinstance(failed.filename, str) else ""
    return f"{name}{failed.strerror or failed}"


class _Writer(Place):
    """Carries one plan out."""

    def __init__(self, root: Path, files: Sequence[FilePlan], path: Path, hear: Hear) -> None:
        super().__init__(root, os.urandom(4).hex())
        self._path, self._hear = path, hear
        self._wanted: dict[str, tuple[Snapshot | None, Snapshot | None]] = {}
        self._blocks: dict[str, int] = {}
        for file in files:
            self._want(file)
        self._journal = self._planned()
        self._is_begun = False
        self._together = len(self._journal.steps) > _SYNCED_ONE_BY_ONE

    def _want(self, file: FilePlan) -> None:
        block = file.blocks[0] if file.blocks else 0
        if file.was:
            self._wanted[file.was] = (file.before, None)
            self._wanted[file.path] = (None, file.after)
            self._blocks[file.was] = block
        else:
            self._wanted[file.path] = (file.before, file.after)
        self._blocks[file.path] = block

    def _planned(self) -> Journal:
        emptied = self._emptied()
        going = {path for path, _ in emptied}
        steps = [
            Step(
                path=path,
                number=number,
                aside=self._aside_of(path, going),
                before="" if before is None else digest(before.content),
                after="" if after is None else digest(after.content),
            )
            for number, (path, (before, after)) in enumerate(sorted(self._wanted.items()), start=1)
        ]
        folders = {way for step in steps if step.after for way in above(step.path)}
        missing = sorted(way for way in folders if not (self.root / way).is_dir())
        return Journal(
            mark=self.mark,
            state="going",
            steps=tuple(steps),
            folders=tuple(missing),
            emptied=emptied,
        )

    def _aside_of(self, path: str, going: set[str]) -> str:
        """The innermost folder on the way that is there and stays."""
        there = [way for way in above(path) if way not in going and self._is_folder(way)]
        return there[-1] if there else ""

    def _is_folder(self, way: str) -> bool:
        place = self.root / way
        return place.is_dir() and not place.is_symlink()

    def _emptied(self) -> tuple[tuple[str, int], ...]:
        """Folders in whose place a file comes, with those in them."""
        found: list[tuple[str, int]] = []
        for path, (before, after) in self._wanted.items():
            if before is None and after is not None and self._is_folder(path):
                for folder, _, _ in os.walk(self.root / path):
                    name = Path(folder).relative_to(self.root).as_posix()
                    found.append((name, stat.S_IMODE(Path(folder).stat().st_mode)))
        return tuple(found)

    def run(self) -> None:
        """All of it; what may need room comes before anything can be seen."""
        if not self._journal.steps:
            return
        keep_file(self._path, msgspec.json.encode(self._journal))
        self._is_begun = True
        gone = [step for step in self._journal.steps if not step.after]
        put = [step for step in self._journal.steps if step.after]
        for step in put:
            self._stage(step)
        if self._together:
            os.sync()
        for step in self._journal.steps:
            self._check(step)
        for step in gone:
            self._remove(step)
        for path, _ in sorted(self._journal.emptied, key=lambda each: len(each[0]), reverse=True):
            self._give_way(path)
        for step in put:
            self._put(step)
        self._hear("done")
        self._journal = replace(self._journal, state="done")
        keep_file(self._path, msgspec.json.encode(self._journal))
        with suppress(OSError):  # all is written; what is left is tidied up by whoever comes next
            self._hear("tidy")
            self.tidy(self._journal)
            self._path.unlink(missing_ok=True)

    def take_back(self) -> str:
        """Everything as it was, in words; the journal stays where that cannot be done."""
        if not self._is_begun:
            return "everything is as it was"
        if self._journal.state == "done":
            return "all files are written, but what was kept of the old ones is still beside them"
        try:
            left = self.undo(self._journal)
            self._path.unlink(missing_ok=True)
        except OSError as failed:
            return f"taking it back failed ({_why(failed)}) and is tried again the next time"
        if left:
            return f"all but this is as it was: {', '.join(left)}"
        return "everything is as it was"

    def _stage(self, step: Step) -> None:
        """The new text in full, where nobody sees it yet."""
        before, after = self._wanted[step.path]
        if after is None:
            return
        self._hear(f"stage {step.path}")
        beside = self._reached(step, step.aside)
        try:
            mode = _USUAL.get(after.mode, 0o600) if before is None else 0o600
            descriptor = os.open(self.aside(step, "new"), _MADE, mode, dir_fd=beside)
            with os.fdopen(descriptor, "wb") as file:
                file.write(after.content)
                file.flush()
                if before is not None:
                    self._liken(step, descriptor)
                if before is not None or after.mode not in _USUAL:
                    os.fchmod(descriptor, after.mode)
                if not self._together:
                    os.fsync(descriptor)
        finally:
            os.close(beside)

    def _liken(self, step: Step, descriptor: int) -> None:
        """Gives a new file the owner and attributes of the one it replaces."""
        folder, name = self._opened(step)
        try:
            old = os.open(name, READ, dir_fd=folder)
        except OSError:
            return  # the check finds out, and says so
        finally:
            os.close(folder)
        try:
            liken(old, descriptor)
        finally:
            os.close(old)

    def _check(self, step: Step) -> None:
        """What is there is what the plan says; raises ``Refused``."""
        if not step.before and any(path == step.path for path, _ in self._journal.emptied):
            return
        try:
            folder, name = self._opened(step)
        except FileNotFoundError:
            found = ""
        except NotADirectoryError:
            found = ""  # a file that goes first, or making the folder fails
        else:
            try:
                found = digest_of(folder, name)
            finally:
                os.close(folder)
        if found != step.before:
            self._refuse(step, "it is gone" if not found else "it was changed just now")

    def _refuse(self, step: Step, why: str) -> None:
        raise Refused(Refusal(reason=why, path=step.path, block=self._blocks.get(step.path, 0)))

    def _opened(self, step: Step, *, make: bool = False) -> tuple[int, str]:
        """The folder of a step's path and its name there; the caller closes it."""
        way, _, name = step.path.rpartition("/")
        return self._reached(step, way, make=make), name

    def _reached(self, step: Step, way: str, *, make: bool = False) -> int:
        try:
            return self.folder(way, make=make)
        except OSError as failed:
            if failed.errno == errno.ELOOP or self._is_linked(way):
                self._refuse(step, "a link was put in its way")
            raise

    def _is_linked(self, way: str) -> bool:
        return any((self.root / part).is_symlink() for part in [*above(way), way] if part)

    def _remove(self, step: Step) -> None:
        self._hear(f"remove {step.path}")
        folder, name = self._opened(step)
        try:
            self._keep_old(step, folder, name)
            self._hear(f"unlink {step.path}")
            os.unlink(name, dir_fd=folder)
        finally:
            os.close(folder)

    def _give_way(self, path: str) -> None:
        self._hear(f"remove folder {path}")
        way, _, name = path.rpartition("/")
        folder = self.folder(way)
        try:
            os.rmdir(name, dir_fd=folder)
        finally:
            os.close(folder)

    def _keep_old(self, step: Step, folder: int, name: str) -> None:
        """A second name for what is there, which is looked at once more under it."""
        old = self.aside(step, "old")
        beside = self._reached(step, step.aside)
        try:
            try:
                os.link(name, old, src_dir_fd=folder, dst_dir_fd=beside, follow_symlinks=False)
            except FileNotFoundError:
                self._refuse(step, "it is gone")
            except OSError as failed:
                if failed.errno not in _ONE_NAME_ONLY:
                    raise
                copy_beside(folder, name, beside, old)
            if digest_of(beside, old) != step.before:
                os.unlink(old, dir_fd=beside)
                self._refuse(step, "it was changed just now")
        finally:
            os.close(beside)

    def _put(self, step: Step) -> None:
        self._hear(f"put {step.path}")
        folder, name = self._opened(step, make=True)
        beside = self._reached(step, step.aside)
        new = self.aside(step, "new")
        try:
            if step.before:
                self._keep_old(step, folder, name)
                self._hear(f"replace {step.path}")
                os.rename(new, name, src_dir_fd=beside, dst_dir_fd=folder)
            else:
                self._add(step, beside, folder, name)
            if not self._together:
                with suppress(OSError):
                    os.fsync(folder)
        finally:
            os.close(folder)
            os.close(beside)

    def _add(self, step: Step, beside: int, folder: int, name: str) -> None:
        """The file gets its name, which nothing else may have."""
        new = self.aside(step, "new")
        try:
            os.link(new, name, src_dir_fd=beside, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            self._refuse(step, "something was put there just now")
        except OSError as failed:
            if failed.errno not in _ONE_NAME_ONLY:
                raise
            if status(folder, name) is not None:
                self._refuse(step, "something was put there just now")
            os.rename(new, name, src_dir_fd=beside, dst_dir_fd=folder)
