"""Changing several files by one patch."""

from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.core.parts import Freeform
from ouroboros.tools.builtin.location import missing, shown
from ouroboros.tools.builtin.texts import Held, Texts
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.diff import unified
from ouroboros.workspace.files import FileMissing
from ouroboros.workspace.patch import (
    Change,
    Disk,
    Hunk,
    UpdateFile,
    apply_patch,
    located,
    parse,
    summary,
    verify,
)
from ouroboros.workspace.seen import Seen

GRAMMAR = r"""
start: "*** Begin Patch" NL file+ "*** End Patch" NL?
file: added | deleted | updated
added: "*** Add File: " path NL plus*
deleted: "*** Delete File: " path NL
updated: "*** Update File: " path NL moved? (first | chunk) chunk*
moved: "*** Move to: " path NL
first: (plus | minus | " " words NL) change* last?
chunk: place change+ last?
place: "@@" NL | "@@ " text? NL
change: plus | minus | same
plus: "+" text? NL
minus: "-" text? NL
same: " " text? NL
last: "*** End of File" NL
path: /[^\s][^\n]*/
text: /[^\n]+/
words: /[^\n]*[^\s][^\n]*/
NL: /\n/
""".strip()
"""What a patch may look like, for vendors that hold a model to a Lark grammar."""


class ApplyPatchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole patch."""

    input: str


class ApplyPatchTool:
    """Adds, deletes, updates and moves files, after the whole patch was found to fit."""

    name = "apply_patch"
    description = (
        "Apply a patch: *** Begin Patch, then hunks, then *** End Patch. Hunks: *** Add File: PATH "
        "with + lines; *** Delete File: PATH; *** Update File: PATH, optional *** Move to: PATH, "
        "then chunks of ' ', - and + lines with 3 lines of context before and after. A chunk begins "
        "with @@, which may be followed by a whole line of the file above the chunk; chunks go top "
        "to bottom. All or nothing."
    )
    arguments = ApplyPatchArguments
    freeform = Freeform(syntax="lark", definition=GRAMMAR)
    parallel_safe = False

    def __init__(
        self, seen: Seen | None = None, *, limit: int = WRITE_BYTES, texts: Texts | None = None
    ) -> None:
        """``seen`` hears of what was written; ``limit`` is the largest file it makes, in bytes."""
        self._seen, self._limit = seen, limit
        self.texts = texts or Texts()

    def effect(self, arguments: ApplyPatchArguments, cwd: Path) -> Effect:
        """Writes every path the patch names."""
        hunks = _parsed(arguments.input)
        paths = tuple(dict.fromkeys(located(name, cwd) for name in _names(hunks)))
        names = ", ".join(shown(path, cwd) for path in paths) or "nothing"
        return Effect(kind="write", action=f"Patch {names}", paths=paths)

    def preview(self, arguments: ApplyPatchArguments, context: ToolContext) -> str:
        """The diff that it would make; raises ``ToolFailed`` where a hunk does not fit."""
        hunks, files = _parsed(arguments.input), self._files(context)
        changes = _verified(hunks, context, files, self._limit)
        return "".join(_diff(change, context.cwd) for change in changes)

    def _files(self, context: ToolContext) -> Disk:
        if self.texts.is_disk:
            return Disk(admitted=context.admitted, seen=self._seen)
        return _Held(self.texts, context.admitted, self._seen)

    async def run(
        self, arguments: ApplyPatchArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Checks, then writes."""
        hunks, files = _parsed(arguments.input), self._files(context)
        yield await to_thread.run_sync(_apply, hunks, context, files, self._limit)


class _Held(Disk):
    """Files of which an editor may hold more than the disk."""

    def __init__(self, texts: Texts, admitted: tuple[Path, ...], seen: Seen | None) -> None:
        super().__init__(admitted=admitted, seen=seen)
        self._texts, self._admitted, self._seen = texts, admitted, seen
        self._held: dict[Path, Held] = {}
        self.notes: list[str] = []

    def read(self, path: Path) -> str:
        held = self._held[path] = self._texts.held(path)
        try:
            return held.data.decode()
        except UnicodeDecodeError as broken:
            raise ToolFailed(f"{path} is not UTF-8 text") from broken

    def write(self, path: Path, text: str) -> None:
        data = text.encode()
        held = self._held.get(path)
        if held is None and path.is_file():
            held = self._texts.held(path)
        if note := self._texts.put(path, data, admitted=self._admitted, held=held):
            self.notes.append(f"{path}: {note}\n")
        self._held.pop(path, None)
        if self._seen is not None:
            if held is None:
                self._seen.wrote(path, data)
            else:
                self._seen.changed(path, held.data, data)


def _parsed(text: str) -> tuple[Hunk, ...]:
    try:
        hunks = parse(text)
        if not hunks:
            raise ToolFailed("No files were modified.")
        return hunks
    except ToolFailed as broken:
        raise _refused(broken) from broken


def _refused(failed: ToolFailed) -> ToolFailed:
    hint = f"\n{failed.hint}" if failed.hint else ""
    return ToolFailed(
        f"apply_patch verification failed: nothing was changed: {failed.message}{hint}"
    )


def _names(hunks: tuple[Hunk, ...]) -> list[str]:
    names: list[str] = []
    for hunk in hunks:
        names.append(hunk.path)
        if isinstance(hunk, UpdateFile) and hunk.move_to is not None:
            names.append(hunk.move_to)
    return names


def _verified(
    hunks: tuple[Hunk, ...], context: ToolContext, files: Disk, limit: int
) -> tuple[Change, ...]:
    try:
        return verify(hunks, context.cwd, files, limit=limit)
    except ToolFailed as failed:
        raise _refused(_with_namesakes(failed, hunks, context)) from failed


def _apply(hunks: tuple[Hunk, ...], context: ToolContext, files: Disk, limit: int) -> Result:
    cwd = context.cwd
    _verified(hunks, context, files, limit)
    applied = apply_patch(hunks, cwd, files)
    notes = "".join(files.notes) if isinstance(files, _Held) else ""
    detail = "".join(_diff(change, cwd) for change in applied.changes)
    if applied.failure:
        text = _partial(applied.changes, applied.failure)
        return Result.of(text + notes, ok=False, detail=detail)
    return Result.of(summary(applied.changes, with_lines=True) + notes, detail=detail)


def _with_namesakes(
    failed: ToolFailed, hunks: tuple[Hunk, ...], context: ToolContext
) -> ToolFailed:
    for hunk in hunks:
        path = located(hunk.path, context.cwd)
        if failed.message.startswith(f"{path} does not exist"):
            return missing(path, FileMissing(failed.message), context)
    return failed


def _partial(changes: tuple[Change, ...], failure: str) -> str:
    done = ", ".join(change.name for change in changes)
    return f"{failure}\nBefore that, these were changed: {done}\n" if done else f"{failure}\n"


def _diff(change: Change, cwd: Path) -> str:
    return unified(change.before or "", change.after or "", shown(change.path, cwd))
