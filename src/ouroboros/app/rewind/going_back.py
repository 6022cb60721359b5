"""Carries out the wishes of an open session to have files and turns back."""

from collections.abc import Awaitable, Callable, Sequence

from anyio import to_thread

from ouroboros.app.rewind.journey import Ready, carry_out, event_of, prepare
from ouroboros.app.rewind.keeping import Keeping
from ouroboros.app.rewind.points import before, named
from ouroboros.app.rewind.resuming import note_of
from ouroboros.app.rewind.taking_back import take_back
from ouroboros.app.rewind.undoing import (
    Handler,
    History,
    Span,
    reapply,
    redone_event,
    revert,
    span_back,
    span_on,
    undone_event,
)
from ouroboros.core.commands import Command, Foreign, Redo, Restore, TakeBack, Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.events.checkpoint import TurnRedone, TurnUndone
from ouroboros.core.state.files import Kept
from ouroboros.workspace.checkpoints.restore import Restored
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken


class GoingBack:
    """Files and turns of one session; each wish is on disk when ``handle`` returns."""

    def __init__(
        self,
        keeping: Keeping,
        *,
        send: Callable[[Command], Awaitable[None]],
        settle: Callable[[], Awaitable[None]],
        others: Sequence[Handler] = (),
    ) -> None:
        """``send`` carries out other commands; ``others`` take back what is neither words nor files."""
        self._keeping, self._settle = keeping, settle
        self._files = FilesBack(keeping, settle)
        # The files come first both ways: a plan on the disk goes with them, which knows the rest.
        history = History(send)
        self._back: tuple[Handler, ...] = (history, self._files, *others)
        self._again: tuple[Handler, ...] = (self._files, history, *others)

    async def handle(self, command: Restore | TakeBack | Undo | Redo, *, running: bool) -> None:
        """Does what is wished.

        Raises:
            Misuse: It does not fit the moment, or somebody else's changes stand in the way.
            CheckpointFailed: The files cannot be brought back.
        """
        if running:
            raise Misuse(
                "files and turns cannot be taken back while a turn runs", hint="stop it first"
            )
        ground = self._keeping.ground
        match command:
            case Restore():
                await self._files.restore(command)
            case TakeBack():
                await take_back(self._keeping, command, self._settle)
            case Undo(turns=turns, foreign=decision):
                depth = ground.settings.checkpoints.undo_depth
                span = span_back(ground.state, turns, depth, decision)
                report = await revert(self._back, span)
                await self._end(undone_event(span, self._files.start, report))
            case Redo(foreign=decision):
                span = span_on(ground.state, decision)
                report = await reapply(self._again, span)
                await self._end(redone_event(span, report))
        await self._settle()

    async def _end(self, event: TurnUndone | TurnRedone) -> None:
        """What was done is on record before the plan of it is forgotten."""
        self._keeping.ground.record(event)
        await self._settle()
        await to_thread.run_sync(self._keeping.forget)


class FilesBack:
    """The files of a session, as one of the kinds of things that are taken back."""

    name = "files"

    def __init__(self, keeping: Keeping, settle: Callable[[], Awaitable[None]]) -> None:
        """``start`` is the checkpoint of right before the latest way back."""
        self._keeping, self._settle = keeping, settle
        self._ready: Ready | None = None
        self.start = ""

    async def restore(self, wish: Restore) -> None:
        """Brings the files back to what they were before some words, or at a checkpoint."""
        state = self._keeping.ground.state
        by_name = named(state, wish.checkpoint) if wish.checkpoint else None
        target = by_name or before(state, wish.message_id)
        if target is not None:
            ready = await self._prepared(target)
            if wish.paths:
                ready = ready.only(wish.paths)
            await self._go(ready, wish.foreign, wish.message_id, note="")

    async def check(self, span: Span) -> None:
        """Finds out whether somebody else's changes stand in the way."""
        self._ready, self.start = None, ""
        target = self._target(span)
        if target is not None:
            # Turns are taken back, not what a person did meanwhile in other files.
            self._ready = (await self._prepared(target)).touched()
            self._ready.excluded(span.foreign)

    async def revert(self, span: Span) -> bool:
        """Brings back what was before the turns."""
        if self._ready is None:
            return False
        self.start = self._ready.start.checkpoint
        note = note_of(span, self._keeping.ground.state)
        await self._go(self._ready, span.foreign, span.message_id, note=note)
        return True

    async def reapply(self, span: Span) -> bool:
        """Brings back what the turns had made."""
        return await self.revert(span)

    def _target(self, span: Span) -> Kept | None:
        state = self._keeping.ground.state
        if span.message_id:
            return before(state, span.message_id)
        kept = reversed(state.files.kept)
        return next((each for each in kept if each.checkpoint == span.start), None)

    async def _prepared(self, target: Kept) -> Ready:
        keeping = self._keeping
        ground = keeping.ground

        def job(shadow: Shadow, stop: Callable[[], bool]) -> Ready:
            return prepare(
                *(shadow, ground.state, target, keeping.bounds),
                now=ground.clock.now(),
                ask_after=ground.settings.checkpoints.ask_after,
                stop=stop,
            )

        return await keeping.use(job)

    async def _go(self, ready: Ready, decision: Foreign, message_id: str, *, note: str) -> None:
        keeping = self._keeping
        ground = keeping.ground
        excluded = ready.excluded(decision)
        ground.record(keeping.told(ready.start, "rewind"))
        await self._settle()  # where it began is on record before a file is changed

        def job(shadow: Shadow, _: Callable[[], bool]) -> tuple[Restored, Taken]:
            return carry_out(
                shadow,
                ready,
                keeping.bounds,
                session=ground.state.session,
                excluded=excluded,
                now=ground.clock.now(),
                note=note,
            )

        found, after = await keeping.use(job)
        ground.record(keeping.told(after, "restored"))
        ground.record(
            event_of(
                found,
                target=ready.target,
                start=ready.start.checkpoint,
                message_id=message_id,
            )
        )
        await self._settle()
