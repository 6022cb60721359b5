"""Runs the command that judges changes, and knows whether it changed the repository around them."""

import os
import signal
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.app.paws.dogs.outcome import Verified
from ouroboros.app.text import encodable
from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError
from ouroboros.safety.capture import Capture
from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox.cage import Confined
from ouroboros.safety.spawn import Process, shell_command, start

LOG_BYTES = 200_000
"""So much of each stream is kept, half from its start and half from its end."""

TIMED_OUT = 124
"""The exit code of a command that took too long."""

_SHELLS = (Path("/bin/bash"), Path("/usr/bin/bash"))
_MOST_POINTER = 4_096

type Signals = AsyncIterator[signal.Signals]


async def verified(
    command: str,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
    clock: Clock,
) -> Verified:
    """Runs shell text to its end; whatever it started ends with it.

    One that does not start is one that fails.
    """
    began = clock.monotonic()
    shell = next((str(path) for path in _SHELLS if path.exists()), "/bin/sh")
    capture, exit_code = Capture(LOG_BYTES), None
    try:
        async with watched(
            shell_command(command, shell), cwd=cwd, environment=environment
        ) as process:
            with anyio.move_on_after(timeout_seconds):
                while (piece := await process.read()) is not None:
                    capture.add(piece.data, piece.stream)
                exit_code = process.exit_code
    except OSError as failed:
        return Verified(
            command=encodable(command), exit_code=127, stderr=f"it does not start: {failed}\n"
        )
    return Verified(
        command=encodable(command),
        exit_code=TIMED_OUT if exit_code is None else exit_code,
        timed_out=exit_code is None,
        stdout=capture.bytes_of("stdout").decode("utf-8", "replace"),
        stderr=capture.bytes_of("stderr").decode("utf-8", "replace"),
        seconds=round(clock.monotonic() - began, 3),
    )


@asynccontextmanager
async def watched(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    confined: Confined | None = None,
) -> AsyncGenerator[Process]:
    """A process that ends with the block, and also where we are killed; raises ``OSError``."""
    guard = Guard()
    await to_thread.run_sync(guard.begin)
    process = await start(command, cwd=cwd, environment=environment, guard=guard, confined=confined)
    try:
        yield process
    finally:
        await process.close()


@contextmanager
def listening() -> Generator[Signals]:
    """Signals that ask to stop do nothing but come out here; in the main thread only."""
    is_deaf = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    counting = [signal.SIGINT, signal.SIGTERM, *([] if is_deaf else [signal.SIGHUP])]
    with anyio.open_signal_receiver(*counting) as signals:
        yield signals


async def interruptible[T](work: Callable[[], Awaitable[T]], signals: Signals) -> T | None:
    """What ``work`` gives; None where a signal ended it, but what runs in a thread comes to its end."""
    found: list[T] = []
    problems: list[OuroborosError | OSError] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, signals, tasks.cancel_scope)
        try:
            found.append(await work())
        except (OuroborosError, OSError) as problem:
            problems.append(problem)
        tasks.cancel_scope.cancel()
    if problems:
        raise problems[0]
    return found[0] if found else None


async def _listen(signals: Signals, scope: anyio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()
        return


class Around(Struct, frozen=True, kw_only=True):
    """The parts of the person's repository that a command may change; without any outside of one.

    Attributes:
        index: The file, and what was in it; None where there was none.
        refs: What HEAD, the stash, branches and tags were.
        settings: The settings and the hooks.
    """

    folder: Path | None
    index: bytes | None = None
    refs: tuple[tuple[str, bytes], ...] = ()
    settings: tuple[tuple[str, bytes], ...] = ()


def around(root: Path) -> Around:
    """The repository that a folder is in, as it is now; blocking."""
    folder = _git_folder(root)
    if folder is None:
        return Around(folder=None)
    return Around(
        folder=folder,
        index=_bytes(folder / "index"),
        refs=_refs(folder),
        settings=_settings(folder),
    )


def put_index_back(before: Around) -> str:
    """Makes the index what it was; what the person should know besides, or nothing; blocking."""
    if before.folder is None:
        return ""
    if not before.folder.is_dir():
        return f"the command removed {str(before.folder)!r}, which cannot be put back"
    told: list[str] = []
    if _bytes(before.folder / "index") != before.index:
        try:
            _put_index(before.folder, before.index)
        except OSError as failed:
            told.append(f"the command changed Git's index, which cannot be put back: {failed}")
    if _refs(before.folder) != before.refs:
        told.append("the command moved HEAD, a branch or the stash; those stay as it left them")
    if _settings(before.folder) != before.settings:
        told.append("the command changed Git's settings or hooks; those stay as it left them")
    return "; ".join(told)


def _put_index(folder: Path, content: bytes | None) -> None:
    """Puts an index in place under git's own lock, or removes it; raises ``OSError``."""
    lock = folder / "index.lock"
    descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content or b"")
        if content is not None:
            lock.replace(folder / "index")
            return
        (folder / "index").unlink(missing_ok=True)
    except OSError:
        lock.unlink(missing_ok=True)
        raise
    lock.unlink(missing_ok=True)


def _git_folder(root: Path) -> Path | None:
    for folder in (root, *root.parents):
        found = folder / ".git"
        if found.is_dir():
            return found
        if found.is_file():
            text = (_bytes(found) or b"")[:_MOST_POINTER].decode("utf-8", "surrogateescape")
            if text.startswith("gitdir: "):
                return folder / text.removeprefix("gitdir: ").strip()
    return None


def _refs(folder: Path) -> tuple[tuple[str, bytes], ...]:
    shared = _shared(folder)
    ours = [shared / "refs" / kind for kind in ("heads", "tags")]
    named = [path for kind in ours for path in kind.rglob("*") if path.is_file()]
    stash = shared / "refs" / "stash"
    return _contents(folder / "HEAD", shared / "packed-refs", stash, *sorted(named))


def _settings(folder: Path) -> tuple[tuple[str, bytes], ...]:
    shared = _shared(folder)
    hooks = sorted(path for path in (shared / "hooks").glob("*") if path.is_file())
    return _contents(shared / "config", folder / "config.worktree", *hooks)


def _shared(folder: Path) -> Path:
    pointer = _bytes(folder / "commondir")
    return folder if pointer is None else folder / os.fsdecode(pointer.strip())


def _contents(*paths: Path) -> tuple[tuple[str, bytes], ...]:
    return tuple((str(path), content) for path in paths if (content := _bytes(path)) is not None)


def _bytes(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes()
    return None
