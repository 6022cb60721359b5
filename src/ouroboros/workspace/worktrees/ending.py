"""A session is put away and taken up again: its files go, its commits stay."""

import os
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.workspace.worktrees import keeping
from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.place import Place, manifest_of
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.manifest import Step
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import Git, silenced

_SHOWN = 5


class Archived(Struct, frozen=True, kw_only=True):
    """A session that was put away; ``kept`` are refs made for work that nothing else named."""

    session: Kept
    kept: tuple[str, ...] = ()


async def saved(place: Place, session: Kept, *, keep: bool, flag: str = "--keep") -> Kept:
    """The session with all of its work in commits.

    Args:
        place: Where it is.
        session: Held alone.
        keep: Make a checkpoint of what is in no commit, and do not refuse.
        flag: The option that asks for it.

    Raises:
        WorkRefused: There is work in no commit, or some that no commit could hold.
    """
    if not session.tree.is_dir():
        return session
    tree = await trees.sound(place.ground, session)
    await _refuse_inner(tree, session)
    state = await trees.state(tree)
    await trees.refuse_unborn(tree, session, state)
    if not (state.unsaved or state.conflicts):
        return session
    short = session.id[:8]
    if not keep or state.nested:
        left = (*state.conflicts, *state.unsaved)
        what = "1 file" if len(left) == 1 else f"{len(left)} files"
        raise WorkRefused(
            f"{what} in the work tree of session {short} in no checkpoint: {', '.join(left[:_SHOWN])}",
            hint=f"move {state.nested[0]!r} away: it is a repository of its own"
            if state.nested
            else f"keep them: {flag}, or `paws session checkpoint {short} NAME`",
        )
    name = names.free("last", manifest_of(session).checkpoints)
    return await keeping.checkpoint(place, session, keeping.Wish(name=name))


async def archive(place: Place, session: Kept) -> Archived:
    """Removes the work tree of a session whose work is saved; the lists must be held alone."""
    return await finish(place, await place.begun(session, Step(kind="archive")))


async def finish(place: Place, session: Kept) -> Archived:
    """Ends the archiving of a session, however far it came."""
    manifest = manifest_of(session)
    kept = await trees.hold(place.ground, session)
    await trees.remove(place.ground, session.tree)
    session = await place.recorded(session, structs.replace(manifest, status="archived"))
    return Archived(session=await place.begun(session, None), kept=kept)


async def resume(place: Place, session: Kept) -> Kept:
    """Makes a session active again, and lays its work tree out where that is gone.

    Raises:
        WorkRefused: It has no commit any more, or git says no; then it is as it was.
    """
    manifest = manifest_of(session)
    if not session.tree.exists():
        session = await _laid_out(place, session)
    await trees.sound(place.ground, session)
    session = await place.recorded(session, structs.replace(manifest, status="active"))
    return await place.begun(session, None)


async def _laid_out(place: Place, session: Kept) -> Kept:
    """A session whose files are there again; nobody has worked in what is taken back."""
    tip = await last(place, session)
    await trees.hold(place.ground, session)
    session = await place.begun(session, Step(kind="resume", target=tip))
    await trees.remove(place.ground, session.tree)  # what git still knows of it
    try:
        branch = session.work.branch
        await trees.add(place.ground, session.tree, commit=tip, branch=branch, new=False)
    except WorkRefused:
        await trees.remove(place.ground, session.tree)
        await place.begun(session, None)
        raise
    return session


async def last(place: Place, session: Kept) -> str:
    """The commit that a session without a work tree ended at; raises ``WorkRefused``."""
    manifest = manifest_of(session)
    git = place.ground.git
    branch = session.work.branch
    asked = ("rev-parse", "--verify", "--quiet")
    if branch and (found := await git.found(*asked, f"refs/heads/{branch}^{{commit}}")):
        return found
    if branch:
        raise WorkRefused(
            f"the branch {branch!r} of session {session.id[:8]} is gone",
            hint=f"make it again: git branch {branch} {_newest(session)}",
        )
    for ref in (_newest(session), manifest.base_commit):
        if found := await git.found(*asked, f"{ref}^{{commit}}"):
            return found
    raise WorkRefused(f"no commit of session {session.id[:8]} is in the repository any more")


def _newest(session: Kept) -> str:
    made = list(manifest_of(session).checkpoints)
    return names.tag(session.id, made[-1]) if made else manifest_of(session).base_commit


async def _refuse_inner(tree: Git, session: Kept) -> None:
    """Repositories within go with the work tree, ignored ones too; what is only there would be lost."""
    for folder in await to_thread.run_sync(_inner, session.tree):
        path = folder.relative_to(session.tree).as_posix()
        inner = await silenced(structs.replace(tree, folder=folder, off=(), silenced=()))
        top = await inner.ask("rev-parse", "--show-toplevel")
        if not await to_thread.run_sync(_is_same, Path(top), folder):
            raise WorkRefused(
                f"{path!r} of session {session.id[:8]} is a repository that git cannot read",
                hint=f"move it out of the work tree: {folder}",
            )
        named = ["--branches", "--tags", "--glob=refs/stas?"]
        if await inner.holds("rev-parse", "--verify", "--quiet", "HEAD"):
            named.append("HEAD")
        own = await inner.ask("rev-list", "--max-count=1", *named, "--not", "--remotes")
        if own or await inner.ask("status", "--porcelain", "--ignore-submodules=dirty"):
            raise WorkRefused(
                f"{path!r} of session {session.id[:8]} has work that is nowhere else",
                hint=f"commit and push it from {folder}, or move it out of the work tree",
            )


def _inner(root: Path) -> list[Path]:
    """Folders below one that hold a ``.git``: a file that names one, or objects of its own."""
    found: list[Path] = []
    for name, folders, files in os.walk(root):
        folder = Path(name)
        if folder != root and (".git" in files or (folder / ".git" / "objects").is_dir()):
            found.append(folder)
        folders[:] = sorted(set(folders) - {".git"})
    return found


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
