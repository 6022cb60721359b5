"""Writes what was chosen, has it judged, and takes it back whole where it is judged bad."""

import os
import stat
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.app.paws.dogs.holding import Attempt, Hold, content_name
from ouroboros.app.paws.dogs.outcome import (
    Ending,
    FileOutcome,
    Outcome,
    Verified,
    taken_away,
)
from ouroboros.app.paws.dogs.reading import Prepared, Tell, skipped
from ouroboros.app.paws.dogs.repositories import MOST
from ouroboros.app.paws.dogs.verifying import (
    Around,
    Signals,
    around,
    interruptible,
    listening,
    put_index_back,
    verified,
)
from ouroboros.app.text import encodable
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Interrupted, OuroborosError
from ouroboros.workspace.artifacts.dogs import FilePlan, Plan, Refused
from ouroboros.workspace.artifacts.dogs.applying import ApplyFailed, apply, recover
from ouroboros.workspace.artifacts.dogs.journal import above
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.restore import Restored
from ouroboros.workspace.checkpoints.scan import Bounds

_SHOWN = 5


class Check(Struct, frozen=True, kw_only=True):
    """The command that judges the changes, and what becomes of them where it fails."""

    command: str
    environment: Mapping[str, str]
    timeout_seconds: float
    revert: bool


class Ground(Struct, frozen=True, kw_only=True):
    """Where bundles are applied; ``bounds`` as those of a session's checkpoints."""

    root: Path
    home: Path
    bounds: Bounds
    clock: Clock

    def hold(self) -> Hold:
        """What keeps the files; blocking.

        Raises:
            CheckpointFailed: Nothing can be kept.
        """
        return Hold(self.home, self.root, self.bounds, self.clock)


def recovered(hold: Hold, tell: Tell) -> None:
    """Takes back what a killed process left half done, and says so; inside of ``alone``, blocking.

    Raises:
        CheckpointFailed: It cannot be done.
        ApplyFailed: The same.
    """
    found = hold.resume()
    if found is not None:
        tell(f"an earlier way back was cut off; {len(found.changed)} more paths were brought back")
    done = recover(hold.root, journal=hold.journal)
    if done.outcome == "taken back":
        tell("an earlier bundle was cut off while it was written; its changes are taken back")
    for path in done.left:
        tell(f"somebody has changed {path} since, so it was left as it is")
    if (intended := hold.unsettled()) is not None:
        hold.settle(is_written=done.outcome != "taken back" and hold.is_written(intended))
    attempt = hold.latest()
    if attempt is not None and attempt.unjudged:
        tell(
            f"{attempt.bundle} was applied, and cut off while {attempt.unjudged!r} judged it; "
            "`ouro dogs --undo` takes it back"
        )
        hold.remember(structs.replace(attempt, unjudged=""))


async def carried_out(
    ground: Ground,
    prepare: Callable[[], Prepared],
    choose: Callable[[Prepared], Awaitable[tuple[FilePlan, ...] | Outcome]],
    *,
    name: str,
    check: Check | None,
    tell: Tell,
) -> Outcome:
    """The whole way of one bundle, alone in its folder.

    Args:
        ground: Where.
        prepare: Reads the bundle and plans.
        choose: What of it is written, or how it ends without; may ask the person.
        name: The bundle as the person named it.
        check: Judges the changes once they are written.
        tell: Hears lines for the person.

    Raises:
        CheckpointFailed: The files cannot be kept before, so nothing was written; or not be brought back.
        Busy: Another process is at work in this folder.
    """
    hold = await to_thread.run_sync(ground.hold)
    try:
        with hold.alone():
            await to_thread.run_sync(recovered, hold, tell)
            found = await to_thread.run_sync(prepare)
            if found.ending is not None:
                return found.ending
            chosen = await choose(found)
            if isinstance(chosen, Outcome):
                return chosen
            way = _Way(ground, hold, found, name=name, tell=tell)
            return await way.go(chosen, check)
    finally:
        hold.close()


class Before(Struct, frozen=True, kw_only=True):
    """What is brought back where a command says no: all files, the folder's own mode, each index."""

    whole: str
    mode: int
    stands: tuple[Around, ...]


