"""Reading, writing and editing single files."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.tools.builtin.location import located, missing, shown
from ouroboros.tools.builtin.texts import UNSAVED, Held, Texts
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.diff import unified
from ouroboros.workspace.files import Decoded, FileMissing, decoded, writable
from ouroboros.workspace.pages import PAGE_BYTES, page
from ouroboros.workspace.ranges import spelled
from ouroboros.workspace.replacement import Draft, Replacement
from ouroboros.workspace.seen import Seen


class ReadArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to read."""

    path: str
    offset: Annotated[int, Meta(ge=1, description="first line, from 1")] | None = None
    limit: Annotated[int, Meta(ge=1, description="number of lines")] | None = None


class WriteArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to write."""

    path: str
    content: str


class EditArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change."""

    path: str
    old_text: str
    new_text: str
    replace_all: bool = False


class MultiEditArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change, in order."""

    path: str
    edits: Annotated[list[Replacement], Meta(min_length=1)]


class ReadTool:
    """Shows a text file with line numbers."""

    name = "read"
    description = (
        f"Read a text file with line numbers, about {PAGE_BYTES / 1000:.0f} kB a call; "
        "long files come in pages (offset, limit)."
    )
    arguments = ReadArguments
    parallel_safe = True

    def __init__(self, seen: Seen | None = None, *, texts: Texts | None = None) -> None:
        """``seen`` is what the session knows of files; ``texts`` where they are, the disk without it."""
        self._seen, self.texts = seen or Seen(), texts or Texts()

    def effect(self, arguments: ReadArguments, cwd: Path) -> Effect:
        """Reads one path."""
        return _effect("read", "Read", arguments.path, cwd)

    async def run(self, arguments: ReadArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """One page of the file."""
        yield Result.of(await to_thread.run_sync(_page, arguments, context, self._seen, self.texts))


class WriteTool:
    """Makes or overwrites a file."""

    name = "write"
    description = "Write a whole file, making its folders; overwrites. Prefer edit for changes."
    arguments = WriteArguments
    parallel_safe = False

    def __init__(
        self, *, limit: int = WRITE_BYTES, seen: Seen | None = None, texts: Texts | None = None
    ) -> None:
        """``limit`` is the largest file it makes, in bytes; ``seen`` what the session knows of files."""
        self._limit = limit
        self._seen, self.texts = seen or Seen(), texts or Texts()

    def effect(self, arguments: WriteArguments, cwd: Path) -> Effect:
        """Writes one path."""
        return _effect("write", "Write", arguments.path, cwd)

    def preview(self, arguments: WriteArguments, context: ToolContext) -> str:
        """The diff that it would make; raises ``ToolFailed`` where it cannot be written."""
        path = located(arguments.path, context.cwd)
        self._data(arguments, path)
        writable(path)
        known = _known(path, self.texts)
        held = None if known is None else known.data
        if held is not None:
            self._seen.check(path, held)
        return unified(_text_of(path, held) or "", arguments.content, shown(path, context.cwd))

    def _data(self, arguments: WriteArguments, path: Path) -> bytes:
        data = _encoded(arguments.content)
        if len(data) > self._limit:
            raise ToolFailed(f"{path} would have {len(data)} bytes; the limit is {self._limit}")
        return data

    async def run(self, arguments: WriteArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Writes in one step."""
        path = located(arguments.path, context.cwd)
        data = self._data(arguments, path)
        write = partial(_write, path, arguments.content, data, seen=self._seen, texts=self.texts)
        yield await to_thread.run_sync(write, context)


