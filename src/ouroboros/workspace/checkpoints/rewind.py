"""From one checkpoint back to another: the plan is on the disk before the first file is changed."""

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.workspace.checkpoints.compare import Change, differences
from ouroboros.workspace.checkpoints.faults import CheckpointFailed
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.objects import NOT_KEPT, Entry, entries_of
from ouroboros.workspace.checkpoints.place import keep_file
from ouroboros.workspace.checkpoints.restore import Restored, Restorer, Step, to_enter
from ouroboros.workspace.checkpoints.scan import Bounds, outer_rules, pattern_lines
from ouroboros.workspace.checkpoints.shadow import Shadow

_PLAN = "rewind.json"
_CARRIED = "carried.{}.json"


class Plan(Struct, frozen=True, kw_only=True):
    """A rewind that was begun.

    Attributes:
        session: Whose it is.
        checkpoint: Where it goes; ``start`` is the checkpoint of right before.
        excluded: Paths that stay as they are.
        modes: Of the folders that are made writable for it.
        mark: In the names of its temporary files.
        note: What is to be done after the files by whoever began it, in their own words; with one the
            plan is there, as ``carried``, until they ``forget`` it.
    """

    session: str
    checkpoint: str
    start: str
    excluded: tuple[bytes, ...]
    modes: tuple[tuple[bytes, int], ...]
    mark: str
    note: str = ""


def between(shadow: Shadow, before: str, after: str) -> list[Change]:
    """What differs between two checkpoints.

    Raises:
        CheckpointLost: One of them is not kept any more.
    """
    library = shadow.library
    old, new = (library.tree_of(_sha(checkpoint)) for checkpoint in (before, after))
    return list(differences(lambda sha: library.get(sha, "tree"), old, new))


def planned(
    shadow: Shadow, start: str, target: str, bounds: Bounds, *, excluded: Collection[str] = ()
) -> tuple[list[Change], dict[str, str]]:
    """What has to be changed from ``start`` to ``target``, and what is left as it is, and why.

    Raises:
        CheckpointLost: Something that is needed is not kept any more.
    """
    left = dict.fromkeys(excluded, "it stays")
    changes: list[Change] = []
    was_ignored = _Then(shadow, target, bounds)
    for change in between(shadow, start, target):
        if any(path in left for path in _way(change.path)):
            continue
        why = _obstacle(change)
        if not why and change.after is None and was_ignored(change):
            why = "it was ignored then, so it may be older"
        if why:
            left[change.path] = why
        else:
            changes.append(change)
    for path in excluded:
        left.pop(path, None)
    return changes, left


def begin(
    shadow: Shadow,
    plan: Plan,
    changes: list[Change],
    step: Step = lambda _: None,
) -> Restored:
    """Carries a plan out, which any later process can finish; inside of ``locked``.

    Raises:
        CheckpointFailed: Something is not kept any more, or the plan cannot be written: nothing was
            changed. Or the disk refused in the middle: ``finish`` goes on from there.
    """
    for change in changes:
        if change.after is not None and not change.after.is_folder:
            shadow.library.get(change.after.sha, "blob")
    try:
        step("plan")
        plan = msgspec.structs.replace(plan, modes=_encoded(to_enter(shadow.root, changes)))
        keep_file(shadow.folder / _PLAN, msgspec.json.encode(plan))
    except OSError as failed:
        raise CheckpointFailed(f"nothing was changed: {failed.strerror or failed}") from failed
    return _carried_out(shadow, plan, changes, step)


def pending(shadow: Shadow) -> Plan | None:
    """The rewind that an earlier process did not finish."""
    return _read(shadow.folder / _PLAN)


def carried(shadow: Shadow, session: str) -> Plan | None:
    """The rewind of a session whose files are done, and after which there was more to do."""
    return _read(shadow.folder / _CARRIED.format(session))


def forget(shadow: Shadow, session: str) -> None:
    """There is nothing more to do after the latest rewind of a session; raises ``OSError``."""
    (shadow.folder / _CARRIED.format(session)).unlink(missing_ok=True)


def _read(path: Path) -> Plan | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Plan)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as broken:
        raise CheckpointFailed(f"the plan of a rewind cannot be read: {broken}") from broken


