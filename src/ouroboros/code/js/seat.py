"""A worker process and the wire to it, kept by a task until nobody needs it any more."""

import json
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import anyio
import msgspec
from anyio.abc import TaskStatus
from msgspec import Struct

from ouroboros.code import wire
from ouroboros.code.errors import IsolateFailed
from ouroboros.safety.companion import Companion, CompanionGone, companion
from ouroboros.safety.guard import Guard

START_SECONDS = 30.0
"""How long a worker may take to start; it takes 0.2 s on an idle machine."""

LISTENING_SECONDS = 30.0
"""How long a worker may take to hear one frame."""

FALL_SECONDS = 5.0
"""How long a worker that hears no more may take to be gone."""

_HERE = Path(__file__).parent

type Why = Literal["", "time", "memory", "cancel", "crash"]

type Hears = Callable[[str, bytes], None]


class Hello(Struct, frozen=True, kw_only=True):
    """What a worker says first: which parts of its cage hold."""

    cage: tuple[str, ...] = ()


class _Last(Struct, frozen=True):
    """What a worker says before it ends by itself."""

    why: Why


def _deaf(kind: str, payload: bytes) -> None:
    del kind, payload


class Seat:
    """One worker; ``keep`` is its life, everything else is for while it lasts."""

    def __init__(
        self,
        environment: Mapping[str, str],
        guard: Guard | None,
        *,
        listening_seconds: float = LISTENING_SECONDS,
    ) -> None:
        """Starts nothing yet."""
        self._environment, self._guard = environment, guard
        self._listening_seconds = listening_seconds
        self._child: Companion | None = None
        self._leaving = anyio.Event()
        self._ready = anyio.Event()
        self._hears: Hears = _deaf
        self._unpacker = wire.Unpacker("hcdrx")
        self.ended = anyio.Event()
        self.hello = Hello()
        self.why: Why = ""
        self.problem = ""
        self._at_once = False

    @property
    def pid(self) -> int:
        """Of the worker, and of its process group."""
        return self._child.pid if self._child is not None else 0

    def listen(self, hears: Hears) -> None:
        """Every frame from now on goes to ``hears``, which raises ``BadFrame`` for nonsense."""
        self._hears = hears

    async def keep(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Runs the worker until it ends, or ``leave`` or ``kill`` was called."""
        task_status.started()
        try:
            async with companion(
                _command(), cwd=Path("/"), environment=self._environment, guard=self._guard
            ) as child:
                self._child = child
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._watch, child)
                    tasks.start_soon(self._read, child)
                    await self._leaving.wait()
                    tasks.cancel_scope.cancel()
                if self._at_once:
                    await child.kill()
        except (OSError, IsolateFailed) as problem:
            self.problem = str(problem)
        finally:
            self.ended.set()
            self._ready.set()

    async def ready(self) -> None:
        """Returns once the worker has locked itself up.

        Raises:
            IsolateFailed: It did not start.
        """
        with anyio.move_on_after(START_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set() or self.ended.is_set():
            raise IsolateFailed(f"the worker for JavaScript did not start: {self.words()}")

    async def send(self, kind: str, payload: bytes) -> None:
        """Says one frame.

        Raises:
            IsolateFailed: The worker is gone or hears nothing, or the frame is too long.
        """
        try:
            message = wire.packed(kind, payload)
        except wire.BadFrame as problem:
            raise IsolateFailed(str(problem)) from problem
        if self._child is None or self.ended.is_set():
            raise IsolateFailed("the worker is gone")
        try:
            with anyio.fail_after(self._listening_seconds):
                await self._child.send(message)
        except CompanionGone as gone:
            raise IsolateFailed("the worker is gone") from gone
        except TimeoutError as deaf:
            self._doom("time")
            raise IsolateFailed("the worker does not listen") from deaf

    def leave(self) -> None:
        """Lets it end by itself; it has a moment for that."""
        self._leaving.set()

    async def kill(self, why: Why) -> None:
        """Ends it at once."""
        self._doom(why)
        await self.ended.wait()

    async def fall(self) -> None:
        """After ``send`` failed: waits until it is known why it ended; ends one that lives on deaf."""
        with anyio.move_on_after(FALL_SECONDS):
            await self.ended.wait()
        if not self.ended.is_set():
            await self.kill("crash")

    def _doom(self, why: Why) -> None:
        self.why = self.why or why
        self._at_once = True
        self._leaving.set()

    def words(self) -> str:
        """Why it ended, as far as is known."""
        said = self._child.complaints.strip() if self._child is not None else ""
        return said.rpartition("\n")[2] or self.problem or self.why or "it said nothing"

    async def _watch(self, child: Companion) -> None:
        await child.watch()
        self.why = self.why or self._reason(child)
        self._leaving.set()

    def _reason(self, child: Companion) -> Why:
        said = child.complaints.lower()
        return "memory" if "out of memory" in said or "oom" in said else "crash"

    async def _read(self, child: Companion) -> None:
        while data := await child.receive():
            self.swallow(data)

    def swallow(self, data: bytes) -> None:
        """Takes bytes that the worker said; one that speaks nonsense is ended."""
        try:
            for kind, payload in self._unpacker.feed(data):
                self._take(kind, payload)
        except (wire.BadFrame, msgspec.MsgspecError, ValueError, RecursionError):
            self._doom("crash")

    def _take(self, kind: str, payload: bytes) -> None:
        if kind == "h":
            self.hello = msgspec.json.decode(payload, type=Hello)
            self._ready.set()
        elif kind == "x":
            self.why = self.why or msgspec.json.decode(payload, type=_Last).why
        else:
            self._hears(kind, payload)


def _command() -> list[str]:
    found = find_spec("py_mini_racer")
    parser = find_spec("tree_sitter")
    if found is None or found.origin is None or parser is None or parser.origin is None:
        raise IsolateFailed("mini-racer and tree-sitter are not installed")
    paths = [str(_HERE.parents[2]), str(Path(parser.origin).parents[1])]
    options = {"paths": paths, "engine": str(Path(found.origin).parent)}
    return [sys.executable, "-I", "-S", str(_HERE / "worker.py"), json.dumps(options)]