class _Way:
    """One bundle on its way into the files."""

    def __init__(
        self, ground: Ground, hold: Hold, found: Prepared, *, name: str, tell: Tell
    ) -> None:
        self._ground, self._hold, self._found = ground, hold, found
        self._name, self._tell = encodable(name), tell

    async def go(self, chosen: tuple[FilePlan, ...], check: Check | None) -> Outcome:
        rest = _rest(self._found, chosen)
        before: Before | None = None
        if check is not None and check.revert:
            before = await to_thread.run_sync(self._looked)
            self._tell_left()
        self._tell(f"Applying changes from {self._name}")
        try:
            if check is None:
                await to_thread.run_sync(self._write, chosen, "")
                files = (*self._found.told(chosen), *rest)
                return Outcome(outcome="applied", files=files, notes=self._notes)
            with listening() as signals:  # also while files come back, which no key breaks off
                return await self._judged(check, chosen, rest, before, signals)
        except (Refused, ApplyFailed) as failed:
            why = failed.message
            kept = skipped(chosen, "nothing was written")
            return Outcome(outcome="refused", reason=why, files=(*rest, *kept), notes=self._notes)

    @property
    def _notes(self) -> tuple[str, ...]:
        return self._found.bundle.notes

    def _tell_left(self) -> None:
        if left := self._hold.left:
            self._tell(f"not kept, so not brought back if they change: {_some(list(left))}")

    def _looked(self) -> Before:
        root = self._hold.root
        mode = stat.S_IMODE(root.stat().st_mode)
        whole = self._hold.everything()
        inner = sorted(self._hold.inner)[:MOST]
        places = [root, *((root / path).parent for path in inner)]
        return Before(whole=whole, mode=mode, stands=tuple(map(around, places)))

    def _write(self, chosen: tuple[FilePlan, ...], command: str) -> Attempt:
        """All or nothing, and written down for who wants to take it back."""
        hold = self._hold
        made = [(file.path, file.after) for file in chosen]
        made += [(file.was, None) for file in chosen if file.was]
        before = hold.paths(path for path, _ in made)
        content = tuple(
            (os.fsencode(path), content_name(after.content) if after else "")
            for path, after in made
        )
        attempt = Attempt(bundle=self._name, before=before, made=content, unjudged=command)
        hold.intend(attempt)
        try:
            apply(Plan(files=chosen), hold.root, journal=hold.journal)
        except BaseException:
            hold.settle(is_written=False)
            raise
        hold.settle(is_written=True)
        hold.tidy()
        return attempt

    async def _judged(
        self,
        check: Check,
        chosen: tuple[FilePlan, ...],
        rest: tuple[FileOutcome, ...],
        before: Before | None,
        signals: Signals,
    ) -> Outcome:
        judge = partial(
            verified,
            check.command,
            cwd=self._hold.root,
            environment=check.environment,
            timeout_seconds=check.timeout_seconds,
            clock=self._ground.clock,
        )
        attempts: list[Attempt] = []

        async def work() -> Verified:
            attempts.append(await to_thread.run_sync(self._write, chosen, encodable(check.command)))
            self._tell(f"Running verification command: {check.command}")
            return await judge()

        found = await interruptible(work, signals)
        if found is None:
            if before is not None and attempts:
                self._tell("interrupted; bringing the files back")
                _, told_of_git = await self._back(before)
                if told_of_git:
                    self._tell(told_of_git)
            raise Interrupted("interrupted while the changes were judged")
        files = (*self._found.told(chosen), *rest)
        ending: Ending = "applied" if found.is_good else "verify_failed"
        outcome = Outcome(outcome=ending, files=files, verify=found, notes=self._notes)
        if before is not None and not found.is_good:
            return await self._reverted(outcome, before)
        with suppress(OSError):  # without it the next one is told that it was cut off
            judged = structs.replace(attempts[0], unjudged="")
            await to_thread.run_sync(self._hold.remember, judged)
        return outcome

    async def _back(self, before: Before) -> tuple[Restored, str]:
        def work() -> tuple[Restored, str]:
            self._hold.root.mkdir(parents=True, exist_ok=True)  # a command may have removed it
            self._hold.root.chmod(before.mode)
            found = self._hold.restore(before.whole)
            self._hold.forget()
            told = [*self._hold.told, *map(put_index_back, before.stands)]
            return found, "; ".join(dict.fromkeys(filter(None, told)))

        done: list[tuple[Restored, str]] = []
        with anyio.CancelScope(shield=True):
            done.append(await to_thread.run_sync(work))
        return done[0]

    async def _reverted(self, outcome: Outcome, before: Before) -> Outcome:
        try:
            back, told_of_git = await self._back(before)
        except (CheckpointFailed, OSError) as failed:
            why = failed.message if isinstance(failed, CheckpointFailed) else str(failed)
            return structs.replace(outcome, reason=f"it could not be brought back: {why}")
        if back.left:
            why = "; ".join(filter(None, ("not all of it could be brought back", told_of_git)))
            left = {encodable(path): reason for path, reason in back.left.items()}
            files = tuple(taken_away(file, left) for file in outcome.files)
            return structs.replace(outcome, files=files, left=left, reason=why)
        bundle = {name for file in outcome.files for name in (file.path, file.was) if name}
        ours = bundle.union(*map(above, bundle))
        if others := [path for path in back.changed if path not in ours]:
            self._tell(f"also brought back or removed: {_some(others)}")
        files = tuple(taken_away(file, {}) for file in outcome.files)
        return structs.replace(outcome, outcome="reverted", files=files, reason=told_of_git)


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + more


async def taken_back(ground: Ground, tell: Tell) -> Outcome:
    """Takes back the bundle that was applied last, as far as nobody changed its files since.

    Raises:
        CheckpointFailed: It cannot be done.
        OuroborosError: There is none.
    """

    def work() -> Outcome:
        hold = ground.hold()
        try:
            with hold.alone():
                recovered(hold, tell)
                attempt = hold.latest()
                if attempt is None:
                    raise OuroborosError(f"no bundle was applied to {str(ground.root)!r}")
                tell(f"Taking back {attempt.bundle}")
                found = hold.undo(attempt)
                if not found.left:
                    hold.forget()
                return _undone(attempt, found)
        finally:
            hold.close()

    return await to_thread.run_sync(work)


def _undone(attempt: Attempt, found: Restored) -> Outcome:
    changed = set(found.changed)
    names = [os.fsdecode(path) for path, _ in attempt.made]
    files = tuple(
        FileOutcome(
            path=name,
            action="restored" if name in changed else "skipped" if name in found.left else "none",
            reason=found.left.get(name, ""),
        )
        for name in names
    )
    return Outcome(
        outcome="refused" if found.left else "applied" if changed else "nothing_to_do",
        files=files,
        left=found.left,
        reason="some files were changed since, and were left as they are" if found.left else "",
    )


def _rest(found: Prepared, chosen: tuple[FilePlan, ...]) -> tuple[FileOutcome, ...]:
    taken = {file.path for file in chosen}
    others = tuple(file for file in found.files if file.path not in taken)
    return (*found.kept, *skipped(others, "it was not accepted"))
