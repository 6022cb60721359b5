"""Checkpoints of a session that is not open here, or of which something is asked; everything blocks."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.app.past import forking
from ouroboros.app.rewind.bounds import bounds_of
from ouroboros.app.rewind.journey import Way, carry_out, event_of, finished, prepare, weighed
from ouroboros.app.rewind.points import Point, before, named, points
from ouroboros.app.rewind.resuming import note_of, rest_of
from ouroboros.app.rewind.undoing import Span
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Foreign, Rewind
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope, Event
from ouroboros.core.events.checkpoint import CheckpointCreated, CheckpointRestored, TurnUndone
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.state import fold
from ouroboros.core.state.files import Kept
from ouroboros.store import resume, sessions
from ouroboros.workspace.checkpoints.diff import diff_of
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.rewind import between, pending
from ouroboros.workspace.checkpoints.rewind import forget as done_with
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken

type What = Literal["both", "files", "conversation"]


class Preview(Struct, frozen=True, kw_only=True):
    """What going back would do; ``diff`` is from the files as they are to the files as they would be.

    Attributes:
        foreign: Changed since by somebody else, or maybe so, and overwritten only with a yes.
        unsure: Those of them that a command may have changed as well.
        left: Stays as it is, and why.
    """

    diff: str
    added: int
    changed: int
    removed: int
    foreign: tuple[str, ...]
    unsure: tuple[str, ...]
    left: dict[str, str]


class Previews(Struct, frozen=True, kw_only=True):
    """What the two ways would do to files.

    Attributes:
        restore: All files go back, as ``Restore`` has it and ``Undo`` does not.
        undo: Turns go back; what nobody of ours touched stays as it is.
    """

    restore: Preview
    undo: Preview


_BUNDLES = "paws"
"""Below the home folder: checkpoints from before bundles were applied."""


class Size(Struct, frozen=True, kw_only=True):
    """What the checkpoints of one folder take on the disk."""

    folder: str
    sessions: int
    checkpoints: int
    bytes: int


class Records:
    """The checkpoints of one session, read from the disk."""

    def __init__(
        self, home: Path, session: str, settings: Settings, here: Path | None = None
    ) -> None:
        """Reads the log; ``here`` is looked at where the session's folder is gone: it may be renamed.

        Raises:
            SessionUnknown: There is no such session.
            CheckpointFailed: Its folder is gone.
        """
        read = resume.read(home, session).envelopes
        self._home, self.session = home, session
        self.state = fold(read)
        self.envelopes = read
        self.events = [each.data for each in read]
        self.times = {each.seq: each.ts for each in read}
        self.bounds = bounds_of(settings, home)
        self._ask_after = settings.checkpoints.ask_after
        self.shadow = self._opened(Path(self.state.cwd), here)

    def _opened(self, root: Path, here: Path | None) -> Shadow:
        if root.is_dir():
            return Shadow.opened(self._home, root)
        if here is not None and self.state.files.kept:
            shadow = Shadow.opened(self._home, here)
            if shadow.has(self.state.files.kept[-1].checkpoint):
                return shadow
        raise CheckpointFailed(
            f"the folder {self.state.cwd!r} of this session is gone",
            hint="make it again, or go to it by its new name, and files can be brought back into it",
        )

    def points(self) -> list[Point]:
        """Where it can go back to, the latest first."""
        now = ""
        if self.is_open_ended:
            with self.shadow.locked():
                now = self._glance()
        return points(self.state, self.shadow, self.times, now)

    @property
    def is_open_ended(self) -> bool:
        """The files as the latest call left them are not kept: it is at work, or was cut off."""
        kept = self.state.files.kept
        return bool(kept) and kept[-1].kind == "before"

    def kept(self) -> list[tuple[Kept, float, bool]]:
        """Its checkpoints, when they were made, and whether they are still there."""
        return [
            (kept, self.times.get(kept.seq, 0.0), self.shadow.has(kept.checkpoint))
            for kept in self.state.files.kept
        ]

    def diff(self, checkpoint: str, other: str = "") -> str:
        """From one checkpoint to another, or to the files as they are now, which are not kept."""
        start = named(self.state, checkpoint).checkpoint
        if other:
            end = named(self.state, other).checkpoint
            return diff_of(self.shadow.library, between(self.shadow, start, end))
        with self.shadow.locked():
            return diff_of(self.shadow.library, between(self.shadow, start, self._glance()))

    def target(self, message_id: str, checkpoint: str = "") -> Kept | None:
        """The checkpoint that is meant; None where the files are as they were."""
        return named(self.state, checkpoint) if checkpoint else before(self.state, message_id)

    def preview(self, target: Kept) -> Preview:
        """What bringing all files back would do to them; they are looked at and not kept."""
        with self.shadow.locked():
            return self._previewed(self.way(target))

    def previews(self, target: Kept) -> Previews:
        """The same, and what taking turns back would do."""
        with self.shadow.locked():
            way = self.way(target)
            restore, touched = self._previewed(way), way.touched()
            undo = restore if touched == way else self._previewed(touched)
        return Previews(restore=restore, undo=undo)

    def way(self, target: Kept) -> Way:
        """What would have to be changed; inside of ``shadow.locked``."""
        where = (self.shadow, self.state, target, self._glance(), self.bounds)
        return weighed(*where, ask_after=self._ask_after)

    def _previewed(self, way: Way) -> Preview:
        files = [change for change in way.changes if not change.is_folder]
        return Preview(
            diff=diff_of(self.shadow.library, way.changes),
            added=sum(change.before is None for change in files),
            changed=sum(None not in {change.before, change.after} for change in files),
            removed=sum(change.after is None for change in files),
            foreign=way.foreign,
            unsure=way.unsure,
            left=way.left,
        )

    def restore(
        self, target: Kept, decision: Foreign, *, message_id: str = "", turns: int = 0
    ) -> CheckpointRestored:
        """Brings the files back, with what goes on record of it.

        With ``turns`` the conversation is to leave so many afterwards, with ``rewind``; where that does
        not come about any more, the next start does it.

        Raises:
            ForeignEdits: Somebody else's changes stand in the way, and nothing was decided of them.
            SessionBusy: The session is open; it can be told there.
            CheckpointFailed: It cannot be done.
        """
        clock = SystemClock()
        ready = prepare(
            *(self.shadow, self.state, target, self.bounds),
            now=clock.now(),
            ask_after=self._ask_after,
        )
        excluded = ready.excluded(decision)
        span = Span(turns=turns, message_id=message_id, head=self.state.tree.head)
        self._record([_created(ready.start, "rewind")])
        found, after = carry_out(
            self.shadow,
            ready,
            self.bounds,
            session=self.session,
            excluded=excluded,
            now=clock.now(),
            note=note_of(span, self.state) if turns else "",
        )
        start = ready.start.checkpoint
        event = event_of(found, target=ready.target, start=start, message_id=message_id)
        self._record([_created(after, "restored"), event])
        return event

    def rewind(self, point: Point, start: str = "") -> None:
        """Lets the conversation go on from before a turn, which ``/redo`` can bring back.

        ``start`` is the checkpoint of right before the files went back; empty where they did not.
        """
        forking.move(self._home, self.session, Rewind(message_id=point.message_id))
        undone = TurnUndone(
            turns=point.number,
            head=self.state.tree.head,
            start=start,
            done=("files", "history") if start else ("history",),
        )
        self._record([undone])
        self._done()

    def is_cut_off(self) -> bool:
        """Whether there is a rewind of this folder that an earlier process did not finish."""
        return pending(self.shadow) is not None

    def finish(self, way: Literal["on", "back"]) -> tuple[CheckpointRestored, Event | None]:
        """Goes on with it or takes it back, with what goes on record of it: of files, and of turns.

        Raises:
            Misuse: Another process has done so since.
            CheckpointFailed: It cannot be done; the plan stays.
        """
        done = finished(self.shadow, self.bounds, way=way)
        if done is None:
            raise Misuse("the rewind of this folder was finished or taken back meanwhile")
        plan, found = done
        target = plan.checkpoint if way == "on" else plan.start
        event = event_of(found, target=target, start=plan.start, was_cut=True)
        is_ours = way == "on" and bool(plan.note) and plan.session == self.session
        rest = rest_of(plan, self.state) if is_ours else []
        self._record([event, *rest])
        if is_ours:
            self._done()
        return event, rest[-1] if rest else None

    def _done(self) -> None:
        """What is left of a plan says nothing new to the next start."""
        with suppress(OSError):
            done_with(self.shadow, self.session)

    def _glance(self) -> str:
        return self.shadow.glance(self.bounds, now=SystemClock().now())

    def _record(self, events: Sequence[Event]) -> None:
        clock = SystemClock()
        ids = TimeOrderedIds(clock, os.urandom)

        def next_ones(read: list[Envelope]) -> list[Envelope]:
            state = fold(read)
            return forking.enveloped(state, events, ids, clock.now())

        sessions.extend(self._home, self.session, next_ones)


def sizes(home: Path) -> list[Size]:
    """What the checkpoints of every folder take, of sessions and of bundles that were applied."""
    found: list[Size] = []
    for shadow in _all(home):
        owners = shadow.sessions()
        found.append(
            Size(
                folder=shadow.belongs_to,
                sessions=len(owners),
                checkpoints=sum(len(shadow.checkpoints(each)) for each in owners),
                bytes=shadow.library.size,
            )
        )
    return found


def prune(home: Path, *, keep: int) -> int:
    """Lets go of all but the latest checkpoints of each session, everywhere; how many went.

    Those of applied bundles are few by themselves; only what they no longer need goes. Nothing stays
    of work sessions that were deleted.

    Raises:
        CheckpointFailed: Another process is at work with them.
    """
    gone = 0
    for shadow in _all(home):
        is_over = _is_over(shadow.belongs_to)
        is_bundles = shadow.folder.is_relative_to(home / _BUNDLES)
        with shadow.locked():
            for session in shadow.sessions() if is_over or not is_bundles else ():
                gone += shadow.forget(session, 0 if is_over else keep)
            shadow.tidy()
            if is_over:
                shutil.rmtree(shadow.folder, ignore_errors=True)
        shadow.library.close()
    return gone


def _all(home: Path) -> list[Shadow]:
    places = (home, home / _BUNDLES)
    return [
        Shadow(folder, home)
        for place in places
        for folder in sorted((place / "checkpoints").glob("*.git"))
    ]


def _is_over(folder: str) -> bool:
    """Whether it was the work tree of a session that is no more, in a project that is still there."""
    parts = Path(folder).parts
    if parts[-4:-2] != (".paws", "sessions") or parts[-1] != "worktree":
        return False
    session = Path(folder).parent
    return session.parent.is_dir() and not session.exists()


def forget(home: Path, session: str) -> None:
    """Lets go of the checkpoints of a session that was deleted, but for those that a fork of it names.

    Raises:
        CheckpointFailed: Another process is at work with them.
    """
    for folder in sorted((home / "checkpoints").glob("*.git")):
        shadow = Shadow(folder, home)
        if session not in shadow.sessions():
            continue
        wanted = _named_elsewhere(home, shadow.belongs_to)
        with shadow.locked():
            done_with(shadow, session)
            for checkpoint in shadow.checkpoints(session):
                if owner := wanted.get(checkpoint):
                    shadow.refer(owner, checkpoint)
            shadow.forget(session)
            shadow.tidy()


def _named_elsewhere(home: Path, cwd: str) -> dict[str, str]:
    """The checkpoints that other sessions of a folder know of, each with one of them."""
    found: dict[str, str] = {}
    for each in sessions.list_sessions(home, cwd=cwd, archived=True, limit=1_000_000):
        state = fold(resume.read(home, each.id).envelopes)
        found |= {kept.checkpoint: each.id for kept in state.files.kept}
    return found


def one_of(found: list[Point], number: str) -> Point:
    """The point that a person meant by its number or its words' id; raises ``Misuse``."""
    for point in found:
        if number in {str(point.number), point.message_id}:
            return point
    raise Misuse(
        f"there is no turn {number[:40]!r} to go back to",
        hint=f"there are {len(found)}; `ouro rewind` lists them" if found else "nothing was said",
    )


def _created(taken: Taken, kind: Literal["rewind", "restored"]) -> CheckpointCreated:
    return CheckpointCreated(checkpoint=taken.checkpoint, tree=taken.tree, kind=kind)
