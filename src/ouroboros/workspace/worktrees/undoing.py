"""Files that a merge wrote before it was killed go back to what they were; no other file is touched."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread
from msgspec import Struct

from ouroboros.workspace.worktrees.faults import WorkRefused
from ouroboros.workspace.worktrees.records.manifest import Step
from ouroboros.workspace.worktrees.repository import trees
from ouroboros.workspace.worktrees.repository.git import LONG_SECONDS, Git, failed

_LINK = "120000"


class _Change(NamedTuple):
    path: str
    mode: str
    before: str
    after: str

    @property
    def is_new(self) -> bool:
        return not self.before.strip("0")

    @property
    def is_gone(self) -> bool:
        return not self.after.strip("0")


class _Found(Struct, frozen=True, kw_only=True):
    """A file as it is now; ``content`` is None where there is none, or it is no file."""

    is_there: bool
    content: bytes | None = None


async def unwritten(main: Git, step: Step) -> None:
    """Takes back what a killed merge wrote, as far as it wrote it and nobody has changed it since.

    They were as the commit before had them when the merge began, else it would not have begun.

    Raises:
        WorkRefused: A file is neither as it was nor as the merge had it, or git says no.
    """
    if await trees.head(main) != step.onto:
        return
    back: list[str] = []
    new: list[str] = []
    odd: list[str] = []
    for change in await _changes(main, step):
        found = await to_thread.run_sync(_look, main.folder / change.path)
        if await _is_as_before(main, change, found):
            continue
        if not await _was_written(main, change, found):
            odd.append(change.path)
        elif change.is_new:
            new.append(change.path)
        else:
            back.append(change.path)
    await to_thread.run_sync(_remove, main.folder, new)
    if back:
        words = ("restore", f"--source={step.onto}", "--worktree")
        given = b"".join(os.fsencode(each) + b"\0" for each in back)
        more = ("--pathspec-from-file=-", "--pathspec-file-nul")
        literal = ("--literal-pathspecs", *words, *more)
        ended = await main.call(*literal, stdin=given, seconds=LONG_SECONDS)
        if ended.code:
            raise failed(main.folder, words, ended)
    if odd:
        raise WorkRefused(
            f"a merge into {str(main.folder)!r} was killed, and {odd[0]!r} is neither as it was nor "
            "as the merge has it",
            hint=f"look at `git diff {step.onto[:12]} -- {odd[0]}`, put it right, then do this again",
        )


async def _changes(main: Git, step: Step) -> list[_Change]:
    words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", step.onto, step.target)
    parts = await main.names(*words)
    found: list[_Change] = []
    for head, path in zip(parts[::2], parts[1::2], strict=True):
        _, mode, before, after, _ = head.removeprefix(":").split(" ")
        found.append(_Change(path, mode, before, after))
    return found


async def _is_as_before(main: Git, change: _Change, found: _Found) -> bool:
    if change.is_new:
        return not found.is_there
    return found.content is not None and await _blob(main, change, found) == change.before


async def _was_written(main: Git, change: _Change, found: _Found) -> bool:
    """Whether a file is as the merge has it, or the beginning of that."""
    if not found.is_there:
        return True  # it is removed before it is written
    if change.is_gone or found.content is None:
        return False
    if await _blob(main, change, found) == change.after:
        return True
    whole = (await main.call("cat-file", "blob", change.after)).out
    return whole.startswith(found.content)


async def _blob(main: Git, change: _Change, found: _Found) -> str:
    """The name that git has for a file's content, by way of the person's filters."""
    filtered = ("--no-filters",) if change.mode == _LINK else (f"--path={change.path}",)
    ended = await main.call("hash-object", "--stdin", *filtered, stdin=found.content or b"")
    return ended.text


def _look(path: Path) -> _Found:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return _Found(is_there=True, content=os.fsencode(path.readlink()))
        if stat.S_ISREG(mode):
            return _Found(is_there=True, content=path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return _Found(is_there=False)
    return _Found(is_there=True)


def _remove(root: Path, paths: list[str]) -> None:
    for each in paths:
        (root / each).unlink(missing_ok=True)
        for above in (root / each).parents:
            if above == root:
                break
            with suppress(OSError):
                above.rmdir()
