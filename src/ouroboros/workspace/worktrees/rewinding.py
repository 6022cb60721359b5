"""A work tree goes back to a checkpoint; what was done since stays in the repository, under refs of ours."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.workspace.worktrees import keeping
from ouroboros.workspace.worktrees.faults import WorkRefused, WorkUnknown
from ouroboros.workspace.worktrees.place import Place, manifest_of
from ouroboros.workspace.worktrees.records.manifest import Manifest, Step
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed
from ouroboros.workspace.worktrees.repository.scratch import index


class Rewound(Struct, frozen=True, kw_only=True):
    """How a session went back.

    Attributes:
        commit: What its work tree is at now.
        kept: The ref of what was there before; empty where the pruned checkpoints hold it all.
        pruned: Checkpoints that were made later.
    """

    session: Kept
    commit: str
    kept: str = ""
    pruned: tuple[str, ...] = ()


async def rewind(place: Place, session: Kept, name: str) -> Rewound:
    """Goes back to a checkpoint, or to the beginning without a name; the session must be held alone.

    Raises:
        WorkUnknown: There is no such checkpoint.
        WorkRefused: Something of git's is going on in the work tree, git says no, or a repository
            that git ignores stands where a file comes back; nothing was changed.
    """
    target = target_of(session, name)
    tree = await trees.sound(place.ground, session)
    state = await keeping.ready(tree, session)
    message = f"Before going back to {name or 'the beginning'}"
    tip = await keeping.snapshot(tree, state, message)
    tip = await _with_ignored(tree, tip, target, message)
    made = ""
    if await _is_loose(tree, tip, target):
        made = await trees.spare(place.ground, session.id)
        await tree.ask("update-ref", made, tip)
    step = Step(kind="rewind", target=target, name=name)
    return await finish(place, await place.begun(session, step), step, kept=made)


async def finish(place: Place, session: Kept, step: Step, *, kept: str = "") -> Rewound:
    """Ends a rewind whose work is kept, however far it came."""
    manifest = manifest_of(session)
    tree = await trees.sound(place.ground, session)
    # All else is in the index, so it goes; what the target does not ignore is not ours to remove.
    await tree.ask("reset", "--hard", "--quiet", step.target, seconds=LONG_SECONDS)
    left = _pruned(manifest, step.name)
    pruned = tuple(each for each in manifest.checkpoints if each not in left.checkpoints)
    if left != manifest:
        await to_thread.run_sync(_copied, session)
        session = await place.recorded(session, left)
    session = await place.begun(session, None)
    return Rewound(session=session, commit=step.target, kept=kept, pruned=pruned)


async def tidied(tree: Git, commit: str) -> None:
    """Makes a work tree what a commit has; what git ignores stays, and repositories within."""
    await tree.ask("reset", "--hard", "--quiet", commit, seconds=LONG_SECONDS)
    await tree.ask("clean", "-d", "--force", "--quiet", seconds=LONG_SECONDS)


def target_of(session: Kept, name: str) -> str:
    """The commit of a checkpoint, or that of the beginning without a name; raises ``WorkUnknown``."""
    manifest = manifest_of(session)
    if not name:
        return manifest.base_commit
    found = manifest.checkpoints.get(name.strip())
    if found is not None:
        return found.commit_sha
    there = ", ".join(repr(each) for each in list(manifest.checkpoints)[-5:])
    raise WorkUnknown(
        f"session {session.id[:8]} has no checkpoint {name[:80]!r}",
        hint=f"it has {there}" if there else "it has none yet; `paws session checkpoint` makes one",
    )


async def _with_ignored(tree: Git, tip: str, target: str, message: str) -> str:
    """The commit that also holds what git ignores, where going back would write over it."""
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A")
    new = await tree.names(*words, tip, target)
    inside = await to_thread.run_sync(partial(_in_the_way, tree.folder, new))
    if not inside:
        return tip
    if repository := await to_thread.run_sync(partial(_repository_in, tree.folder, inside)):
        raise WorkRefused(
            f"{repository!r} is a repository of its own and stands where a file comes back",
            hint=f"move it out of {tree.folder}, then go back again",
        )
    async with index(tree) as given:
        add = ("--literal-pathspecs", "add", "--force", "--sparse")
        named = b"".join(os.fsencode(each) + b"\0" for each in inside)
        more = ("--pathspec-from-file=-", "--pathspec-file-nul")
        ended = await tree.call(*add, *more, stdin=named, given=given, seconds=LONG_SECONDS)
        if not ended.code:
            ended = await tree.call("write-tree", given=given, seconds=LONG_SECONDS)
        if ended.code:
            raise failed(tree.folder, add, ended)
    if ended.text == await tree.ask("rev-parse", f"{tip}^{{tree}}"):
        return tip
    return await keeping.commit_of(tree, ended.text, ["-p", tip], message)


def _in_the_way(root: Path, paths: Sequence[str]) -> list[str]:
    """What stands where files will be written, or where their folders will be."""
    found: dict[str, None] = {}
    for path in paths:
        place = root
        for part in Path(path).parts:
            place /= part
            if place.is_symlink() or not place.is_dir():
                break
        if _is_held(place):
            found[place.relative_to(root).as_posix()] = None
    return list(found)


def _repository_in(root: Path, paths: Sequence[str]) -> str:
    """The first repository that one of these is, holds or lies in: of it git would keep its name only."""
    for path in paths:
        place = root / path
        above = [each for each in place.parents if each.is_relative_to(root) and each != root]
        is_folder = place.is_dir() and not place.is_symlink()
        below = (Path(each) for each, _, _ in os.walk(place)) if is_folder else ()
        for folder in (*above, *below):
            if os.path.lexists(folder / ".git"):
                return folder.relative_to(root).as_posix()
    return ""


def _is_held(place: Path) -> bool:
    """Whether something would be lost with it: git keeps no empty folder."""
    if place.is_dir() and not place.is_symlink():
        return any(files for _, _, files in os.walk(place))
    return os.path.lexists(place)


async def _is_loose(tree: Git, tip: str, target: str) -> bool:
    """Whether no ref but the branch that is about to move leads to a commit."""
    if tip == target:
        return False
    refs = ("--tags", "--remotes", "--glob=refs/paws/*")
    found = await tree.ask("rev-list", "--max-count=1", tip, "--not", target, *refs)
    return bool(found)


def _pruned(manifest: Manifest, name: str) -> Manifest:
    """The record without what came after a checkpoint."""
    if not name:
        return structs.replace(manifest, turn_count=0, checkpoints={}, agent_log=())
    until = manifest.checkpoints.get(name.strip())
    if until is None:
        return manifest
    return structs.replace(
        manifest,
        turn_count=until.turn_number,
        checkpoints={
            each: made
            for each, made in manifest.checkpoints.items()
            if made.turn_number <= until.turn_number
        },
        agent_log=tuple(each for each in manifest.agent_log if each.timestamp <= until.timestamp),
    )


def _copied(session: Kept) -> None:
    """The record as it was, beside the one that is pruned."""
    number = len(list(session.folder.glob("session.before-*.json"))) + 1
    with suppress(OSError):
        shutil.copyfile(
            session.folder / "session.json", session.folder / f"session.before-{number}.json"
        )
