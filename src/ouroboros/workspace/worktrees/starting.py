"""A session is started: all of it, or nothing of it."""

from functools import partial

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.workspace.worktrees.faults import NoRepository, WorkRefused, WorkUnknown
from ouroboros.workspace.worktrees.place import Place
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.manifest import Manifest, Step, Work
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.ground import FOLDER, exclude

_UNDO_SECONDS = 60.0


class Wish(Struct, frozen=True, kw_only=True):
    """How a session is to be started.

    Attributes:
        base: A branch, tag or commit; empty for what is checked out.
        label: What the person calls it.
        is_detached: It gets no branch.
    """

    base: str = ""
    label: str = ""
    is_detached: bool = False


async def base_of(place: Place, wish: Wish) -> str:
    """The commit that a session would start from; git does not see its folder from now on.

    Raises:
        WorkUnknown: There is no such commit.
        NoRepository: The repository has no commit yet.
        WorkRefused: git's list of what it does not see cannot be written.
    """
    found = await _base(place, wish.base)
    await _excluded(place)
    return found


async def start(place: Place, base: str, wish: Wish) -> Kept:
    """Starts a session; the list of sessions must be held alone.

    Raises:
        Misuse: The name cannot be one.
        WorkRefused: git or the disk says no; nothing of it is left.
    """
    label = names.checked(wish.label, "session") if wish.label else ""
    session_id = await to_thread.run_sync(_made, place)
    branch = "" if wish.is_detached else await _branch(place, session_id)
    session = Kept(folder=place.shelf.folder / session_id, work=Work(label=label, branch=branch))
    try:
        session = await place.begun(session, Step(kind="start", target=base))
        await trees.add(place.ground, session.tree, commit=base, branch=branch, new=True)
        manifest = Manifest(
            session_id=session_id,
            start_time=place.moment(),
            status="active",
            base_commit=base,
            worktree_path=session.tree.relative_to(place.ground.root).as_posix(),
        )
        session = await place.recorded(session, manifest)
        return await place.begun(session, None)
    except BaseException:
        with anyio.CancelScope(shield=True), anyio.move_on_after(_UNDO_SECONDS):
            await drop(place, session)
        raise


async def drop(place: Place, session: Kept) -> None:
    """Takes back a start that did not come to its end; nobody has worked in it."""
    await trees.remove(place.ground, session.tree)
    if session.work.branch and session.work.step:
        # Only as it was made: a commit on it would be somebody's.
        words = ("update-ref", "-d", f"refs/heads/{session.work.branch}", session.work.step.target)
        await place.ground.git.call(*words)
    await to_thread.run_sync(place.shelf.discard, session.id)


async def _base(place: Place, words: str) -> str:
    git = place.ground.at_top()
    name = words or "HEAD"
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found := await git.found(*asked):
        return found
    if words:
        raise WorkUnknown(
            f"{words[:200]!r} names no commit of {str(place.ground.root)!r}",
            hint="`git branch --all` lists branches; fetch it if it is elsewhere",
        )
    raise NoRepository(
        f"{str(place.ground.root)!r} has no commit yet, so a session has nothing to start from",
        hint="make a first commit: git commit --allow-empty -m 'Begin'",
    )


async def _excluded(place: Place) -> None:
    try:
        await to_thread.run_sync(exclude, place.ground)
    except OSError as failed:
        path = place.ground.common / "info" / "exclude"
        raise WorkRefused(
            f"{str(path)!r} cannot be written, which keeps {FOLDER} out of commits: {failed.strerror}",
            hint=f"add the line /{FOLDER}/ to it yourself",
        ) from failed


def _made(place: Place) -> str:
    try:
        return place.shelf.new()
    except OSError as failed:
        raise WorkRefused(
            f"{str(place.shelf.folder)!r} cannot be written: {failed.strerror}",
            hint="make room on the disk, or let yourself write there",
        ) from failed


async def _branch(place: Place, session_id: str) -> str:
    """The session's branch; raises ``WorkRefused`` where the person has one that is in its way."""
    branch = names.branch(session_id)
    words = ("rev-parse", "--verify", "--quiet")
    discard = partial(place.shelf.discard, session_id)
    for taken in ("paws", branch):
        if await place.ground.git.holds(*words, f"refs/heads/{taken}"):
            await to_thread.run_sync(discard)
            raise WorkRefused(
                f"there is a branch {taken!r} already, so {branch!r} cannot be made",
                hint="rename it with `git branch -m`, or start with --detach",
            )
    return branch
