"""Keeps the files of an open session: before each call that may write, and when a run ends."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock, Thread

import anyio
from anyio import to_thread

from ouroboros.app.rewind.bounds import bounds_of
from ouroboros.app.rewind.ground import Ground
from ouroboros.app.rewind.journey import SHOWN, event_of, finished
from ouroboros.core.errors import ToolFailed
from ouroboros.core.events import Event
from ouroboros.core.events.checkpoint import CheckpointCreated, CheckpointKind
from ouroboros.core.events.code import Logged
from ouroboros.safety.paths import Places, real
from ouroboros.tools.tool import Effect
from ouroboros.workspace.checkpoints.faults import CheckpointFailed, Stopped
from ouroboros.workspace.checkpoints.index import Folder
from ouroboros.workspace.checkpoints.objects import NOT_KEPT
from ouroboros.workspace.checkpoints.rewind import Plan, forget
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken

END_SECONDS = 20.0
"""How long the end of a run waits for its checkpoint."""

_WRITTEN = 1_000
"""So many paths are known by name; a block of code that writes more is like a command."""

_WRITING = frozenset({"write", "execute", "run"})


class Keeping:
    """The checkpoints of one session; ``is_closed`` ends what is under way."""

    def __init__(self, ground: Ground) -> None:
        """Opens nothing."""
        self.ground = ground
        self._wish = ground.settings.checkpoints
        self._one = anyio.Lock()  # a checkpoint and its place in the log belong together
        self._using = Lock()  # one thread at a time works with the repository
        self._shadow: Shadow | None = None
        self.is_closed = False
        self._is_open_ended = False
        self._within = ""
        self._told: set[str] = set()
        self._is_large = False
        self._accepted = False
        self._is_gone = False
        self.late: list[Event] = []
        self.carried: Plan | None = None  # of turns that are taken back or had again at the start
        self._given_up = ""
        self._behind: Thread | None = None
        self._left: Taken | None = None  # the files as the latest command left them
        self._since: float | None = None  # when a command, or code, was let loose on the files
        self._open_seconds = 0.0  # how long the latest one had been, when it left them so
        self._written: set[str] = set()  # what calls of a block of code say that they write

    @property
    def bounds(self) -> Bounds:
        """What belongs to the files."""
        return bounds_of(self.ground.settings, self.ground.home)

    async def before(self, call_id: str, effect: Effect, *, within: str) -> str:
        """Keeps the files unless the effect leaves them alone; why a person should know of a failure.

        Raises:
            ToolFailed: The folder is not there any more; writing would make another one in its place.
        """
        if effect.kind not in _WRITING and not (effect.paths and effect.kind == "risk"):
            return ""
        if within and within == self._within:
            self._note(effect)
            return ""  # the block of code that makes this call is one step
        if not await to_thread.run_sync(self._may_change, effect):
            return ""
        if not await to_thread.run_sync(self.ground.cwd.is_dir):
            raise ToolFailed(self._gone())
        if self._given_up:
            return "" if self._accepted else self._given_up
        try:
            # What else a block of code, or a command that goes on, will write is not known yet.
            is_alone = not within and not self.ground.state.processes
            paths = self._inside(effect) if is_alone else ()
            await self.take("before", call_id=within or call_id, paths=paths)
        except CheckpointFailed as failed:
            return self._failed(failed)
        self._within = within
        self._is_open_ended = True
        if not paths:
            self._note(effect, is_alone=not within)
        return ""

    def close(self) -> None:
        """Ends what is under way and lets go of the repository; blocks for as long as that takes."""
        self.is_closed = True
        with self._using:
            if self._shadow is not None:
                self._shadow.library.close()

    async def recover(self) -> list[str]:
        """Goes on with a rewind of this folder that was cut off; what to tell the person."""
        try:
            done = await self.use(lambda shadow, _: finished(shadow, self.bounds))
        except CheckpointFailed as failed:
            return [f"a rewind that was cut off could not be finished: {failed.message}"]
        if done is None:
            return []
        plan, found = done
        self.late.append(event_of(found, target=plan.checkpoint, start=plan.start, was_cut=True))
        left = f", {len(found.left)} were left as they are" if found.left else ""
        return [
            f"a rewind that was cut off is finished: {len(found.changed)} more paths were "
            f"brought back{left}; `ouro checkpoints restore {plan.start[:12]}` takes it back"
        ]

    def forget(self) -> None:
        """Nothing is left to be done after a rewind of this session that was cut off; blocks."""
        with suppress(CheckpointFailed, OSError), self._using:
            forget(self._opened(), self.ground.state.session)

    def keeps(self, paths: Sequence[Path]) -> bool:
        """Whether the next checkpoint holds these files, by a look at all that belongs to it; blocks.

        ``paths`` have their folders resolved; what a link names is not asked for, only the link.
        """
        if self._given_up or self._accepted:
            return False
        if not paths:
            return True
        stop = self._patience()
        try:
            with self._using:
                shadow = self._opened()
                with shadow.locked():
                    found = shadow.look(self.bounds, now=self.ground.clock.now(), stop=stop)
        except (CheckpointFailed, OSError):
            return False
        root = real(self.ground.cwd)
        return all(
            path.is_relative_to(root) and _is_in(found.root, path.relative_to(root).parts)
            for path in paths
        )

    def accept(self) -> None:
        """Goes on without, and does not ask again in this session."""
        self._accepted = True

    async def end(self) -> None:
        """Keeps what a run made of the files, so that it is told from what others change later."""
        if not self._is_open_ended:
            return
        with anyio.move_on_after(END_SECONDS):
            try:
                await self._caught_up()
                if self._left is not None:
                    self._told_left(self._left)
                else:
                    await self.take("end")
                self._is_open_ended = False
                self._within = ""
                await self.use(self._tidied)
            except CheckpointFailed as failed:
                if not self._is_gone:
                    self._warn(f"the files as the run left them are not kept: {failed.message}")

    async def take(
        self, kind: CheckpointKind, *, call_id: str = "", paths: Sequence[str] = ()
    ) -> Taken:
        """A checkpoint, put on record.

        Raises:
            CheckpointFailed: The files cannot be kept.
        """
        async with self._one:
            began = self.ground.clock.monotonic()
            await self._caught_up()
            taken = await self.use(partial(self._taken, f"{kind} {call_id}".strip(), call_id))
            if self._left is not None and self._left.tree != taken.tree:
                self._told_left(self._left)
            elif self._left is None:
                self._open_seconds = self._been_open()
            self._left = None
            self.ground.record(
                self.told(taken, kind, call_id, paths, self.ground.clock.monotonic() - began)
            )
        return taken

    def _note(self, effect: Effect, *, is_alone: bool = False) -> None:
        """What is known of what an effect writes: paths, or only since when anything may be written."""
        is_named = effect.kind == "write" and not self.ground.state.processes and not is_alone
        if is_named and len(self._written) < _WRITTEN:
            self._written.update(self._inside(effect))
        elif self._since is None:
            self._since = self.ground.clock.monotonic()

    def _been_open(self) -> float:
        since, self._since = self._since, None
        return 0.0 if since is None else self.ground.clock.monotonic() - since

    def look_behind(self, call_id: str) -> None:
        """Keeps what a command made while the model thinks and the person is asked.

        What differs at the next call is then known to be somebody else's.
        """
        state = self.ground.state
        last = state.files.kept[-1] if state.files.kept else None
        if last is None or (last.kind, last.call_id, last.paths) != ("before", call_id, ()):
            return
        is_busy = any(call.phase == "attempted" for call in state.calls.values())
        if is_busy or state.processes or self._given_up or self._one.statistics().locked:
            return
        self._behind = Thread(
            target=self._look_behind, args=(call_id,), name="checkpoints", daemon=True
        )
        self._behind.start()

    def _look_behind(self, call_id: str) -> None:
        stop = self._patience()
        with suppress(CheckpointFailed, OSError), self._using:
            if not stop():
                self._left = self._taken(f"after {call_id}", call_id, self._opened(), stop)
                self._open_seconds = self._been_open()

    async def _caught_up(self) -> None:
        if self._behind is not None:
            await to_thread.run_sync(self._behind.join, abandon_on_cancel=True)
            self._behind = None

    def _told_left(self, left: Taken) -> None:
        self._left = None
        self.ground.record(self.told(left, "end"))

    def told(
        self,
        taken: Taken,
        kind: CheckpointKind,
        call_id: str = "",
        paths: Sequence[str] = (),
        seconds: float = 0.0,
    ) -> CheckpointCreated:
        """The event of a checkpoint; what is not kept is named once in a session."""
        new = [path for path in taken.left if path not in self._told]
        self._told.update(new)
        open_seconds, self._open_seconds = self._open_seconds, 0.0
        written, self._written = self._written, set()
        return CheckpointCreated(
            checkpoint=taken.checkpoint,
            tree=taken.tree,
            kind=kind,
            call_id=call_id,
            paths=tuple(paths),
            left=tuple(f"{path}: {taken.left[path]}" for path in new[:SHOWN]),
            left_count=len(new),
            seconds=seconds,
            open_seconds=open_seconds,
            written=tuple(sorted(written)),
        )

    async def use[T](self, job: Callable[[Shadow, Callable[[], bool]], T]) -> T:
        """Does something with the repository in a thread, within the time that the settings give.

        Raises:
            CheckpointFailed: As the job, or it took too long.
        """
        until = time.monotonic() + self._wish.timeout
        halted = False

        def stop() -> bool:
            return halted or self.is_closed or time.monotonic() > until

        def work() -> T:
            with self._using:
                return job(self._opened(), stop)

        try:
            with anyio.fail_after(self._wish.timeout + 5):
                return await to_thread.run_sync(work, abandon_on_cancel=True)
        except TimeoutError as late:
            raise Stopped("it took too long to look at all files") from late
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"the checkpoints cannot be used: {why}") from failed
        finally:
            halted = True
            if self._shadow is not None and self._shadow.notice:
                self._warn(self._shadow.notice)
                self._shadow.notice = ""

    def _opened(self) -> Shadow:
        if self._shadow is None:
            self._shadow = Shadow.opened(self.ground.home, self.ground.cwd)
        return self._shadow

    def _taken(self, what: str, call_id: str, shadow: Shadow, stop: Callable[[], bool]) -> Taken:
        state = self.ground.state
        last = self._left or (state.files.kept[-1] if state.files.kept else None)
        return shadow.take(
            self.bounds,
            session=state.session,
            message=f"{what}\n\nSession: {state.session}\nTurn: {state.turn}\nCall: {call_id}",
            last=(last.checkpoint, last.tree) if last else ("", ""),
            now=self.ground.clock.now(),
            stop=stop,
        )

    def look_ahead(self) -> None:
        """Reads what is new, so that the first call need not wait for it."""
        stop = self._patience()
        try:
            with self._using:
                shadow = self._opened()
                with shadow.locked():
                    shadow.look(self.bounds, now=self.ground.clock.now(), stop=stop)
        except (CheckpointFailed, OSError):
            return  # the first call that writes finds it out again, and says so

    def _patience(self) -> Callable[[], bool]:
        until = time.monotonic() + self._wish.timeout
        return lambda: self.is_closed or time.monotonic() > until

    def _tidied(self, shadow: Shadow, stop: Callable[[], bool]) -> None:
        del stop
        with shadow.locked():
            wish = self._wish
            shadow.bound(self.ground.state.session, wish.keep, wish.max_bytes)
            size = shadow.library.size
        if size > wish.max_bytes and not self._is_large:
            self._is_large = True
            shadow.notice = (
                f"the checkpoints of {str(self.ground.cwd)!r} take {size:,} bytes, more than "
                "checkpoints.max_bytes, with the latest of each session alone"
            )

    def _may_change(self, effect: Effect) -> bool:
        root = self.ground.cwd
        if effect.paths and effect.kind != "execute":
            return any(path.is_relative_to(root) for path in effect.paths)
        if effect.kind != "execute":
            return True
        from ouroboros.safety.commands.classify import classify

        places = Places(roots=(root,), home=self.ground.home, person=self.ground.person)
        folder = effect.folder or root
        verdict = classify(effect.command, cwd=folder, places=places, shell=effect.shell)
        return verdict.kind != "safe"

    def _inside(self, effect: Effect) -> tuple[str, ...]:
        root = self.ground.cwd
        if effect.kind != "write":
            return ()
        return tuple(
            os.fspath(path.relative_to(root)) for path in effect.paths if path.is_relative_to(root)
        )

    def _gone(self) -> str:
        why = (
            f"the folder {str(self.ground.cwd)!r} was renamed or deleted while the session was open"
        )
        if not self._is_gone:
            self._is_gone = True
            self._warn(f"{why}; nothing is written until it is there again")
        return f"not done: {why}"

    def _failed(self, failed: CheckpointFailed) -> str:
        why = f"the files cannot be kept before this, so it could not be undone: {failed.message}"
        if isinstance(failed, Stopped) or failed.hint:
            self._given_up = why
        if self._accepted:
            return ""
        if self._wish.on_failure == "ask" and self.ground.state.mode != "full-auto":
            return why
        self._accepted = True
        self._warn(why)
        return ""

    def _warn(self, text: str) -> None:
        self.ground.record(Logged(level="warning", text=text))


def _is_in(folder: Folder, parts: Sequence[str]) -> bool:
    """Whether the content of a file is kept in a folder, or below it."""
    for part in parts[:-1]:
        below = folder.folders.get(part)
        if below is None:
            return False
        folder = below
    found = folder.files.get(parts[-1]) if parts else None
    return found is not None and found.mode != NOT_KEPT
