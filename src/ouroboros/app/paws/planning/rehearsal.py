"""Puts in the place of every tool one that rehearses: reads are real, all else is written down only."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.paws.planning.overlay import Overlay
from ouroboros.core.errors import ToolFailed
from ouroboros.core.parts import Text
from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places
from ouroboros.safety.sandbox import Sandbox
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

type Kind = Literal["read", "planned", "not run"]
"""Carried out and changes nothing; done to the copy; only written down."""

NOT_RUN = (
    "not run: this is a rehearsal, and what it would give is not known. Plan on as if it succeeds."
)

_PLACES = frozenset({"path", "command", "cmd", "workdir", "cwd", "folder", "root"})
"""Fields of arguments that name places; all others are content and stay as they are."""

_READING = frozenset({"read", "none"})
_HEADER = re.compile(r"(?m)^(\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )(.*)$")


class Rehearsed(Struct, frozen=True, kw_only=True):
    """What became of one call."""

    kind: Kind
    action: str
    paths: tuple[str, ...] = ()
    command: str = ""
    verdict: Verdict | None = None


class Rehearsal:
    """All tools of one session; ``calls`` are what they were called for, by the id of the call."""

    def __init__(
        self, overlay: Overlay, places: Places, cage: Callable[[], Awaitable[Sandbox]]
    ) -> None:
        """``places`` are those of the session, for judging commands; ``cage`` lets nothing be written."""
        self.overlay, self._places, self.cage = overlay, places, cage
        self.calls: dict[str, Rehearsed] = {}

    def dress(self, tool: AnyTool) -> AnyTool:
        """The tool as it is rehearsed."""
        return _Rehearsing(tool, self)

    def verdict(self, command: str, shell: str) -> Verdict:
        """What a command is taken for by its words."""
        return classify(command, cwd=self.overlay.root, places=self._places, shell=shell)

    def note(self, call_id: str, kind: Kind, effect: Effect, verdict: Verdict | None) -> None:
        """Writes a call down."""
        root = self.overlay.root
        self.calls[call_id] = Rehearsed(
            kind=kind,
            action=effect.action,
            paths=tuple(
                str(path.relative_to(root) if path.is_relative_to(root) else path)
                for path in map(self.overlay.real, effect.paths)
            ),
            command=effect.command,
            verdict=verdict,
        )


class _Rehearsing:
    """One tool that rehearses; what else is asked of it the tool itself answers."""

    def __init__(self, inner: AnyTool, rehearsal: Rehearsal) -> None:
        self._inner, self._rehearsal = inner, rehearsal
        self.name, self.description = inner.name, inner.description
        self.arguments: type[Struct] = inner.arguments
        self.parallel_safe = inner.parallel_safe

    def __getattr__(self, name: str) -> object:
        """Exposure, and whatever only some tools have."""
        return getattr(self._inner, name)

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        """What is really done: nothing, unless it only reads; of a command that is found out later."""
        meant = self._inner.effect(arguments, cwd)
        if meant.kind in _READING:
            return meant
        return Effect(kind="none", action=f"Plan: {meant.action}")

    async def run(
        self, arguments: Struct, context: ToolContext
    ) -> AsyncIterator[Progress | Result]:
        """Reads, changes the copy, or says that it was not run."""
        meant, kind, verdict = await to_thread.run_sync(self._look, arguments, context.cwd)
        overlay = self._rehearsal.overlay
        if kind == "planned":
            await to_thread.run_sync(overlay.ready)
            if not await to_thread.run_sync(self._stays, arguments):
                kind = "not run"
        self._rehearsal.note(context.call_id, kind, meant, verdict)
        if kind == "not run":
            yield Result.of(NOT_RUN if meant.command else f"{NOT_RUN}\nIt would: {meant.action}")
            return
        if verdict is not None:
            await context.admit(meant)
            cage = await self._rehearsal.cage()
            context = replace(context, sandbox=cage, command=overlay.to_copy(verdict.hardened))
        there = _moved(arguments, overlay)
        try:
            async for piece in self._inner.run(there, _placed(context, overlay)):
                yield _told(piece, overlay)
        except ToolFailed as failed:
            if not overlay.is_there:
                raise
            raise ToolFailed(overlay.to_project(failed.message), hint=failed.hint) from failed

    def _look(self, arguments: Struct, cwd: Path) -> tuple[Effect, Kind, Verdict | None]:
        meant = self._inner.effect(arguments, cwd)
        return (meant, *self._kind(meant))

    def _kind(self, meant: Effect) -> tuple[Kind, Verdict | None]:
        match meant.kind:
            case kind if kind in _READING:
                return "read", None
            case "write":
                return "planned", None
            case "execute":
                verdict = self._rehearsal.verdict(meant.command, meant.shell)
                return ("read" if verdict.kind == "safe" else "not run"), verdict
            case _:
                return "not run", None

    def _stays(self, arguments: Struct) -> bool:
        """Whether all that it writes is in the copy."""
        overlay = self._rehearsal.overlay
        try:
            effect = self._inner.effect(_moved(arguments, overlay), overlay.top)
        except (ToolFailed, OSError):
            return True  # as the call itself will say
        return all(overlay.inside(path) for path in effect.paths)


def _moved(arguments: Struct, overlay: Overlay) -> Struct:
    """The arguments with places in the project as places in the copy."""
    if not overlay.is_there:
        return arguments
    changed: dict[str, object] = {}
    for name in arguments.__struct_fields__:
        value: object = getattr(arguments, name)
        if not isinstance(value, str):
            continue
        if name in _PLACES:
            changed[name] = overlay.to_copy(value)
        elif name in {"input", "patch"}:
            changed[name] = _HEADER.sub(lambda found: found[1] + overlay.to_copy(found[2]), value)
    return replace(arguments, **changed)


def _placed(context: ToolContext, overlay: Overlay) -> ToolContext:
    """The call as if the copy were the project."""
    if not overlay.is_there:
        return context

    def hides(path: Path) -> bool:
        return context.hides(overlay.real(path))

    cwd = context.cwd
    inside = cwd.is_relative_to(overlay.root)
    return replace(
        context,
        cwd=overlay.top / cwd.relative_to(overlay.root) if inside else cwd,
        hides=hides,
        admitted=tuple(Path(overlay.to_copy(str(path))) for path in context.admitted),
    )


def _told(piece: Progress | Result, overlay: Overlay) -> Progress | Result:
    """What it said, with places of the copy as places of the project."""
    if not overlay.is_there:
        return piece
    if isinstance(piece, Progress):
        return replace(piece, text=overlay.to_project(piece.text))
    parts = tuple(
        Text(text=overlay.to_project(part.text)) if isinstance(part, Text) else part
        for part in piece.parts
    )
    return replace(piece, parts=parts, detail=overlay.to_project(piece.detail))
