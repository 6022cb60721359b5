"""What stands in the block of one file, whatever is around it. Pure."""

import base64
import binascii
import re
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Change, Edit, Exact, Request, Whole
from ouroboros.workspace.artifacts.dogs.readers.commands import (
    command_words,
    commanded,
    is_first,
    is_open,
)
from ouroboros.workspace.artifacts.dogs.readers.hunks import as_new, hunks_of
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Named, without_returns
from ouroboros.workspace.artifacts.dogs.readers.sought import is_sought, sought
from ouroboros.workspace.artifacts.fenced import unwrapped

NO_END = "\\ No newline at end of file"
_PATCHES = (".diff", ".patch")
_DIFFS = frozenset({"diff", "patch", "udiff"})
PROSE = (".md", ".markdown", ".mdx")
"""Files in which fences are text."""


class Block(NamedTuple):
    """A block and where it stands: ``line`` is that of its header, ``first`` of its body, from 1."""

    block: int
    line: int
    first: int
    named: Named
    is_new: bool = False


def in_markers(at: Block, lines: Sequence[str]) -> list[Change | Request]:
    """What stands between two markers.

    Raises:
        BlockBroken: It cannot be read.
    """
    path = at.named.path
    if is_open(lines):
        raise BlockBroken("it begins with a command that no @@ ends", line=at.first)
    if is_first(lines) or _is_wrapped_command(lines):
        return [commanded(lines, at.first, path, at.block)]
    if at.named.is_base64:
        return [_bytes(at, _inside(lines))]
    wrapped = unwrapped(lines)
    if wrapped is not None and _is_wrapper(path, wrapped[0].words):
        start = wrapped[1]
        return fenced(
            at._replace(first=at.first + start), wrapped[0].words, lines[start : wrapped[2]]
        )
    for number, line in enumerate(lines, start=at.first):
        if command_words(line) is not None:
            raise BlockBroken(
                "a command stands inside of a text; put the text into a fence if it is part of it",
                line=number,
            )
    if is_sought(lines):
        return list(_edits(at, lines))
    shown = [number for number, line in enumerate(lines) if line.strip()]
    body = list(lines[shown[0] : shown[-1] + 1]) if shown else []
    return [_whole(at, body)]


def fenced(at: Block, words: str, lines: Sequence[str]) -> list[Change | Request]:
    """What stands in a fence, of whose opening line ``words`` is the rest.

    Raises:
        BlockBroken: It cannot be read.
    """
    path, kind = at.named.path, words.split(":")[0].split(" ")[0].lower()
    if at.named.is_base64 or kind == "base64":
        return [_bytes(at, lines)]
    if kind in _DIFFS and not path.endswith(_PATCHES):
        return [_diff(at, lines)]
    if kind in _DIFFS and not at.is_new:
        return [_diff(at, lines)]
    if is_sought(lines) and not at.is_new:
        return list(_edits(at, lines))
    if is_first(lines):
        return [commanded(lines, at.first, path, at.block)]
    if is_open(lines) and not at.is_new:
        raise BlockBroken("it begins with a command that no @@ ends", line=at.first)
    return [_whole(at, list(lines))]


def _diff(at: Block, lines: Sequence[str]) -> Change:
    hunks = hunks_of(lines, at.first)
    if at.is_new:
        text = as_new(hunks)
        if text is None:
            raise BlockBroken("a new file has no lines to keep or take away", line=at.first)
        is_open = at.named.is_open or hunks[-1].new_open
        return Whole(
            block=at.block,
            line=at.line,
            path=at.named.path,
            mode=at.named.mode,
            text=text,
            is_new=True,
            is_open=is_open,
        )
    return Edit(block=at.block, line=at.line, path=at.named.path, mode=at.named.mode, hunks=hunks)


def _edits(at: Block, lines: Sequence[str]) -> list[Change]:
    found: list[Change] = []
    for hunk, new in sought(lines, at.first):
        if new is not None:
            found.append(
                Whole(
                    block=at.block,
                    line=at.line,
                    path=at.named.path,
                    mode=at.named.mode,
                    text=new,
                    is_new=True,
                )
            )
        else:
            found.append(
                Edit(
                    block=at.block,
                    line=at.line,
                    path=at.named.path,
                    mode=at.named.mode,
                    hunks=(hunk,),
                )
            )
    return found


def _bytes(at: Block, lines: Sequence[str]) -> Change:
    text = re.sub(r"\s+", "", "".join(lines))
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as broken:
        raise BlockBroken(f"it is no base64: {broken}", line=at.first) from broken
    return Exact(
        block=at.block,
        line=at.line,
        path=at.named.path,
        mode=at.named.mode,
        content=content,
        is_new=at.is_new,
    )


def _whole(at: Block, lines: list[str]) -> Change:
    is_own = not at.is_new and not at.named.path.endswith(_PATCHES)
    if is_own and _looks_like_a_diff(lines) and not _is_of_another(at.named.path, lines):
        raise BlockBroken(
            "it looks like a diff, but stands where all of the file would; ```diff would tell",
            line=at.first,
        )
    is_open: bool | None = True if at.named.is_open else None
    if lines and lines[-1].removesuffix("\r") == NO_END:
        lines.pop()
        is_open = True
    if not all(line.endswith("\r") for line in lines):
        lines = without_returns(lines)
    text = "".join(f"{line}\n" for line in lines)
    return Whole(
        block=at.block,
        line=at.line,
        path=at.named.path,
        mode=at.named.mode,
        text=text,
        is_new=at.is_new,
        is_open=is_open,
    )


def _looks_like_a_diff(lines: Sequence[str]) -> bool:
    """Whether every line begins as one of a diff, and some come new."""
    shown = [line for line in lines if line.strip()]
    return (
        any(line.startswith("+") for line in shown)
        and any(line.startswith(("-", " ")) for line in shown)
        and all(line[0] in "+- @\\" for line in shown)
    )


def _is_of_another(path: str, lines: Sequence[str]) -> bool:
    """Whether a diff names a file, and not this one: then it is the text of this one."""
    heads = [line[4:].split("\t")[0].strip() for line in lines if line.startswith(("--- ", "+++ "))]
    names = {re.sub(r"^[ab]/", "", name) for name in heads} - {"/dev/null"}
    return bool(names) and path not in names


def _inside(lines: Sequence[str]) -> Sequence[str]:
    wrapped = unwrapped(lines)
    return lines if wrapped is None else lines[wrapped[1] : wrapped[2]]


def _is_wrapped_command(lines: Sequence[str]) -> bool:
    wrapped = unwrapped(lines)
    return wrapped is not None and is_first(lines[wrapped[1] : wrapped[2]])


def _is_wrapper(path: str, words: str) -> bool:
    """Whether a fence is around a file's text, and not the first line of a page of Markdown."""
    if not path.lower().endswith(PROSE):
        return True
    kind = words.split(":")[0].split(" ")[0].lower()
    return kind in {"", "md", "markdown", "mdx", "text", "txt", *_DIFFS}
