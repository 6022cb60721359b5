"""What is to be reviewed: the change that a wish names, as a diff."""

from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.app.review import changes, git
from ouroboros.core.commands import Review
from ouroboros.core.errors import Misuse

_FILE_BYTES = 1_048_576
_FILES = 2_000


class Subject(Struct, frozen=True, kw_only=True):
    """A change, or what a person wants to have looked at.

    Attributes:
        name: In words, for people.
        task: The same for the reviewer.
        root: Where the paths of the files begin.
        files: Empty for a review in words only.
        on_disk: The files as they are hold the change; otherwise they may be later or earlier.
    """

    name: str
    task: str
    root: Path
    files: tuple[changes.FileChange, ...] = ()
    notes: tuple[str, ...] = ()
    on_disk: bool = True


async def subject(wish: Review, cwd: Path, environment: Mapping[str, str]) -> Subject:
    """Finds out what a wish names.

    Raises:
        Misuse: There is no repository, commit or change; or nothing was asked for.
    """
    if wish.target == "custom":
        words = wish.words.strip()
        if not words:
            raise Misuse("there is nothing to review", hint="say what, in words")
        return Subject(name=_short(words), task=words, root=cwd)
    repository = await git.at(cwd, environment)
    match wish.target:
        case "uncommitted":
            found = await _uncommitted(repository)
        case "base":
            found = await _since(repository, wish.words)
        case "commit":
            found = await _commit(repository, wish.words)
    if not found.files:
        raise Misuse(f"there is nothing to review in {found.name}")
    return found


async def _uncommitted(repository: git.Git) -> Subject:
    files, notes = await _worked_on(repository, await repository.head())
    return Subject(
        name="the uncommitted changes",
        task="the changes that are not committed yet (staged, unstaged and untracked files)",
        root=repository.root,
        files=files,
        notes=notes,
    )


async def _since(repository: git.Git, ref: str) -> Subject:
    head, other = await repository.head(), await repository.commit(_named(ref))
    base = await repository.merge_base(head, other)
    notes: tuple[str, ...] = ()
    if not base:
        base = other
        notes = (f"{ref} and HEAD have no commit in common, so this is compared with {ref} itself",)
    files, more = await _worked_on(repository, base)
    return Subject(
        name=f"the changes since {ref}",
        task=(
            f"what changed since the work parted from {ref!r}, at commit {base[:12]}, with what is "
            "not committed yet"
        ),
        root=repository.root,
        files=files,
        notes=(*notes, *more),
    )


async def _commit(repository: git.Git, name: str) -> Subject:
    commit = await repository.commit(_named(name))
    before = await repository.before(commit)
    title = await repository.subject(commit)
    files = changes.parse(await repository.diff(before, commit))
    shown = f"commit {commit[:12]} ({_short(title)})"
    return Subject(
        name=shown,
        task=f"the change of {shown}",
        root=repository.root,
        files=files,
        on_disk=commit == await repository.head(),
    )


async def _worked_on(
    repository: git.Git, since: str
) -> tuple[tuple[changes.FileChange, ...], tuple[str, ...]]:
    """The files as they are against a commit, those that git does not know with them.

    Raises:
        Misuse: It is too much.
    """
    known = changes.parse(await repository.diff(since))
    names = await repository.untracked()
    shown: list[str] = []
    size = 0
    for name in names[:_FILES]:
        shown.append(await to_thread.run_sync(_new_file, repository.root, name))
        size += len(shown[-1])
        if size > git.OUTPUT_BYTES:
            raise git.too_large()
    left = len(names) - len(shown)
    notes = (f"{left} more untracked files were not looked at",) if left else ()
    return (*known, *(change for each in shown for change in changes.parse(each))), notes


def _new_file(root: Path, name: str) -> str:
    """An untracked file as git would say it; what is no text, or no plain file, by its name."""
    path = root / name
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _FILE_BYTES:
            return changes.added_binary(name)
        content = path.read_bytes()
    except OSError:
        return changes.added_binary(name)
    if b"\0" in content[:8000]:
        return changes.added_binary(name)
    return changes.added(name, content.decode("utf-8", "replace"))


def _named(name: str) -> str:
    if not name.strip():
        raise Misuse("a commit or branch is to be named", hint="for example: --base main")
    return name.strip()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"
