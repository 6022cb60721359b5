"""The way back to a checkpoint in two steps, so that the first is on record before the second; it blocks."""

import os
from collections.abc import Callable, Collection
from pathlib import PurePosixPath
from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from ouroboros.app.rewind.points import others
from ouroboros.core.commands import Foreign
from ouroboros.core.errors import Misuse
from ouroboros.core.events.checkpoint import CheckpointRestored
from ouroboros.core.state import State
from ouroboros.core.state.files import Kept
from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.restore import Restored, Step
from ouroboros.workspace.checkpoints.rewind import Plan, begin, finish, pending, planned
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken

_UNSURE = "it was changed while a command ran"
_THEIRS = "it was changed by somebody else"

SHOWN = 20
"""So many paths are named in an event."""


class ForeignEdits(Misuse):
    """Somebody else has changed files that would be overwritten; nothing was done."""

    def __init__(self, paths: Collection[str], unsure: Collection[str] = ()) -> None:
        """``paths`` are all of them; of the ``unsure`` ones nobody knows whether it was a command."""
        theirs = set(paths).difference(unsure)
        said = [f"changed since by somebody else: {_some(theirs)}"] if theirs else []
        if unsure:
            said.append(f"changed by a command, or by somebody while it ran: {_some(unsure)}")
        super().__init__(
            "; ".join(said),
            hint="`overwrite` brings them back too, and what is new goes; `keep` leaves them",
        )
        self.paths = tuple(sorted(paths))


def _some(paths: Collection[str]) -> str:
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    return f"{', '.join(sorted(paths)[:5])}{more}"


class Way(Struct, frozen=True, kw_only=True):
    """What a way back would change.

    Attributes:
        target: The checkpoint that it leads to.
        left: Paths that stay as they are whatever is decided, and why.
        foreign: Of the changes, those that would overwrite somebody else's, or may.
        unsure: Those of them that a command may have made as well.
        apart: Those of them that were surely never ours.
    """

    target: str
    changes: tuple[Change, ...]
    left: dict[str, str]
    foreign: tuple[str, ...]
    unsure: tuple[str, ...] = ()
    apart: frozenset[str] = frozenset()

    def touched(self) -> Self:
        """The same without what was surely never ours: that stays as it is, and nobody has to be asked."""
        around = {str(above) for path in self.apart for above in PurePosixPath(path).parents}
        return replace(
            self,
            changes=tuple(
                change
                for change in self.changes
                if change.path not in self.apart
                and not (change.is_folder and change.path in around)
            ),
            left=self.left | {path: _THEIRS for path in self.foreign if path in self.apart},
            foreign=tuple(path for path in self.foreign if path not in self.apart),
        )

    def only(self, paths: Collection[str]) -> Self:
        """The same for some files, with the folders that they need.

        Raises:
            Misuse: One of them is as it was, or must stay as it is.
        """
        wanted = frozenset(paths)
        for path in sorted(wanted - {change.path for change in self.changes}):
            why = self.left.get(path, "it is as it was then")
            raise Misuse(f"{path!r} is not brought back: {why}", hint="look at the change again")
        needed = {str(above) for path in wanted for above in PurePosixPath(path).parents}
        return replace(
            self,
            changes=tuple(
                change
                for change in self.changes
                if change.path in wanted
                or (change.path in needed and change.before is None and change.is_folder)
            ),
            left={},
            foreign=tuple(path for path in self.foreign if path in wanted),
            unsure=tuple(path for path in self.unsure if path in wanted),
        )

    def excluded(self, decision: Foreign) -> tuple[str, ...]:
        """The paths that stay by a decision; raises ``ForeignEdits`` where there is none."""
        if self.foreign and decision == "ask":
            raise ForeignEdits(self.foreign, self.unsure)
        return self.foreign if decision == "keep" else ()


