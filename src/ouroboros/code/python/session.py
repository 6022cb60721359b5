"""A worker for Python as its owner sees it: blocks to run, and what came of each."""

import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Literal

import anyio
import msgspec
from msgspec import Struct

from ouroboros.code import wire
from ouroboros.code.errors import IsolateFailed
from ouroboros.code.python.artifacts import Artifact, Shelf
from ouroboros.safety.companion import Companion, CompanionGone, companion
from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox import Confined, Sandbox, refused_since

START_SECONDS = 20.0
"""How long a worker may take to start."""

SETTLE_SECONDS = 2.0
"""How long a block that was interrupted may take to end before its process is ended."""

FRAME_BYTES = 8 * 1_048_576
"""Largest frame that a worker may send."""

_STREAM_BYTES = 2 * 1_048_576
_IMAGES = 8
_WORKER = Path(__file__).with_name("worker.py")

type Stopped = Literal["", "time", "cancel", "crash"]


class Said(Struct, frozen=True, kw_only=True):
    """Output as it came; ``stream`` is ``stdout`` or ``stderr``."""

    text: str
    stream: str


class Outcome(Struct, frozen=True, kw_only=True):
    """What a block came to.

    Attributes:
        ok: It ran to its end without an exception.
        value: The last expression as text, empty for none; ``shape`` says what kind of thing it is.
        error: The traceback.
        images: Media type and bytes of each, in the order in which they were shown.
        artifacts: Files that are new or changed in the folder for them.
        names: The variables there are now.
        dropped: Bytes of output beyond what is kept.
        stopped: What ended it before its time.
        lost: Variables that went with the process that held them.
        refused: What its sandbox refused to it.
    """

    ok: bool = False
    value: str = ""
    shape: str = ""
    error: str = ""
    stdout: str = ""
    stderr: str = ""
    images: tuple[tuple[str, bytes], ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    names: tuple[str, ...] = ()
    dropped: int = 0
    stopped: Stopped = ""
    lost: tuple[str, ...] = ()
    refused: str = ""


class _Hello(Struct):
    pid: int


class _Done(Struct):
    n: int
    ok: bool
    value: str = ""
    shape: str = ""
    error: str = ""
    names: tuple[str, ...] = ()
    dropped: int = 0


class _Block:
    """What has been heard of the block that runs."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.said: list[Said] = []
        self.streams = {"o": bytearray(), "e": bytearray()}
        self.images: list[tuple[str, bytes]] = []
        self.done: _Done | None = None

    def take(self, kind: str, payload: bytes) -> None:
        if kind in self.streams:
            kept = self.streams[kind]
            kept += payload[: max(0, _STREAM_BYTES - len(kept))]
            stream = "stdout" if kind == "o" else "stderr"
            self.said.append(Said(text=payload.decode("utf-8", "replace"), stream=stream))
        elif kind == "m" and len(self.images) < _IMAGES:
            mime, _, data = payload.partition(b"\n")
            self.images.append((mime.decode("ascii", "replace"), data))
        elif kind == "d":
            done = msgspec.json.decode(payload, type=_Done)
            self.done = done if done.n == self.number else self.done

    def text(self, kind: str) -> str:
        return self.streams[kind].decode("utf-8", "replace")


class PythonSession:
    """One worker at a time, started by the first block; ``close`` ends it."""

    def __init__(
        self,
        *,
        interpreter: Sequence[str],
        environment: Mapping[str, str],
        artifacts: Path,
        workshop: Path | None = None,
        guard: Guard | None = None,
    ) -> None:
        """Starts nothing yet.

        Args:
            interpreter: The program and options that run a script.
            environment: What the worker may see.
            artifacts: A folder for the files that blocks hand over, made when there is one.
            workshop: Where blocks put them, made in it; the folder for temporary files by default.
            guard: Ends the worker when we are killed.
        """
        self._interpreter, self._guard = tuple(interpreter), guard
        self._environment = dict(environment) | {
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._shelf = Shelf(artifacts, workshop)
        self._turn = anyio.Lock()
        self._stack = AsyncExitStack()
        self._child: Companion | None = None
        self._frames = wire.Unpacker("hoemd", FRAME_BYTES)
        self._cage: object = None
        self._confined: Confined | None = None
        self._worker: int | None = None
        """Its process, where a signal of ours reaches it."""
        self._number = 0
        self._names: tuple[str, ...] = ()

    @property
    def pid(self) -> int:
        """Of the worker; 0 when none runs."""
        return self._child.pid if self._child is not None else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The variables there were after the last block."""
        return self._names

    async def run(
        self, code: str, *, cwd: Path, sandbox: Sandbox, seconds: float
    ) -> AsyncGenerator[Said | Outcome]:
        """Runs one block to its end, or for ``seconds``: what it says, then what it came to.

        Leaving it early, also by a cancel, stops the block and keeps the variables.

        Raises:
            IsolateFailed: No worker could be started.
        """
        await self._turn.acquire()
        try:
            lost = await self._present(cwd, sandbox)
            self._number += 1
            block = _Block(self._number)
            until = anyio.current_time() + seconds
            is_heard = False
            try:
                with anyio.CancelScope(deadline=until):
                    is_heard = await self._told(block, code)
                while is_heard and block.done is None:
                    is_heard = False
                    with anyio.CancelScope(deadline=until):
                        is_heard = await self._heard(block)
                    while block.said:
                        yield block.said.pop(0)
            finally:
                is_late = block.done is None and anyio.current_time() >= until
                if block.done is None:
                    with anyio.CancelScope(shield=True):
                        await self._interrupt(block)
            lost += await self._settled(block)
            stopped: Stopped = "time" if is_late else ("crash" if block.done is None else "")
            yield await self._outcome(block, stopped, lost)
        finally:
            self._turn.release()

    async def end(self) -> None:
        """Ends the worker."""
        with anyio.CancelScope(shield=True):
            child, self._child = self._child, None
            if child is not None:
                await child.kill()
            await self._stack.aclose()

    async def close(self) -> None:
        """Ends the worker, and takes away what it had for the session only."""
        await self.end()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._shelf.remove)

    async def _outcome(self, block: _Block, stopped: Stopped, lost: tuple[str, ...]) -> Outcome:
        done = block.done or _Done(n=block.number, ok=False)
        self._names = done.names
        return Outcome(
            ok=done.ok and not stopped,
            value=done.value,
            shape=done.shape,
            error=done.error,
            stdout=block.text("o"),
            stderr=block.text("e"),
            images=tuple(block.images),
            artifacts=await anyio.to_thread.run_sync(self._shelf.fresh),
            names=done.names,
            dropped=done.dropped,
            stopped=stopped,
            lost=lost,
            refused="" if self._confined is None else refused_since(self._confined, done.error),
        )

    # The process.

    async def _present(self, cwd: Path, sandbox: Sandbox) -> tuple[str, ...]:
        """Starts a worker where there is none in this cage; the names that went with another one."""
        cage = _cage_of(sandbox)
        if self._child is not None and self._cage is cage and not await self._has_ended():
            return ()
        lost, self._names = self._names, ()
        await self.end()
        self._frames = wire.Unpacker("hoemd", FRAME_BYTES)
        await anyio.to_thread.run_sync(self._shelf.make)
        options = {"artifacts": str(self._shelf.workshop)}
        command = (*self._interpreter, str(_WORKER), msgspec.json.encode(options).decode())
        confined = sandbox.confine(command, cwd=cwd)
        try:
            self._child = await self._stack.enter_async_context(
                companion(
                    command,
                    cwd=cwd,
                    environment=self._environment,
                    guard=self._guard,
                    confined=confined,
                )
            )
            with anyio.fail_after(START_SECONDS):
                await self._greeted(self._child)
        except (
            OSError,
            CompanionGone,
            wire.BadFrame,
            msgspec.MsgspecError,
            TimeoutError,
        ) as problem:
            said = self._child.complaints.strip()[-500:] if self._child is not None else ""
            await self.end()
            why = said or str(problem) or "it said nothing"
            raise IsolateFailed(f"the worker for Python did not start: {why}") from problem
        except BaseException:
            await self.end()
            raise
        self._cage, self._confined = cage, confined
        return lost

    async def _greeted(self, child: Companion) -> None:
        while data := await child.receive():
            for kind, payload in self._frames.feed(data):
                if kind == "h":
                    hello = msgspec.json.decode(payload, type=_Hello)
                    self._worker = hello.pid if _is_of(hello.pid, child.pid) else None
                    return
        with anyio.move_on_after(1.0):
            await child.watch()
        raise CompanionGone

    async def _has_ended(self) -> bool:
        assert self._child is not None
        with anyio.move_on_after(0):
            await self._child.watch()
        return self._child.exit_code is not None

    async def _told(self, block: _Block, code: str) -> bool:
        """Hands the block over; false when nobody is there any more."""
        assert self._child is not None
        order = f"{block.number}\n".encode() + code.encode("utf-8", "replace")
        try:
            await self._child.send(wire.packed("R", order))
        except (CompanionGone, wire.BadFrame):
            return False
        return True

    async def _heard(self, block: _Block) -> bool:
        """Takes what the worker says next; false when it has said its last, or spoke nonsense."""
        child = self._child
        data = await child.receive() if child is not None else b""
        if child is None or not data:
            return False
        try:
            for kind, payload in self._frames.feed(data):
                block.take(kind, payload)
        except (wire.BadFrame, msgspec.MsgspecError):
            await child.kill()
            return False
        return True

    async def _listen(self, block: _Block) -> None:
        while block.done is None and await self._heard(block):
            pass

    async def _interrupt(self, block: _Block) -> None:
        """Ctrl-C for the block; it keeps its variables if it lets go."""
        child, worker = self._child, self._worker
        if child is None or block.done is not None:
            return
        for number in (b"1", b"2"):
            with (
                contextlib.suppress(CompanionGone, ProcessLookupError),
                anyio.move_on_after(SETTLE_SECONDS / 2),
            ):
                # Looked at again: where it has ended, somebody else may have its number.
                if number == b"1" and worker is not None and _is_of(worker, child.pid):
                    # Code that holds the interpreter's lock keeps the worker from hearing a frame.
                    os.kill(worker, signal.SIGINT)
                else:
                    await child.send(wire.packed("C", number))
                await self._listen(block)
                return
        await self.end()

    async def _settled(self, block: _Block) -> tuple[str, ...]:
        """The names that are lost, when the worker did not outlive the block."""
        if block.done is not None:
            return ()
        lost, self._names = self._names, ()
        await self.end()
        return lost


def _cage_of(sandbox: Sandbox) -> object:
    """What tells one cage from another: by its name alone one that lets more through looks the same.

    Each call may have a way of its own out of one and the same cage.
    """
    return "none" if sandbox.name == "none" else getattr(sandbox, "cage", sandbox)


def _is_of(pid: int, session: int) -> bool:
    """Whether a process is in this session; one in a namespace of its own says a number that is not ours."""
    try:
        return os.getsid(pid) == session
    except (ProcessLookupError, PermissionError):
        return False
