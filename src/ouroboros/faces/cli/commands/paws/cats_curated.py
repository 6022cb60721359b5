"""The part of `ouro cats` in which a model chooses the files."""

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ouroboros.core.errors import Interrupted
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.paws.cats import Asked, Ground
    from ouroboros.app.paws.curation import Chosen, Scanned
    from ouroboros.faces.cli.commands.paws.cats_flags import Flags

_LISTED = 40
_TURN_SECONDS = 0.1
_TURNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def curated(
    invocation: Invocation, flags: "Flags", asked: "Asked", ground: "Ground"
) -> "Chosen | None":
    """What the model chose; None after a dry run."""
    from ouroboros.app.paws import cats
    from ouroboros.app.paws.curation import Curation, choose, scan
    from ouroboros.faces.cli.interrupts import run

    curation = Curation(
        task=asked.task,
        wanted=flags.wanted,
        unwanted=flags.unwanted,
        threshold=flags.threshold,
        most=flags.max_candidates,
    )
    _tell(flags, "[PAWS] Analyzing project…")
    gathered = cats.find(asked, ground)
    scanned = scan(curation, ground, gathered)
    _tell(flags, f"[PAWS] {scanned.files:,} files, {len(scanned.candidates):,} candidates")
    if flags.dry_run:
        _list(flags, scanned)
        return None
    settings = invocation.load({"model": flags.model} if flags.model else {}).settings

    async def work(tell: Callable[[str], None]) -> "Chosen":
        return await choose(
            curation,
            ground,
            gathered,
            scanned,
            settings=settings,
            environment=invocation.environment,
            tell=tell,
        )

    chosen = run(lambda: _shown(work, flags))
    if chosen is None:
        raise Interrupted("stopped before a choice was made; no bundle was written")
    _report(flags, chosen, len(scanned.candidates))
    return chosen


async def _shown(
    work: "Callable[[Callable[[str], None]], Awaitable[Chosen]]", flags: "Flags"
) -> "Chosen | None":
    """What ``work`` gives; None where a signal came first."""
    import anyio
    from anyio.lowlevel import checkpoint

    from ouroboros.faces.cli.interrupts import at_once, watch

    found: list[Chosen] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch, at_once, tasks.cancel_scope.cancel)
        await checkpoint()  # from the first word on a signal is heard
        spinner = _Spinner("[AI] Ranking candidate files…", is_quiet=flags.quiet)
        tasks.start_soon(spinner.turn)
        try:
            found.append(await work(spinner.tell))
        finally:
            tasks.cancel_scope.cancel()
            spinner.end()
    return found[0] if found else None


class _Spinner:
    """A line that turns on a terminal, and stands elsewhere."""

    def __init__(self, text: str, *, is_quiet: bool) -> None:
        self._text, self._is_quiet = text, is_quiet
        self._is_live = not is_quiet and sys.stderr is not None and sys.stderr.isatty()
        if not is_quiet and not self._is_live:
            note(text)

    async def turn(self) -> None:
        import anyio

        at = 0
        while self._is_live:
            sys.stderr.write(f"\r{_TURNS[at % len(_TURNS)]} {self._text}")
            sys.stderr.flush()
            at += 1
            await anyio.sleep(_TURN_SECONDS)

    def tell(self, text: str) -> None:
        self._wipe()
        if not self._is_quiet:
            note(f"[AI] {text[:200]}")

    def end(self) -> None:
        self._wipe()
        if self._is_live:
            self._is_live = False
            note(self._text)

    def _wipe(self) -> None:
        if self._is_live:
            sys.stderr.write("\r" + " " * (len(self._text) + 2) + "\r")
            sys.stderr.flush()


def _list(flags: "Flags", scanned: "Scanned") -> None:
    if flags.as_json:
        say_json({"candidates": scanned.candidates})
        return
    for each in scanned.candidates:
        words = f"  {', '.join(each.words)}" if each.words else ""
        say(f"{each.score:9.3f}  {each.path}{words}")


def _report(flags: "Flags", chosen: "Chosen", shown: int) -> None:
    _tell(flags, f"[AI] Selected {len(chosen.ranks):,} of {shown:,} files")
    for each in chosen.ranked[:_LISTED]:
        if each.file_path in chosen.ranks:
            reason = f"  {each.justification}" if each.justification else ""
            _tell(flags, f"  {each.relevance:.2f}  {each.file_path}{reason}")
    for path, why in list(chosen.dropped.items())[:_LISTED]:
        note(f"warning: the model named {path!r}, which is not taken: {why}")
    paid = chosen.paid
    cost = "unknown cost" if paid.cost is None else f"${paid.cost:.4f}"
    _tell(
        flags,
        f"[AI] {paid.model}: {paid.tokens_in:,} tokens in, {paid.tokens_out:,} out, {cost}",
    )


def _tell(flags: "Flags", text: str) -> None:
    if not flags.quiet:
        note(text)
