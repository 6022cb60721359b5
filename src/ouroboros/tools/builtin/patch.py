"""Changing several files by one patch."""

from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.core.parts import Freeform
from ouroboros.tools.builtin.location import missing, shown
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

    def __init__(self, seen: Seen | None = None, *, limit: int = WRITE_BYTES) -> None:
        """``seen`` hears of what was written; ``limit`` is the largest file it makes, in bytes."""
        self._seen, self._limit = seen, limit

    def effect(self, arguments: ApplyPatchArguments, cwd: Path) -> Effect:
        """Writes every path the patch names."""
        hunks = _parsed(arguments.input)
        paths = tuple(dict.fromkeys(located(name, cwd) for name in _names(hunks)))
        names = ", ".join(shown(path, cwd) for path in paths) or "nothing"
        return Effect(kind="write", action=f"Patch {names}", paths=paths)

    async def run(
        self, arguments: ApplyPatchArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Checks, then writes."""
        hunks = _parsed(arguments.input)
        yield await to_thread.run_sync(_apply, hunks, context, self._seen, self._limit)


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


def _apply(hunks: tuple[Hunk, ...], context: ToolContext, seen: Seen | None, limit: int) -> Result:
    cwd = context.cwd
    try:
        verify(hunks, cwd, Disk(), limit=limit)
    except ToolFailed as failed:
        raise _refused(_with_namesakes(failed, hunks, context)) from failed
    applied = apply_patch(hunks, cwd, Disk(admitted=context.admitted, seen=seen))
    detail = "".join(_diff(change, cwd) for change in applied.changes)
    if applied.failure:
        return Result.of(_partial(applied.changes, applied.failure), ok=False, detail=detail)
    return Result.of(summary(applied.changes, with_lines=True), detail=detail)


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