class Ready(Way, frozen=True, kw_only=True):
    """A way back that can be gone; ``start`` is the checkpoint of right now."""

    start: Taken


def weighed(
    shadow: Shadow, state: State, target: Kept, now: str, bounds: Bounds, *, ask_after: float
) -> Way:
    """The way from the checkpoint ``now``; inside of ``locked``, raises as ``planned``."""
    changes, left = planned(shadow, now, target.checkpoint, bounds)
    found = others(shadow, state.files.kept, target, now, ask_after=ask_after)
    return Way(
        target=target.checkpoint,
        changes=tuple(changes),
        left=left,
        foreign=tuple(change.path for change in changes if change.path in found),
        unsure=tuple(change.path for change in changes if change.path in found.unsure),
        apart=found.apart,
    )


def prepare(
    shadow: Shadow,
    state: State,
    target: Kept,
    bounds: Bounds,
    *,
    now: float,
    ask_after: float,
    stop: Callable[[], bool] = lambda: False,
) -> Ready:
    """Keeps the files as they are and finds out what has to be changed.

    Raises:
        CheckpointFailed: It cannot be done; nothing was changed.
    """
    last = state.files.kept[-1] if state.files.kept else None
    with shadow.reading():
        start = shadow.take(
            bounds,
            session=state.session,
            message=f"rewind\n\nSession: {state.session}\nTurn: {state.turn}",
            last=(last.checkpoint, last.tree) if last else ("", ""),
            now=now,
            stop=stop,
        )
        way = weighed(shadow, state, target, start.checkpoint, bounds, ask_after=ask_after)
    return Ready(**asdict(way), start=start)


def carry_out(
    shadow: Shadow,
    ready: Ready,
    bounds: Bounds,
    *,
    session: str,
    excluded: Collection[str],
    now: float,
    note: str = "",
    step: Step = lambda _: None,
) -> tuple[Restored, Taken]:
    """Brings the files back; what came of it, and the checkpoint of right after.

    With a ``note`` of what is to be done afterwards the plan stays as one that was carried out.

    Raises:
        CheckpointFailed: It broke off; the plan is kept, and the next start goes on from there.
    """
    plan = Plan(
        session=session,
        checkpoint=ready.target,
        start=ready.start.checkpoint,
        excluded=tuple(os.fsencode(path) for path in excluded),
        modes=(),
        mark=os.urandom(4).hex(),
        note=note,
    )
    out = set(excluded)
    changes = [change for change in ready.changes if change.path not in out]
    with shadow.reading():
        found = begin(shadow, plan, changes, step)
        unsure = frozenset(ready.unsure)
        found.left |= ready.left | {
            path: _UNSURE if path in unsure else _THEIRS for path in excluded
        }
        after = shadow.take(
            bounds,
            session=session,
            message=f"restored {ready.target}\n\nSession: {session}",
            last=(ready.start.checkpoint, ready.start.tree),
            now=now,
        )
    return found, after


def finished(
    shadow: Shadow, bounds: Bounds, *, way: Literal["on", "back"] = "on"
) -> tuple[Plan, Restored] | None:
    """Goes on with a rewind that an earlier process began, or takes it back; None where there is none.

    Raises:
        CheckpointFailed: It cannot be finished; it stays to be done.
    """
    if pending(shadow) is None:
        return None
    with shadow.reading():
        plan = pending(shadow)
        return None if plan is None else (plan, finish(shadow, plan, bounds, way=way))


def event_of(
    found: Restored, *, target: str, start: str, message_id: str = "", was_cut: bool = False
) -> CheckpointRestored:
    """What goes on record of files that were brought back."""
    return CheckpointRestored(
        checkpoint=target,
        start=start,
        message_id=message_id,
        paths=tuple(found.changed[:SHOWN]),
        changed=len(found.changed),
        left=tuple(f"{path}: {why}" for path, why in list(found.left.items())[:SHOWN]),
        finished=was_cut,
    )
