"""From the bytes of a bundle to its changes: which dialect it is, and what it says. Pure."""

import re
from typing import Literal

from msgspec.structs import replace

from ouroboros.workspace.artifacts.cats.bundle import File
from ouroboros.workspace.artifacts.cats.reading import outside
from ouroboros.workspace.artifacts.cats.reading import read as read_files
from ouroboros.workspace.artifacts.dogs.change import (
    Bundle,
    Change,
    Dialect,
    Edit,
    Exact,
    Header,
    Refusal,
    Refused,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.readers.containers import MARKED, AnswerReader
from ouroboros.workspace.artifacts.dogs.readers.joining import joined
from ouroboros.workspace.artifacts.dogs.readers.leftovers import left_over
from ouroboros.workspace.artifacts.dogs.readers.page import Found, Wish, page_of
from ouroboros.workspace.artifacts.exact import PLAIN, Shape, shaped
from ouroboros.workspace.artifacts.faults import Malformed

_ABOVE = 2
_NEW = re.compile(r"\b(?:new|creat\w+|add(?:s|ed|ing)?)\b", re.IGNORECASE)

type Wanted = Dialect | Literal["auto"]

DIALECTS: tuple[Dialect, ...] = (*MARKED, "whole")

_STRICT: tuple[Dialect, ...] = ("v1", "paws")
"""Their lines are told apart from prose when they are nearly right."""

_OPEN = Shape(is_ended=False)

_CALLED: dict[Dialect, str] = {
    "v1": "'--- File: ... ---' headers",
    "paws": "file markers",
    "search": "SEARCH/REPLACE blocks",
    "diff": "a unified diff",
    "v4a": "'*** Begin Patch'",
    "xml": "<file> tags",
}


def read(
    content: bytes,
    *,
    dialect: Wanted = "auto",
    rsi_link: bool = False,
    allow_truncated: bool = False,
) -> Bundle:
    """What a bundle says; a block that cannot be read is among its ``refusals``.

    Args:
        content: All of it.
        dialect: ``auto`` takes the one that is there.
        rsi_link: Read blocks between chain markers, and leave the others alone.
        allow_truncated: Take blocks whose end is missing as they are.

    Raises:
        Refused: It is no text, of another version, or could be meant in two dialects.
    """
    if (files := _files_in(content)) is not None:
        return files
    wish = Wish(rsi_link=rsi_link, allow_truncated=allow_truncated)
    answer = AnswerReader(page_of(content), wish, is_listing=dialect == "whole")
    answer.read()
    if rsi_link or dialect != "auto":
        chosen: Dialect | None = "paws" if rsi_link or dialect == "auto" else dialect
        found = answer.blocks(chosen)
    else:
        chosen, found = _chosen(answer)
        found.refusals += answer.refusals
        _tell_left(found, answer)
    found.notes = [*answer.notes, *found.notes]
    return _bundle(chosen, found, answer.header)


def _bundle(dialect: Dialect | None, found: Found, header: Header) -> Bundle:
    return Bundle(
        dialect=dialect,
        changes=tuple(found.changes),
        requests=tuple(found.requests),
        refusals=tuple(found.refusals),
        header=header,
        notes=tuple(found.notes),
    )


def _chosen(answer: AnswerReader) -> tuple[Dialect | None, Found]:
    """All that was found; of several dialects it is called by the first that is there.

    Raises:
        Refused: One file is changed in two dialects.
    """
    begun: dict[Dialect, Found] = {
        each: found for each in MARKED if (found := answer.blocks(each)).spans
    }
    if not begun:
        return _unmarked(answer)
    if len(begun) == 1:
        [(chosen, found)] = begun.items()
        _take_aside(found, answer)
        return chosen, found
    lines: dict[Dialect, int] = {dialect: _first_line(found) for dialect, found in begun.items()}
    found = joined(begun)
    if found is not None:
        _take_aside(found, answer)
        return min(lines, key=lambda dialect: lines[dialect]), found
    told = sorted((line, _CALLED[dialect]) for dialect, line in lines.items())
    ways = " and ".join(f"{called} (line {line})" for line, called in told)
    raise Refused(
        Refusal(
            reason=f"it is in several formats at once: {ways}; all of a file must be in one",
            line=told[1][0],
        ),
        hint=f"have it answered in one, or say which counts with --format: {', '.join(DIALECTS)}",
    )


def _first_line(found: Found) -> int:
    every = (*found.changes, *found.requests, *found.refusals)
    return min((each.line for each in every), default=found.spans[0][0] + 1)


def _take_aside(found: Found, answer: AnswerReader) -> None:
    """Files in fences beside all blocks of the dialect that is read: those that are called new, and diffs.

    Source: chat windows write diffs of files that are there, and new files whole.
    """
    whole, lines = answer.blocks("whole"), answer.page
    named = {each.path for each in found.changes}
    for first, end in whole.spans:
        files = [each for each in whole.changes if first < each.line <= end]
        where = f"line {first + 1}: a fence that names a file"
        is_new = any(map(_NEW.search, lines[max(0, first - _ABOVE) : first + 1]))
        is_edit = bool(files) and all(isinstance(each, Edit) for each in files)
        is_free = not any(each.path in named for each in files)
        block = 1 + max((each.block for each in found.changes), default=0)
        if is_edit and is_free:
            found.changes += [replace(each, block=block) for each in files]
        elif is_new and is_free and len(files) == 1 and isinstance(files[0], Whole):
            found.changes.append(replace(files[0], is_aside=True, block=block))
            found.notes.append(
                f"{where} beside another format is taken only where that file is new"
            )
        else:
            found.notes.append(f"{where} was passed over, as the answer is of another format")


def _tell_left(found: Found, answer: AnswerReader) -> None:
    """Refuses what looks like a change and was not read: the rest without it is half an answer."""
    told = {each.line for each in found.refusals}
    # A diff is told by the line of its fence or by the one below.
    found.refusals += [
        each
        for each in left_over(answer.page, answer.spans)
        if not told & {each.line - 1, each.line, each.line + 1}
    ]


def _unmarked(answer: AnswerReader) -> tuple[Dialect | None, Found]:
    """Files in fences, and lines that are nearly a header or a marker, which are told rather than passed over."""
    whole = answer.blocks("whole")
    for dialect in _STRICT:
        found = answer.blocks(dialect)
        if not whole.spans and (found.refusals or found.notes):
            return dialect, found
        whole.refusals += found.refusals
        whole.notes += found.notes
    return ("whole" if whole.spans else None), whole


def _files_in(content: bytes) -> Bundle | None:
    """A bundle of files, as ``ouro cats`` writes it, byte for byte; None for any other answer.

    Raises:
        Refused: It is one, and broken.
    """
    rest = outside(content)
    if rest is None:
        return None
    around = AnswerReader(page_of(rest), Wish())
    around.read()
    if around.spans or around.refusals:
        return None  # changes in other words stand beside the files
    try:
        found = read_files(content)
    except Malformed as broken:
        refusal = Refusal(reason=broken.why, block=broken.block, line=broken.line, path=broken.path)
        raise Refused(refusal, hint=broken.hint) from broken
    changes = tuple(_file(each) for each in found.files if not each.is_outline)
    notes = tuple(
        f"line {each.line}: {each.path!r} is an outline of the file, and was passed over"
        for each in found.files
        if each.is_outline
    )
    dialect: Dialect = "paws" if found.dialect == "paws" else "whole"
    return Bundle(dialect=dialect, changes=changes, notes=notes)


def _file(file: File) -> Change:
    """A plain text may be joined with what was changed since; all else is taken as it is."""
    line = max(file.line, 1)
    found = shaped(file.data)
    if found is None or not file.data or found.shape not in {PLAIN, _OPEN}:
        return Exact(block=file.block, line=line, path=file.path, content=file.data)
    return Whole(
        block=file.block,
        line=line,
        path=file.path,
        text=found.text.decode(),
        is_open=not found.shape.is_ended,
    )
