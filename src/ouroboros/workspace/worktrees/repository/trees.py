"""Work trees of sessions: made, mended, looked through for work that nothing holds yet, removed."""

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.records.names import kept, kept_above
from ouroboros.workspace.worktrees.records.shelf import Kept
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed
from ouroboros.workspace.worktrees.repository.ground import Ground

_GOING_ON = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}

_OUTSIDE = "--ignore-submodules=dirty"
"""git does not look into repositories within, whose settings name programs too."""

_NO_COMMIT = "(initial)"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOGGED = 1000
"""So many of the last commits that were checked out are looked at."""


class State(Struct, frozen=True, kw_only=True):
    """How a work tree stands; what git ignores does not count.

    Attributes:
        head: The commit that is checked out.
        branch: Empty where none is.
        paths: Files that were changed, added or removed, and are in no commit.
        nested: Folders that are repositories of their own, which no commit of ours could hold.
        conflicts: Files with conflicts that are not solved.
    """

    head: str
    branch: str = ""
    paths: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def unsaved(self) -> tuple[str, ...]:
        """What is in no commit, what none could hold first."""
        return (*self.nested, *self.paths)


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


def admin_of(tree: Path) -> Path:
    """Where git keeps what it knows of one work tree; raises ``OSError``."""
    place = tree / ".git"
    if place.is_symlink() or not place.is_file():
        return place
    named = (
        place.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip("\n").strip(" ")
    )
    return tree / named