class EditTool:
    """Replaces one piece of a file."""

    name = "edit"
    description = (
        "In a file that is there replace old_text, which must be in it exactly once unless "
        "replace_all, by new_text."
    )
    arguments = EditArguments
    parallel_safe = False

    def __init__(self, seen: Seen | None = None, *, texts: Texts | None = None) -> None:
        """``seen`` is what the session knows of files; ``texts`` where they are, the disk without it."""
        self._seen, self.texts = seen or Seen(), texts or Texts()

    def effect(self, arguments: EditArguments, cwd: Path) -> Effect:
        """Writes one path."""
        return _effect("write", "Edit", arguments.path, cwd)

    def preview(self, arguments: EditArguments, context: ToolContext) -> str:
        """The diff that it would make; raises ``ToolFailed`` where it does not fit the file."""
        change = _change(arguments)
        return _edited(arguments.path, (change,), context, self._seen, self.texts).diff

    async def run(self, arguments: EditArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Changes the file or says why not."""
        edit = partial(_edit, arguments.path, (_change(arguments),), context, self._seen)
        yield await to_thread.run_sync(edit, self.texts)


class MultiEditTool:
    """Replaces several pieces of a file, all or none."""

    name = "multi_edit"
    description = "Several edits of one file, in order, all or none."
    arguments = MultiEditArguments
    exposure: Exposure = "deferred"
    parallel_safe = False

    def __init__(self, seen: Seen | None = None, *, texts: Texts | None = None) -> None:
        """``seen`` is what the session knows of files; ``texts`` where they are, the disk without it."""
        self._seen, self.texts = seen or Seen(), texts or Texts()

    def effect(self, arguments: MultiEditArguments, cwd: Path) -> Effect:
        """Writes one path."""
        return _effect("write", "Edit", arguments.path, cwd)

    def preview(self, arguments: MultiEditArguments, context: ToolContext) -> str:
        """The diff that it would make; raises ``ToolFailed`` where an edit does not fit the file."""
        edits = tuple(arguments.edits)
        return _edited(arguments.path, edits, context, self._seen, self.texts).diff

    async def run(
        self, arguments: MultiEditArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Changes the file once, after every edit was found to fit."""
        edit = partial(_edit, arguments.path, tuple(arguments.edits), context, self._seen)
        yield await to_thread.run_sync(edit, self.texts)


def _change(arguments: EditArguments) -> Replacement:
    return Replacement(
        old_text=arguments.old_text,
        new_text=arguments.new_text,
        replace_all=arguments.replace_all,
    )


def _effect(kind: str, verb: str, path: str, cwd: Path) -> Effect:
    where = located(path, cwd)
    return Effect(kind=kind, action=f"{verb} {shown(where, cwd)}", paths=(where,))


def _page(arguments: ReadArguments, context: ToolContext, seen: Seen, texts: Texts) -> str:
    path = located(arguments.path, context.cwd)
    unsaved = texts.unsaved(path)
    try:
        if unsaved is not None:
            seen.wrote(path, unsaved)
            return f"{page(path, arguments.offset or 1, arguments.limit, data=unsaved)}{UNSAVED}\n"
        seen.read(path)
        return page(path, arguments.offset or 1, arguments.limit)
    except FileMissing as failed:
        raise missing(path, failed, context) from failed


def _write(
    path: Path, content: str, data: bytes, context: ToolContext, *, seen: Seen, texts: Texts
) -> Result:
    known = _known(path, texts)
    held = None if known is None else known.data
    if held is not None:
        seen.check(path, held)
    before = _text_of(path, held)
    old = decoded(held, path) if before and held is not None else Decoded(text="")
    notes: list[str] = []
    if old.mark:
        data = old.encode(content.removeprefix("\ufeff"))
        notes.append(f"as {old.encoding} with a byte order mark, like before")
    notes += filter(None, [texts.put(path, data, admitted=context.admitted, held=known)])
    seen.wrote(path, data)
    name = shown(path, context.cwd)
    verb = "Created" if before is None else "Wrote"
    said = ", ".join([f"{len(data)} bytes", *notes])
    return Result.of(f"{verb} {name} ({said})", detail=unified(before or "", content, name))


def _known(path: Path, texts: Texts) -> Held | None:
    """What a file holds; None for none, and for one that is too large or no file."""
    try:
        return texts.held(path)
    except (ToolFailed, OSError):
        return None


def _loaded(path: Path, context: ToolContext, texts: Texts) -> Held:
    try:
        return texts.held(path)
    except FileMissing as failed:
        raise missing(path, failed, context) from failed


class EditedFile(Struct, frozen=True, kw_only=True):
    """A file with its edits made, and nothing written yet; ``idle`` edits change nothing."""

    path: Path
    name: str
    known: Held
    before: Decoded
    draft: Draft
    idle: tuple[str, ...]

    @property
    def diff(self) -> str:
        """What is changed."""
        return unified(self.before.text, self.draft.text, self.name)


def _edited(
    written: str,
    changes: tuple[Replacement, ...],
    context: ToolContext,
    seen: Seen,
    texts: Texts,
) -> EditedFile:
    path = located(written, context.cwd)
    name = shown(path, context.cwd)
    known = _loaded(path, context, texts)
    before = decoded(known.data, path)
    seen.check(path, known.data)
    draft = Draft(before.text)
    idle: list[str] = []
    for number, change in enumerate(changes, start=1):
        if len(changes) > 1 and draft.is_idle(change):
            idle.append(str(number))
            continue
        try:
            draft.replace(change)
        except ToolFailed as failed:
            which = f"edit {number} of {len(changes)}: " if len(changes) > 1 else ""
            raise ToolFailed(f"{name} is unchanged: {which}{failed.message}") from failed
    if len(idle) == len(changes):
        raise ToolFailed(f"{name} is unchanged: in every edit old_text and new_text are identical")
    return EditedFile(
        path=path, name=name, known=known, before=before, draft=draft, idle=tuple(idle)
    )


def _edit(
    written: str,
    changes: tuple[Replacement, ...],
    context: ToolContext,
    seen: Seen,
    texts: Texts,
) -> Result:
    made = _edited(written, changes, context, seen, texts)
    after = made.before.encode(made.draft.text)
    note = texts.put(made.path, after, admitted=context.admitted, held=made.known)
    seen.changed(made.path, made.known.data, after)
    said = f"Edited {made.name}: {_counted(made.draft, len(changes) - len(made.idle))}"
    if made.idle:
        said += f"; skipped edit {', '.join(made.idle)}: old_text and new_text are identical"
    if note:
        said += f"; {note}"
    return Result.of(said, detail=made.diff)


def _counted(draft: Draft, edits: int) -> str:
    ranges = draft.ranges
    counts = [f"{edits} edits"] if edits > 1 else []
    if len(ranges) > edits:
        counts.append(f"{len(ranges)} replacements")
    return ", ".join([*counts, spelled(ranges)])


def _text_of(path: Path, held: bytes | None) -> str | None:
    """What a file held, for the diff only: empty when it is no text, None when there is none."""
    if held is None:
        return "" if path.exists() else None
    try:
        return decoded(held, path).text
    except ToolFailed:
        return ""


def _encoded(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as broken:
        raise ToolFailed(f"content holds a lone surrogate at position {broken.start}") from broken
