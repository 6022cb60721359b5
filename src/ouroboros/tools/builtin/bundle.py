"""Applying a whole bundle of changes, in any of the formats that models write."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.builtin.texts import Texts
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.artifacts.dogs import (
    Bundle,
    FilePlan,
    Plan,
    Refused,
    Rename,
    Snapshot,
)
from ouroboros.workspace.artifacts.dogs.applying import ApplyFailed, apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder
from ouroboros.workspace.diff import unified

_LETTERS = {"add": "A", "change": "M", "delete": "D", "rename": "R"}


class DogsArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole bundle."""

    bundle: str


class DogsTool:
    """Applies a bundle to the working folder: all of it, or nothing."""

    name = "dogs"
    description = (
        "Apply a bundle of changes to files below the working folder: '--- File: PATH ---' blocks "
        "with diffs, SEARCH/REPLACE blocks, unified diffs, file markers or <file> tags, as another "
        "model or a chat window wrote them. Every block must fit exactly one place. All or nothing."
    )
    arguments = DogsArguments
    exposure: Exposure = "deferred"
    parallel_safe = False

    def __init__(self, journal: Callable[[Path], Path], texts: Texts | None = None) -> None:
        """``journal`` says where it is noted what is being written to a folder."""
        self._journal, self._texts = journal, texts or Texts()

    def effect(self, arguments: DogsArguments, cwd: Path) -> Effect:
        """Writes every path that the bundle names."""
        paths = tuple(dict.fromkeys(located(name, cwd) for name in _names(_read(arguments))))
        names = ", ".join(shown(path, cwd) for path in paths) or "nothing"
        return Effect(kind="write", action=f"Apply a bundle to {names}", paths=paths)

    def preview(self, arguments: DogsArguments, context: ToolContext) -> str:
        """The diff that it would make; raises ``ToolFailed`` where a block does not fit."""
        return "".join(map(_diff, _planned(_read(arguments), context).changed))

    async def run(self, arguments: DogsArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Fits it to the files, then writes."""
        bundle = _read(arguments)
        journal = self._journal(context.cwd)
        yield await to_thread.run_sync(_applied, bundle, context, journal, self._texts)


def _read(arguments: DogsArguments) -> Bundle:
    try:
        bundle = read(arguments.bundle.encode("utf-8", "replace"))
    except Refused as refused:
        raise _failed(refused) from refused
    if bundle.refusals:
        raise _failed(Refused(*bundle.refusals))
    if not bundle.changes:
        why = ["the bundle holds no change, so nothing was written", *bundle.notes]
        raise ToolFailed("\n".join(why))
    return bundle


def _names(bundle: Bundle) -> list[str]:
    names: list[str] = []
    for change in bundle.changes:
        names.append(change.path)
        if isinstance(change, Rename):
            names.append(change.to)
    return names


def _planned(bundle: Bundle, context: ToolContext) -> Plan:
    found = plan(bundle, Folder(context.cwd))
    if found.refusals:
        raise _failed(Refused(*found.refusals))
    return found


def _applied(bundle: Bundle, context: ToolContext, journal: Path, texts: Texts) -> Result:
    cwd = context.cwd
    found = _planned(bundle, context)
    outside = [file for file in found.changed if not _is_admitted(file, context)]
    if outside:
        raise ToolFailed(f"{outside[0].path} leads elsewhere by now, so nothing was written")
    for name in (name for file in found.changed for name in _both(file)):
        _check_saved(cwd / name, name, texts)
    try:
        apply(found, cwd, journal=journal)
    except (Refused, ApplyFailed) as failed:
        raise _failed(failed) from failed
    if not found.changed:
        return Result.of("Every file is so already; nothing was written")
    lines = [f"{_LETTERS.get(file.action, 'M')} {file.path}" for file in found.changed]
    detail = "".join(map(_diff, found.changed))
    return Result.of("\n".join(["Applied the bundle:", *lines, *bundle.notes]), detail=detail)


def _check_saved(path: Path, name: str, texts: Texts) -> None:
    try:
        is_unsaved = texts.is_unsaved(path)
    except ToolFailed as failed:
        raise ToolFailed(
            f"nothing was written: {failed.message}", hint="ask the user to save it"
        ) from failed
    if is_unsaved:
        raise ToolFailed(
            f"nothing was written: {name} has changes in the editor that are not saved",
            hint="ask the user to save it, or change it by `edit`, which goes through the editor",
        )


def _is_admitted(file: FilePlan, context: ToolContext) -> bool:
    if not context.admitted:
        return True
    return all((context.cwd / name).resolve() in context.admitted for name in _both(file))


def _both(file: FilePlan) -> list[str]:
    """The name of a file, and the one that it had."""
    return [file.path, *([file.was] if file.was else [])]


def _diff(file: FilePlan) -> str:
    old, new = _text(file.before), _text(file.after)
    return "" if old is None or new is None else unified(old, new, file.path)


def _text(snapshot: Snapshot | None) -> str | None:
    if snapshot is None:
        return ""
    try:
        return snapshot.content.decode()
    except UnicodeDecodeError:
        return None


def _failed(failed: Refused | ApplyFailed) -> ToolFailed:
    return ToolFailed(f"nothing was written: {failed.message}", hint=failed.hint)