def finish(
    shadow: Shadow,
    plan: Plan,
    bounds: Bounds,
    *,
    way: Literal["on", "back"] = "on",
    step: Step = lambda _: None,
) -> Restored:
    """Goes on with a rewind that was cut off, or takes it back; inside of ``locked``.

    Raises:
        CheckpointFailed: It cannot be done; the plan stays.
    """
    excluded = [os.fsdecode(path) for path in plan.excluded]
    changes, left = planned(shadow, plan.start, plan.checkpoint, bounds, excluded=excluded)
    if way == "back":
        plan = msgspec.structs.replace(plan, note="")
        changes = [
            Change(path=change.path, before=change.after, after=change.before) for change in changes
        ]
    Restorer(shadow.root, shadow.library.get, mark=plan.mark).clean(changes)
    found = _carried_out(shadow, plan, changes, step)
    found.left |= left
    return found


def _carried_out(shadow: Shadow, plan: Plan, changes: list[Change], step: Step) -> Restored:
    restorer = Restorer(
        shadow.root,
        shadow.library.get,
        mark=plan.mark,
        entered={os.fsdecode(path): mode for path, mode in plan.modes},
        step=step,
    )
    try:
        found = restorer.run(changes)
        step("done")
        if plan.note:
            (shadow.folder / _PLAN).replace(shadow.folder / _CARRIED.format(plan.session))
        else:
            (shadow.folder / _PLAN).unlink(missing_ok=True)
    except OSError as failed:
        raise CheckpointFailed(
            f"the files were brought back in part only: {failed.strerror or failed}",
            hint="`ouro rewind --finish` goes on, `ouro rewind --take-back` undoes it",
        ) from failed
    return found


def _way(path: str) -> Iterator[str]:
    """A path and the folders above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _encoded(modes: Mapping[str, int]) -> tuple[tuple[bytes, int], ...]:
    return tuple((os.fsencode(path), mode) for path, mode in modes.items())


def _obstacle(change: Change) -> str:
    sides = [side for side in (change.before, change.after) if side is not None]
    return "its content was not kept" if any(side.mode == NOT_KEPT for side in sides) else ""


class _Then:
    """What was ignored at a checkpoint, by the patterns that are in it."""

    def __init__(self, shadow: Shadow, checkpoint: str, bounds: Bounds) -> None:
        self._shadow = shadow
        self._keep = Ignored(None, "", pattern_lines(bounds.keep))
        self._tree = shadow.library.tree_of(_sha(checkpoint))
        outer = outer_rules(shadow.root, bounds.skip)
        self._rules = self._ruled(outer, "", self._tree)

    def __call__(self, change: Change) -> bool:
        parts = change.path.split("/")
        rules, tree = self._rules, self._tree
        for number, part in enumerate(parts):
            path = "/".join(parts[: number + 1])
            is_folder = number + 1 < len(parts) or bool(change.before and change.before.is_folder)
            if not self._keep.verdict(path, is_folder=is_folder) and rules.verdict(
                path, is_folder=is_folder
            ):
                return True
            if number + 1 < len(parts):
                tree = self._below(tree, part)
                rules = self._ruled(rules, f"{path}/", tree)
        return False

    def _below(self, tree: bytes, name: str) -> bytes:
        found = self._named(tree, os.fsencode(name))
        return found.sha if found and found.is_folder else b""

    def _ruled(self, rules: Ignored, base: str, tree: bytes) -> Ignored:
        found = self._named(tree, b".gitignore")
        if found is None or found.is_folder or found.mode == NOT_KEPT:
            return rules
        return Ignored(rules, base, self._shadow.library.get(found.sha, "blob"))

    def _named(self, tree: bytes, name: bytes) -> Entry | None:
        return next((entry for entry in self._entries(tree) if entry.name == name), None)

    def _entries(self, tree: bytes) -> Iterator[Entry]:
        return entries_of(self._shadow.library.get(tree, "tree")) if tree else iter(())


def _sha(checkpoint: str) -> bytes:
    try:
        return bytes.fromhex(checkpoint)
    except ValueError as wrong:
        raise CheckpointFailed(f"{checkpoint!r} does not name a checkpoint") from wrong
