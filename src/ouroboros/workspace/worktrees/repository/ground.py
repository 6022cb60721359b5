"""The repository that sessions belong to: where its main tree is, and where they are kept."""

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ouroboros.workspace.worktrees.faults import NoRepository, WorkRefused
from ouroboros.workspace.worktrees.repository.git import Ended, Git, silenced

FOLDER = ".paws"
SPARE = "paws/sessions"
"""Where copies of records lie, below what git keeps of the tree that has the sessions."""

_ABSOLUTE = ("rev-parse", "--path-format=absolute")
_EXCLUDED = "/.paws/"
_GIVEN = frozenset({"/.paws/", "/.paws", ".paws/", ".paws"})


class Ground(Struct, frozen=True, kw_only=True):
    """A repository of the person's.

    Attributes:
        root: The top of its main tree; ``.paws`` lies there.
        top: The top of the work tree that the command was given in.
        common: What all its work trees share.
        own: What git keeps of ``root`` alone: ``common``, but where that is bare.
        git: In ``root``.
    """

    root: Path
    top: Path
    common: Path
    own: Path
    git: Git

    @property
    def sessions(self) -> Path:
        """Where sessions are kept."""
        return self.root / FOLDER / "sessions"

    def at_top(self) -> Git:
        """The same where the command was given."""
        return self.git.at(self.top)


async def find(cwd: Path, environment: Mapping[str, str]) -> Ground:
    """The repository that a folder lies in.

    Raises:
        NoRepository: There is none, it has no files, or git does not want to look at it.
        WorkRefused: It names programs that git cannot be told not to run.
    """
    git = Git(folder=cwd, environment=environment)
    asked = ("--show-toplevel", "--git-common-dir", "--git-dir")
    shown = await git.call(*_ABSOLUTE, *asked)
    if shown.code or not shown.out.strip():
        raise _none(cwd, shown)
    said = shown.text.split("\n")
    if len(said) != len(asked):  # a line end in a name
        said = [await git.ask(*_ABSOLUTE, each) for each in asked]
    top, common, own = map(Path, said)
    git = git.at(top)
    root = top if own == common else await _main(git, common)
    root, own = (root, common) if root else await _without_main(git, own, common)
    _refuse_links(root, own)
    at = await silenced(git.at(root))
    return Ground(root=root, top=top, common=common, own=own, git=at)


async def _main(git: Git, common: Path) -> Path | None:
    """The main tree of a repository that we are in another work tree of; none where it is bare."""
    first = (await git.names("worktree", "list", "--porcelain", "-z"))[0]
    path = Path(first.removeprefix("worktree "))
    place = path / ".git"
    return path if place.is_dir() and place.samefile(common) else None


async def _without_main(git: Git, own: Path, common: Path) -> tuple[Path, Path]:
    """Of a bare repository: the work tree that has the sessions, and what git keeps of it alone."""
    top = git.folder
    if top.name == "worktree" and top.parts[-4:-2] == (FOLDER, "sessions"):
        above = top.parents[3]
        asked = ("--show-toplevel", "--git-common-dir", "--git-dir")
        said = [Path(await git.at(above).found(*_ABSOLUTE, each)) for each in asked]
        if said[:2] == [above, common]:
            return above, said[2]
    return top, own


def _none(cwd: Path, ended: Ended) -> NoRepository:
    said = ended.said
    if "dubious ownership" in said:
        return NoRepository(
            f"{str(cwd)!r} belongs to another user, so git does not look into it",
            hint=f"if it is yours: git config --global --add safe.directory {cwd}",
        )
    if "bare repository" in said or "must be run in a work tree" in said:
        return NoRepository(
            f"{str(cwd)!r} is a repository without files of its own",
            hint="go to a work tree of it: `git worktree add ../work` makes one",
        )
    return NoRepository(
        f"{str(cwd)!r} is not in a git repository, which a work session needs",
        hint="`git init`, then a first commit; or go to the folder of one",
    )


def _refuse_links(root: Path, own: Path) -> None:
    """What a repository brings as a link would let sessions be written elsewhere."""
    for path in (root / FOLDER, root / FOLDER / "sessions", own / "paws", own / SPARE):
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise WorkRefused(
                f"{str(path)!r} is not a folder, so no session is kept there", hint="move it away"
            )


def exclude(ground: Ground) -> None:
    """Keeps ``.paws`` out of the person's commits, by git's own list; blocking.

    Raises:
        OSError: The list cannot be written.
    """
    path = ground.common / "info" / "exclude"
    before = b""
    with suppress(FileNotFoundError):
        before = path.read_bytes()
    if _GIVEN & {line.strip() for line in before.decode("utf-8", "replace").splitlines()}:
        return
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link to another file")
    path.parent.mkdir(exist_ok=True)
    between = b"" if not before or before.endswith(b"\n") else b"\n"
    with path.open("ab") as file:
        file.write(between + f"{_EXCLUDED}\n".encode())
        file.flush()
        os.fsync(file.fileno())