def _is_ours(ground: Ground, path: Path) -> bool:
    """Whether both sides name each other: what works in there may have changed its side."""
    try:
        place = admin_of(path)
        if place.resolve().parent != (ground.common / "worktrees").resolve():
            return False
        back = (place / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
        return Path(back).resolve() == (path / ".git").resolve()
    except OSError:
        return False


async def state(tree: Git) -> State:
    """How a work tree stands, by one question; changes within a submodule are not looked for."""
    words = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames")
    heads: dict[str, str] = {}
    paths: list[str] = []
    conflicts: list[str] = []
    for line in await tree.names(*words, _OUTSIDE):
        match line[0]:
            case "#":
                _, name, value = line.split(" ", 2)
                heads[name] = value
            case "1":
                paths.append(line.split(" ", 8)[8])
            case "u":
                conflicts.append(line.split(" ", 10)[10])
            case _:
                paths.append(line[2:])
    branch = heads.get("branch.head", "")
    nested = tuple(each for each in paths if each.endswith("/"))
    return State(
        head=heads.get("branch.oid", ""),
        branch="" if branch == "(detached)" else branch,
        paths=tuple(each for each in paths if not each.endswith("/")),
        nested=nested,
        conflicts=tuple(conflicts),
    )


async def head(tree: Git) -> str:
    """The commit that is checked out."""
    return await tree.ask("rev-parse", "--verify", "HEAD^{commit}")


async def on_branch(tree: Git) -> str:
    """The branch that is checked out; empty where none is."""
    return await tree.found("symbolic-ref", "--short", "--quiet", "HEAD")


def merging(tree: Git) -> tuple[str, ...]:
    """The commits that are being merged in a work tree; blocking."""
    try:
        return tuple((admin_of(tree.folder) / "MERGE_HEAD").read_text("utf-8").split())
    except FileNotFoundError:
        return ()


def refuse_unfinished(tree: Git, *, conflicts: bool, merge: bool = False) -> None:
    """Sees to it that nothing of git's is going on in a work tree; a solved merge may be. Blocking.

    Args:
        tree: Where.
        conflicts: There are some.
        merge: One whose conflicts are solved may be.

    Raises:
        WorkRefused: Something is; its commands end it.
    """
    place = admin_of(tree.folder)
    for name, what in _GOING_ON.items():
        if (place / name).exists():
            raise WorkRefused(
                f"a {what} is going on in {str(tree.folder)!r}",
                hint=f"end it there: git {what} --continue, or --abort",
            )
    if conflicts:
        raise WorkRefused(
            f"there are conflicts that are not solved in {str(tree.folder)!r}",
            hint="solve them there and `git add` the files, or `git merge --abort`",
        )
    if not merge and merging(tree):
        raise WorkRefused(
            f"a merge is going on in {str(tree.folder)!r}",
            hint="end it there: git commit, or git merge --abort",
        )


async def refuse_unborn(tree: Git, session: Kept, found: State) -> None:
    """Sees to it that there is a commit under a work tree; raises ``WorkRefused``."""
    if found.head != _NO_COMMIT:
        return
    seen = await to_thread.run_sync(lambda: _logged(admin_of(tree.folder)))
    if found.branch != session.work.branch or not seen:
        raise WorkRefused(
            f"in {str(tree.folder)!r} branch {found.branch!r} is checked out, which has no commit",
            hint=f"git -C {tree.folder} switch {session.work.branch or '--detach BRANCH'}",
        )
    raise WorkRefused(
        f"the branch {found.branch!r} of session {session.id[:8]} is gone",
        hint=f"make it again: git branch {found.branch} {seen[-1]}",
    )


async def hold(ground: Ground, session: Kept) -> tuple[str, ...]:
    """Gives a ref to what was once checked out in a work tree and no branch or tag leads to.

    The tree may be gone: git knows of it until it is pruned. Returns the refs that were made.
    """
    seen = await _checked_out(ground, session)
    if not seen:
        return ()
    refs = ("--branches", "--tags", "--remotes", "--glob=refs/paws/*")
    loose = await ground.git.ask("rev-list", "--ignore-missing", *seen, "--not", *refs)
    lost = set(loose.split()) & set(seen)
    if not lost:
        return ()
    ends = (await ground.git.ask("merge-base", "--independent", *sorted(lost))).split()
    made: list[str] = []
    for commit in ends:
        made.append(await spare(ground, session.id))
        await ground.git.ask("update-ref", made[-1], commit)
    return tuple(made)


async def _checked_out(ground: Ground, session: Kept) -> list[str]:
    """The commits that git knows to have been checked out in a session's work tree."""
    place = await to_thread.run_sync(_known_at, ground, session)
    if place is None:
        return []
    git, name = ground.git, f"worktrees/{place.name}/HEAD"
    seen = (await git.found("rev-list", "--walk-reflogs", f"-{_LOGGED}", name)).split()
    first = await git.found("rev-parse", "--verify", "--quiet", name)
    # Of a branch that was deleted git shows no log.
    written = await to_thread.run_sync(_logged, place)
    return list(dict.fromkeys(filter(None, [first, *seen, *written])))


def _known_at(ground: Ground, session: Kept) -> Path | None:
    """Where git keeps what it knows of a session's work tree, also of one that is gone."""
    if _is_ours(ground, session.tree):
        return admin_of(session.tree)
    with suppress(OSError):
        for place in (ground.common / "worktrees").iterdir():
            with suppress(OSError):
                back = (place / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
                if Path(back).parts[-3:-1] == (session.id, session.tree.name):
                    return place
    return None


def _logged(place: Path) -> list[str]:
    """What HEAD of a work tree was, the oldest first, as far as it is written in a file."""
    with suppress(OSError):
        lines = (place / "logs" / "HEAD").read_bytes().splitlines()[-_LOGGED:]
        words = [
            line.split(b" ", 2)[1].decode("ascii", "replace") for line in lines if b" " in line
        ]
        return [word for word in words if _COMMIT.fullmatch(word) and word.strip("0")]
    return []


async def spare(ground: Ground, session_id: str) -> str:
    """A ref for what is kept that is not taken yet."""
    above = kept_above(session_id)
    listed = (await ground.git.ask("for-each-ref", "--format=%(refname)", above)).split()
    numbers = [
        int(each.removeprefix(above)) for each in listed if each.removeprefix(above).isdigit()
    ]
    return kept(session_id, max(numbers, default=0) + 1)
