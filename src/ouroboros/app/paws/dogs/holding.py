"""The files as they were before a bundle, kept apart from Git and from any session's checkpoints.

A repository of our own below the home folder holds them. Nothing of the person's ``.git`` is written,
but for an index that a command changed and that is put back.
"""

import os
import stat
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.app.paws.dogs.repositories import Repositories
from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError
from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.artifacts.dogs.journals import journal_of
from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.objects import (
    LINK,
    NOT_KEPT,
    Entry,
    commit_of,
    name_of,
    tree_of,
)
from ouroboros.workspace.checkpoints.restore import Restored
from ouroboros.workspace.checkpoints.rewind import Plan, begin, between, finish, pending, planned
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow

OWNER = "dogs"
"""Whose the checkpoints are."""

KEPT = 5
"""So many of them stay."""

_ATTEMPT, _NEXT = "dogs.json", "dogs.next.json"
_MOST_NAMES = 1_000_000
_OTHERS = frozenset({".paws"})
"""Where agents work beside us, whose files no verdict about ours takes back."""
_INTO = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OUT_OF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Busy(OuroborosError):
    """Another ``dogs`` is at work in this folder."""


class Attempt(Struct, frozen=True, kw_only=True):
    """The last bundle that was applied.

    Attributes:
        before: The checkpoint of its paths as they were.
        made: Each path, and the name that Git gives the content it was given; empty for none.
        unjudged: The command that has not yet said whether it is good; empty where there is none.
    """

    bundle: str
    before: str
    made: tuple[tuple[bytes, str], ...]
    unjudged: str = ""


