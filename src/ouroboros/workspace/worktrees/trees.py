"""Work trees of sessions: made, mended, looked through for work that nothing holds yet, removed."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.git import LONG_SECONDS, Git, failed
from ouroboros.workspace.worktrees.ground import Ground
from ouroboros.workspace.worktrees.names import kept, kept_above
from ouroboros.workspace.worktrees.shelf import Kept

_GOING_ON = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


class Unsaved(Struct, frozen=True, kw_only=True):
    """What is in a work tree and in no commit.

    Attributes:
        paths: Files that were changed, added or removed.
        nested: Folders that are repositories of their own, which no commit of ours could hold.
    """

    paths: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.paths or self.nested)


async def add(ground: Ground, path: Path, *, commit: str, branch: str, new: bool) -> None:
    """Lays out the files of a commit or branch in a new work tree; the other trees stay as they are.

    Raises:
        WorkRefused: git does not do it; a folder of what was begun may be left.
    """
    match branch, new:
        case "", _:
            words = ("--detach", str(path), commit)
        case _, True:
            words = ("--no-track", "-b", branch, str(path), commit)
        case _:
            words = (str(path), branch)
    await ground.git.ask("worktree", "add", "--quiet", *words, seconds=LONG_SECONDS)


async def remove(ground: Ground, path: Path) -> None:
    """Removes a work tree and what git knows of it, also one that is half gone.

    Raises:
        WorkRefused: Its files cannot be removed.
    """
    words = ("worktree", "remove", "--force", "--force", str(path))
    ended = await ground.git.call(*words, seconds=LONG_SECONDS)
    if not ended.code and not _is_there(path):
        return
    await to_thread.run_sync(_remove, path)
    # Of what is gone only git's own note is left; it may be gone too.
    await ground.git.call(*words)
    if _is_there(path):
        raise failed(ground.root, words, ended)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for folder in (path, *path.rglob("*")):
            if folder.is_dir() and not folder.is_symlink():
                with suppress(OSError):
                    folder.chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)


async def sound(ground: Ground, session: Kept) -> Git:
    """A session's work tree for git, put right where the repository was moved.

    Raises:
        WorkRefused: The work tree is gone, or is no longer one of this repository.
    """
    path = session.tree
    if not path.is_dir() or path.is_symlink():
        raise WorkRefused(
            f"the work tree of session {session.id[:8]} is gone",
            hint=f"`paws session resume {session.id[:8]}` lays it out again from its last commit",
        )
    if not await to_thread.run_sync(_is_ours, ground, path):
        await ground.git.call("worktree", "repair", str(path))
        if not await to_thread.run_sync(_is_ours, ground, path):
            raise WorkRefused(
                f"{str(path)!r} is no longer a work tree of {str(ground.root)!r}",
                hint=f"move it away, then `paws session resume {session.id[:8]}`",
            )
    return ground.git.at(path)


def _is_ours(ground: Ground, path: Path) -> bool:
    """Whether both sides name each other: what works in there may have changed its side."""
    link = path / ".git"
    try:
        if link.is_symlink() or not link.is_file():
            return False
        place = Path(link.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip())
        above = (ground.common / "worktrees").resolve()
        if not place.is_absolute() or place.resolve().parent != above:
            return False
        back = (place / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
        return Path(back).resolve() == link.resolve()
    except OSError:
        return False


async def unsaved(tree: Git) -> Unsaved:
    """What no commit holds; what git ignores does not count."""
    words = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    listed = await tree.names(*words, "--ignore-submodules=none")
    paths = tuple(line[3:] for line in listed)
    nested = tuple(each for each in paths if each.endswith("/"))
    return Unsaved(paths=tuple(each for each in paths if each not in nested), nested=nested)


async def head(tree: Git) -> str:
    """The commit that is checked out."""
    return await tree.ask("rev-parse", "--verify", "HEAD^{commit}")


async def on_branch(tree: Git) -> str:
    """The branch that is checked out; empty where none is."""
    return await tree.found("symbolic-ref", "--short", "--quiet", "HEAD")


async def refuse_unfinished(tree: Git, *, merging: bool = False) -> None:
    """Sees to it that nothing of git's is going on in a work tree; a solved merge may be.

    Raises:
        WorkRefused: Something is; its commands end it.
    """
    place = Path(await tree.ask("rev-parse", "--path-format=absolute", "--git-dir"))
    for name, what in _GOING_ON.items():
        if (place / name).exists():
            raise WorkRefused(
                f"a {what} is going on in {str(tree.folder)!r}",
                hint=f"end it there: git {what} --continue, or --abort",
            )
    if await tree.names("ls-files", "--unmerged", "-z"):
        raise WorkRefused(
            f"there are conflicts that are not solved in {str(tree.folder)!r}",
            hint="solve them there and `git add` the files, or `git merge --abort`",
        )
    if not merging and (place / "MERGE_HEAD").exists():
        raise WorkRefused(
            f"a merge is going on in {str(tree.folder)!r}",
            hint="end it there: git commit, or git merge --abort",
        )


async def hold(ground: Ground, session: Kept) -> tuple[str, ...]:
    """Gives a ref to what was once checked out in a work tree and no branch or tag leads to.

    Returns the refs that were made.
    """
    tree = ground.git.at(session.tree)
    seen = (await tree.found("log", "--walk-reflogs", "--format=%H", "-1000", "HEAD")).split()
    seen = list(dict.fromkeys([await tree.found("rev-parse", "HEAD"), *seen]))
    refs = ("--branches", "--tags", "--remotes", "--glob=refs/paws/*")
    loose = await ground.git.ask(
        "rev-list", "--ignore-missing", *filter(None, seen), "--not", *refs
    )
    lost = set(loose.split()) & set(seen)
    if not lost:
        return ()
    ends = (await ground.git.ask("merge-base", "--independent", *sorted(lost))).split()
    made: list[str] = []
    for commit in ends:
        made.append(await spare(ground, session.id))
        await ground.git.ask("update-ref", made[-1], commit)
    return tuple(made)


async def spare(ground: Ground, session_id: str) -> str:
    """A ref for what is kept that is not taken yet."""
    above = kept_above(session_id)
    listed = (await ground.git.ask("for-each-ref", "--format=%(refname)", above)).split()
    numbers = [
        int(each.removeprefix(above)) for each in listed if each.removeprefix(above).isdigit()
    ]
    return kept(session_id, max(numbers, default=0) + 1)
