"""Work sessions of the repository that a folder lies in: what commands and agents do with them."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from anyio import to_thread
from msgspec import structs, to_builtins

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.workspace.worktrees import (
    deleting,
    ending,
    keeping,
    merging,
    rewinding,
    showing,
    starting,
)
from ouroboros.workspace.worktrees.deleting import Deleted
from ouroboros.workspace.worktrees.ending import Archived
from ouroboros.workspace.worktrees.faults import (
    MergeConflict,
    WorkBusy,
    WorkRefused,
    WorkUnknown,
)
from ouroboros.workspace.worktrees.mending import Mended, mend
from ouroboros.workspace.worktrees.merging import Merged
from ouroboros.workspace.worktrees.place import Place, at, manifest_of
from ouroboros.workspace.worktrees.records.manifest import (
    Checkpoint,
    LogEntry,
    Manifest,
    Said,
    Status,
)
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.rewinding import Rewound

__all__ = [
    "Archived",
    "Checkpoint",
    "Deleted",
    "Kept",
    "LogEntry",
    "Manifest",
    "Mended",
    "MergeConflict",
    "Merged",
    "Rewound",
    "Said",
    "Sessions",
    "WorkBusy",
    "WorkRefused",
    "WorkUnknown",
    "manifest_of",
    "refuse_unless_active",
    "status_of",
    "told",
]


class Sessions:
    """The work sessions of one repository; any number of processes may use them at once."""

    def __init__(self, place: Place) -> None:
        """Made by ``at``."""
        self._place = place
        self.mended: list[Mended] = []

    @classmethod
    async def at(
        cls, cwd: Path, environment: Mapping[str, str], clock: Clock | None = None
    ) -> "Sessions":
        """Those of the repository that ``cwd`` lies in; writes nothing.

        Raises:
            NoRepository: It lies in none, or in one without files.
        """
        return cls(await at(cwd, environment, clock or SystemClock()))

    @property
    def root(self) -> Path:
        """The top of the main tree; paths of records are relative to it."""
        return self._place.ground.root

    @property
    def silenced(self) -> tuple[str, ...]:
        """Filters and merge drivers of the repository's own settings, which are not run."""
        return self._place.ground.git.silenced

    @property
    def warnings(self) -> list[str]:
        """Records that could not be read when ``all`` was called."""
        return self._place.shelf.warnings

    def here(self) -> str:
        """The id of the session in whose work tree the command was given; empty elsewhere."""
        top = self._place.ground.top
        sessions = self._place.ground.sessions
        return top.relative_to(sessions).parts[0] if top.is_relative_to(sessions) else ""

    async def start(self, *, base: str = "", name: str = "", detach: bool = False) -> Kept:
        """Starts a session from a branch, tag or commit, or from what is checked out.

        Raises:
            Misuse: No such commit, no commit at all, or a name that cannot be one.
            WorkRefused: git or the disk says no; nothing of it is left.
        """
        wish = starting.Wish(base=base, label=name, is_detached=detach)
        commit = await starting.base_of(self._place, wish)
        async with self._listed():
            return await starting.start(self._place, commit, wish)

    async def all(self) -> list[Kept]:
        """Every session that was started, the oldest first; what a killed command left is ended."""
        if not await to_thread.run_sync(self._place.shelf.is_there):
            return []
        with suppress(WorkRefused):  # somebody is at it, or it may only be read
            async with self._listed(wait=0.0):
                pass
        return [kept for kept in await self._place.all() if kept.manifest is not None]

    async def find(self, words: str) -> Kept:
        """A session by the beginning of its id, or by its name; raises ``WorkUnknown``."""
        return await self._place.read(await self._id(words))

    async def active(self, words: str) -> Kept:
        """The same, ready to be worked in.

        Raises:
            WorkUnknown: There is none.
            WorkRefused: It is not active, or its work tree is gone.
        """
        session = await self.find(words)
        refuse_unless_active(session)
        await trees.sound(self._place.ground, session)
        return session

    @asynccontextmanager
    async def working(self, session: Kept) -> AsyncGenerator[Kept]:
        """Nobody else works in the session, rewinds, merges or archives it meanwhile; it must be active."""
        async with self._place.working(session.id):
            found = await self._place.read(session.id)
            refuse_unless_active(found)
            yield found

    async def refuse_checkpoint(self, session: Kept, name: str) -> None:
        """Sees to it that a checkpoint of this name can be made now; raises as ``checkpoint``."""
        await keeping.checkable(self._place, session, name)

    async def checkpoint(
        self,
        words: str,
        name: str,
        *,
        cats: Path | None = None,
        dogs: Path | None = None,
        log: Path | None = None,
    ) -> tuple[Kept, Checkpoint]:
        """Commits all that is in the work tree, tags it, and notes it in the record.

        Args:
            words: The session.
            name: Of the checkpoint.
            cats: The bundle that was asked with.
            dogs: The bundle of changes that was applied.
            log: What the agent did.

        Raises:
            Misuse: A name that cannot be one, or an unknown session.
            WorkRefused: The name is taken, the session is not active, or git says no.
        """
        async with self._entered(words) as session:
            refuse_unless_active(session)
            wish = keeping.Wish(
                name=name, cats=self._named(cats), dogs=self._named(dogs), log=self._named(log)
            )
            session = await keeping.checkpoint(self._place, session, wish)
            return session, manifest_of(session).checkpoints[name.strip()]

    async def rewind(self, words: str, checkpoint: str) -> Rewound:
        """Brings the work tree back to a checkpoint, or to the beginning without one.

        What was there since is still in the repository; ``kept`` says where.
        """
        async with self._entered(words, rests=True) as session:
            status = manifest_of(session).status
            if status not in {"active", "paused"}:
                raise _not(session, f"is {status}, so it has no files to bring back")
            return await rewinding.rewind(self._place, session, checkpoint)

    async def merge(
        self,
        words: str,
        *,
        squash: bool = False,
        message: str = "",
        keep: bool = False,
        sign: bool = True,
    ) -> Merged:
        """Merges a session into the branch that is checked out, then archives it.

        Raises:
            MergeConflict: Both sides changed the same lines; nothing was changed.
            WorkRefused: Work without a checkpoint, or the main tree stands in the way.
        """
        async with self._entered(words, rests=True) as session:
            session = await ending.saved(self._place, session, keep=keep)
            wish = merging.Wish(squash=squash, message=message, sign=sign)
            return await merging.merge(self._place, session, wish)

    async def archive(self, words: str, *, keep: bool = False) -> Archived:
        """Removes the work tree of a session; its commits and records stay."""
        async with self._entered(words, rests=True) as session:
            if manifest_of(session).status == "archived":
                raise _not(session, "is archived already")
            session = await ending.saved(self._place, session, keep=keep)
            return await ending.archive(self._place, session)

    async def delete(self, words: str, *, force: bool = False) -> Deleted:
        """Removes a session, its branch and its tags; commits that are nowhere else keep a ref."""
        async with self._entered(words, rests=True) as session:
            return await deleting.delete(self._place, session, force=force)

    async def pause(self, words: str) -> Kept:
        """Nothing is done in the session until it is resumed; its files stay."""
        async with self._entered(words) as session:
            manifest = manifest_of(session)
            if manifest.status != "active":
                raise _not(session, f"is {manifest.status}, not active")
            paused = structs.replace(manifest, status="paused")
            return await self._place.recorded(session, paused)

    async def resume(self, words: str) -> Kept:
        """Makes a session active again; where its files are gone they are laid out again."""
        async with self._entered(words) as session:
            return await ending.resume(self._place, session)

    async def log(
        self, words: str, entries: Sequence[tuple[Said, str] | tuple[Said, str, float]]
    ) -> Kept:
        """Adds to the record what was said and done, each at its time in seconds, or now."""
        session_id = await self._id(words)
        async with self._place.shelf.alone(session_id):
            session = await self._place.read(session_id)
            new = (
                LogEntry(timestamp=self._place.moment(*when), type=kind, content=text)
                for kind, text, *when in entries
            )
            manifest = manifest_of(session)
            more = structs.replace(manifest, agent_log=(*manifest.agent_log, *new))
            return await self._place.recorded(session, more)

    async def diff(self, words: str, *, since: str = "", stat: bool = False) -> bytes:
        """What the session changed since its beginning, or since a checkpoint."""
        return await showing.diff(self._place, await self.find(words), since=since, stat=stat)

    async def size(self, words: str) -> str:
        """How much the session changed, as ``git diff --numstat -z`` says it, without renames."""
        return await showing.numbers(self._place, await self.find(words))

    async def tidy(self, words: str) -> None:
        """Takes away what came into the work tree since its last commit, but for what git ignores.

        For who has just made a checkpoint, and then ran something that leaves files behind.
        """
        async with self._place.shelf.alone(await self._id(words)):
            session = await self.find(words)
            await rewinding.tidied(await trees.sound(self._place.ground, session), "HEAD")

    async def unsaved(self, session: Kept) -> tuple[str, ...]:
        """Files in a session's work tree that are in no checkpoint."""
        if not session.tree.is_dir():
            return ()
        return (await trees.state(await trees.sound(self._place.ground, session))).unsaved

    @asynccontextmanager
    async def _listed(self, wait: float | None = None) -> AsyncGenerator[list[Mended]]:
        """Nobody else starts, merges or archives meanwhile; what was left undone is done first."""
        async with self._place.shelf.alone(wait=wait):
            mended = await mend(self._place)
            self.mended += mended
            yield mended

    @asynccontextmanager
    async def _entered(self, words: str, *, rests: bool = False) -> AsyncGenerator[Kept]:
        """A session that nobody else changes, with nothing left undone in it."""
        session_id = await self._id(words)
        async with self._listed() as mended:
            for each in mended:
                if each.session_id == session_id and each.problem is not None:
                    raise each.problem
            async with self._place.shelf.alone(session_id):
                session = await self._place.read(session_id)
                if not rests:
                    yield session
                    return
                async with self._place.resting(session_id):
                    yield session

    async def _id(self, words: str) -> str:
        meant = words or self.here()
        if not meant:
            raise WorkUnknown(
                "no session is named", hint="`paws session list` shows which there are"
            )
        return await self._place.find(meant)

    def _named(self, path: Path | None) -> str | None:
        """A path as records have it: relative to the project where it lies in there."""
        if path is None:
            return None
        whole = Path(path).absolute()
        inside = whole.is_relative_to(self.root)
        return _spelled(whole.relative_to(self.root) if inside else whole)


def told(sessions: Sessions, session: Kept) -> dict[str, object]:
    """A session for machines: its record without the log, and where it is on this machine."""
    record: dict[str, object] = to_builtins(manifest_of(session))
    record.pop("agentLog")
    return {
        **record,
        "name": session.work.label,
        "branch": session.work.branch,
        "root": _spelled(sessions.root),
        "worktree": _spelled(session.tree),
    }


def _spelled(path: Path) -> str:
    """A path as JSON can hold it: bytes that are no UTF-8 are escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def status_of(session: Kept) -> Status:
    """How a session stands."""
    return manifest_of(session).status


def refuse_unless_active(session: Kept) -> None:
    """The gate before whatever works in a session; raises ``WorkRefused``."""
    status = status_of(session)
    if status != "active":
        raise _not(session, f"is {status}, not active")


def _not(session: Kept, what: str) -> WorkRefused:
    short = session.id[:8]
    return WorkRefused(
        f"session {short} {what}", hint=f"`paws session resume {short}` makes it active again"
    )