class Hold:
    """What is kept of one folder; every method blocks."""

    def __init__(self, home: Path, root: Path, bounds: Bounds, clock: Clock) -> None:
        """``bounds`` as those of a session's checkpoints; ``journal`` is where writing is noted.

        Raises:
            CheckpointFailed: Nothing can be kept.
        """
        self.root, self._clock = root, clock
        self._bounds = msgspec.structs.replace(
            bounds, keep=("*",), entries=_MOST_NAMES, without=_OTHERS
        )
        self._shadow = Shadow.opened(home / "paws", root)
        self.journal = journal_of(home, root)
        self.left: dict[str, str] = {}
        self.inner: frozenset[str] = frozenset()
        self.told: tuple[str, ...] = ()
        self._odd: frozenset[str] = frozenset()
        self._repositories = Repositories(root, ())

    @contextmanager
    def alone(self) -> Generator[None]:
        """No other process applies a bundle to this folder meanwhile.

        Raises:
            Busy: One does.
        """
        lock = self._shadow.folder / "dogs.lock"
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
            except BlockingIOError as held:
                raise Busy(
                    f"another process applies a bundle to {str(self.root)!r}",
                    hint="wait for it to end",
                ) from held
            yield
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Lets go of the repository."""
        self._repositories.close()
        self._shadow.library.close()

    def everything(self) -> str:
        """A checkpoint of all that is in the folder, also of what Git ignores.

        Raises:
            CheckpointFailed: It is too much, or there is no room.
        """
        checkpoint = self._look()
        self._repositories.close()
        self._repositories = Repositories(self.root, self.inner)
        return checkpoint

    def _look(self) -> str:
        taken = self._shadow.take(
            self._bounds, session=OWNER, message="before a bundle", now=self._clock.now()
        )
        self.left, self.inner, self._odd = taken.left, taken.inner, taken.odd
        return taken.checkpoint

    def paths(self, names: Iterable[str]) -> str:
        """A checkpoint of these paths alone, with the folders that lead to them.

        Raises:
            CheckpointFailed: There is no room, or one cannot be read.
        """
        shadow = self._shadow
        try:
            with shadow.locked():
                with shadow.library.writing():
                    tree = _Tree(self.root, shadow.library.put).of(names)
                    data = commit_of(tree, "paths before a bundle", self._clock.now())
                    sha = name_of("commit", data)
                    shadow.library.put("commit", sha, data)
                shadow.refer(OWNER, sha.hex())
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"the files cannot be kept: {why}") from failed
        return sha.hex()

    def intend(self, attempt: Attempt) -> None:
        """Writes down what is about to be written, so that it can be taken back from then on.

        Raises:
            CheckpointFailed: It cannot be written down.
        """
        try:
            self._put(_NEXT, attempt)
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"what is about to be done cannot be kept: {why}") from failed

    def settle(self, *, is_written: bool) -> None:
        """What was intended is the bundle that was applied last, or it never was."""
        folder = self._shadow.folder
        with suppress(OSError):
            if is_written:
                (folder / _NEXT).replace(folder / _ATTEMPT)
            else:
                (folder / _NEXT).unlink(missing_ok=True)
            sync_folder(folder)

    def unsettled(self) -> Attempt | None:
        """What a killed process intended, of which it is not known whether it is written."""
        return self._read(_NEXT)

    def is_written(self, attempt: Attempt) -> bool:
        """Whether anything of a bundle is otherwise than before it; raises ``CheckpointFailed``."""
        made = {os.fsdecode(path) for path, _ in attempt.made}
        changes = between(self._shadow, self.paths(made), attempt.before)
        return any(change.path in made for change in changes)

    def remember(self, attempt: Attempt) -> None:
        """Writes down what was written; raises ``OSError``."""
        self._put(_ATTEMPT, attempt)

    def latest(self) -> Attempt | None:
        """The bundle that was applied last, and not taken back."""
        return self._read(_ATTEMPT)

    def _put(self, name: str, attempt: Attempt) -> None:
        path = self._shadow.folder / name
        partial = path.with_suffix(".part")
        partial.unlink(missing_ok=True)  # a killed process may have left it
        put_whole(path, msgspec.json.encode(attempt), partial)
        sync_folder(path.parent)

    def _read(self, name: str) -> Attempt | None:
        try:
            return msgspec.json.decode((self._shadow.folder / name).read_bytes(), type=Attempt)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def forget(self) -> None:
        """There is nothing to take back."""
        (self._shadow.folder / _ATTEMPT).unlink(missing_ok=True)

    def resume(self) -> Restored | None:
        """Goes on with what a killed process was bringing back; None where it was doing no such thing.

        Raises:
            CheckpointFailed: It cannot be done; it stays to be done.
        """
        plan = pending(self._shadow)
        if plan is None:
            return None
        with self._shadow.reading():
            return finish(self._shadow, plan, self._bounds)

    def restore(self, before: str) -> Restored:
        """Brings back all that was there at ``everything``, and removes what has come since.

        A repository that was moved goes to its place again, and one that is new stays; ``told`` says so.
        To be called where that was called last: which sockets and repositories there were is known here only.

        Raises:
            CheckpointFailed: It broke off, and ``resume`` goes on; or a repository would be lost.
        """
        odd = self._odd
        with self._shadow.reading():
            self._repositories.put_back()
            found = self._brought(before, odd)
            if self._repositories.put_back():  # where a file stood in the way until now
                again = self._brought(before, odd)
                changed = dict.fromkeys((*found.changed, *again.changed))
                found = Restored(changed=list(changed), left=again.left)
        new = ", ".join(self._repositories.new(self.inner))
        self.told = (f"repositories that were not there before stay: {new}",) if new else ()
        return found

    def _brought(self, before: str, odd: frozenset[str]) -> Restored:
        start = self._look()
        for path in self._odd - odd:
            with suppress(OSError):
                (self.root / path).unlink()
        changes, left = planned(self._shadow, start, before, self._bounds)
        found = begin(self._shadow, self._plan(before, start), changes)
        found.left |= left
        return found

    def undo(self, attempt: Attempt) -> Restored:
        """Brings back the paths of one bundle, where they still hold what it wrote.

        Raises:
            CheckpointFailed: It broke off; ``resume`` goes on.
        """
        shadow = self._shadow
        made = {os.fsdecode(path): sha for path, sha in attempt.made}
        with shadow.reading():
            start = self.paths(made)
            changes = between(shadow, start, attempt.before)
            foreign = {
                change.path: "it was changed since"
                for change in changes
                if change.path in made and _held(change) != made[change.path]
            }
            plan = self._plan(attempt.before, start, excluded=foreign)
            wanted = [change for change in changes if change.path not in foreign]
            found = begin(shadow, plan, wanted)
            found.left |= foreign
        return found

    def tidy(self) -> None:
        """Lets go of what is no longer needed; that it cannot does no harm."""
        with suppress(CheckpointFailed, OSError), self._shadow.locked():
            if self._shadow.forget(OWNER, KEPT):
                self._shadow.tidy()

    def _plan(self, target: str, start: str, excluded: Mapping[str, str] | None = None) -> Plan:
        return Plan(
            session=OWNER,
            checkpoint=target,
            start=start,
            excluded=tuple(os.fsencode(path) for path in excluded or ()),
            modes=(),
            mark=os.urandom(4).hex(),
        )


def content_name(data: bytes) -> str:
    """What Git calls this content."""
    return name_of("blob", data).hex()


def _held(change: Change) -> str:
    """What is there now, by the name of its content."""
    return "" if change.before is None else change.before.sha.hex()


class _Tree:
    """Reads some paths of a folder into trees; no link is followed."""

    def __init__(self, root: Path, put: Callable[[Literal["blob", "tree"], bytes, bytes], None]):
        self._root, self._put = root, put

    def of(self, names: Iterable[str]) -> bytes:
        """The tree of these paths; raises ``OSError``."""
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self._folder(folder, names)

    def _folder(self, descriptor: int, names: Iterable[str]) -> bytes:
        below: dict[str, list[str]] = {}
        for name in names:
            first, _, rest = name.partition("/")
            below.setdefault(first, []).extend([rest] if rest else [])
        try:
            found = [self._entry(descriptor, name, inner) for name, inner in below.items()]
        finally:
            os.close(descriptor)
        data = tree_of(entry for entry in found if entry is not None)
        sha = name_of("tree", data)
        self._put("tree", sha, data)
        return sha

    def _entry(self, folder: int, name: str, below: list[str]) -> Entry | None:
        try:
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        mode, spelled = seen.st_mode, os.fsencode(name)
        if stat.S_ISDIR(mode):
            inner = os.open(name, _INTO, dir_fd=folder)
            return Entry(name=spelled, mode=mode, sha=self._folder(inner, below))
        if stat.S_ISLNK(mode):
            mode, data = LINK, os.fsencode(os.readlink(name, dir_fd=folder))
        elif stat.S_ISREG(mode):
            with os.fdopen(os.open(name, _OUT_OF, dir_fd=folder), "rb") as file:
                data = file.read()
        else:
            mode, data = NOT_KEPT, b""
        sha = name_of("blob", data)
        self._put("blob", sha, data)
        return Entry(name=spelled, mode=mode, sha=sha)
