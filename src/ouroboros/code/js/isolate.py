"""One isolate as its owner sees it: blocks to run, variables to give and take, a way to stop it."""

import functools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
from anyio.abc import TaskGroup
from msgspec import Raw, Struct

from ouroboros.code import wire
from ouroboros.code.errors import IsolateFailed
from ouroboros.code.js.limits import CALLS, CHECKPOINT_BYTES, options_for
from ouroboros.code.js.outcomes import outcome_of
from ouroboros.code.js.seat import Seat
from ouroboros.code.js.values import Answer, Host, Outcome
from ouroboros.core.limits import BLOCK_SECONDS

ANSWER_SECONDS = 60.0
"""How long a question between blocks may take."""

SLACK_SECONDS = 15.0
"""The worker ends a block in time by itself; this much later we end the worker."""

CANCEL_SECONDS = 5.0
"""How long a block that was told to stop may take to do so."""

type Seats = Callable[[], Awaitable[Seat]]


class _Call(Struct, frozen=True):
    id: int
    name: str
    arguments: Raw


class _Reply(Struct, frozen=True):
    id: int
    value: Raw = Raw(b"null")
    error: str = ""


class _Saved(Struct, frozen=True):
    values: dict[str, Raw] = {}
    functions: list[tuple[str, str]] = []
    lost: list[str] = []
    seeds: list[str] = []


_calls = msgspec.json.Decoder(_Call)
_replies = msgspec.json.Decoder(_Reply)
_names = msgspec.json.Decoder(list[str])


class _Block:
    """What is known of the block that runs now."""

    tasks: TaskGroup

    def __init__(self, number: int) -> None:
        self.number = number
        self.done = anyio.Event()
        self.outcome: Outcome | None = None
        self.calls = 0
        self.changed = anyio.current_time()


class Isolate:
    """Made by ``Isolates.isolate`` only; a block or a question at a time, others wait."""

    def __init__(
        self, seats: Seats, host: Host, *, globals: tuple[str, ...], functions: tuple[str, ...]
    ) -> None:
        """Starts nothing yet."""
        self._seats, self._host = seats, host
        self._options = options_for(globals, functions)
        self._functions = frozenset(functions)
        self._seat: Seat | None = None
        self._turn = anyio.Lock()
        self._furnished = False
        self._number = 0
        self._block: _Block | None = None
        self._asked = 0
        self._answers: dict[int, tuple[anyio.Event, list[_Reply]]] = {}
        self._getters: dict[str, bytes] = {}
        self._seeds: dict[str, bytes] = {}
        self._checkpoint: bytes | None = None
        self._known: tuple[str, ...] = ()

    @property
    def cage(self) -> tuple[str, ...]:
        """Which parts of the worker's cage hold; empty before the first use."""
        return self._seat.hello.cage if self._seat is not None else ()

    @property
    def pid(self) -> int:
        """Of the worker; 0 before the first use."""
        return self._seat.pid if self._seat is not None else 0

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The worker, where there is one."""
        return (self._seat,) if self._seat is not None else ()

    async def run(self, code: str, *, seconds: float = BLOCK_SECONDS) -> Outcome:
        """Runs one block to its end, or ``seconds`` of running time.

        Raises:
            IsolateFailed: No worker could be started.
        """
        async with self._turn:
            seat = await self._present()
            self._number += 1
            order = json.dumps({"n": self._number, "seconds": seconds}).encode()
            outcome: Outcome | None = None
            block = _Block(self._number)
            async with anyio.create_task_group() as block.tasks:
                self._block = block
                try:
                    await seat.send("R", order + b"\n" + code.encode("utf-8", "replace"))
                    outcome = await self._awaited(block, seat, seconds + SLACK_SECONDS)
                except IsolateFailed:
                    await seat.fall()
                finally:
                    block.tasks.cancel_scope.cancel()
                    if outcome is None and not seat.ended.is_set():
                        await self._halt(block, seat)
                    self._block = None
            if outcome is None:
                outcome = block.outcome or await self._revived(seat)
            self._known = tuple(variable.name for variable in outcome.variables)
            return outcome

    async def cancel(self) -> None:
        """Stops the block that runs now; returns when it has ended. What it did so far stays.

        First V8 is told to stop and all variables stay; a worker that does not hear is ended, and
        the next one gets what the last checkpoint holds.
        """
        block, seat = self._block, self._seat
        if block is not None and seat is not None:
            await self._halt(block, seat)

    async def put(self, name: str, json: bytes) -> None:
        """What the getter ``name`` reads from now on."""
        self._getters[name] = json
        if self._seat is not None and not self._seat.ended.is_set():
            await self._seat.send("P", name.encode() + b"\n" + json)

    async def define(self, name: str, json: bytes) -> None:
        """Gives code a variable; a text may be 64 MB and more.

        Raises:
            IsolateFailed: It is no JSON, or does not fit.
        """
        async with self._turn:
            await self._present()
            await self._give(name, json)
            self._seeds[name] = json

    async def value(self, name: str) -> bytes:
        """The JSON of a variable, ``env.name`` included.

        Raises:
            IsolateFailed: There is none, or it has no JSON.
        """
        if self._block is not None:
            return bytes(await self._ask("value", name.encode()))
        async with self._turn:
            await self._present()
            return bytes(await self._ask("value", name.encode()))

    async def checkpoint(self) -> bytes:
        """All variables as text, as far as they are data or functions that stand alone."""
        async with self._turn:
            await self._present()
            self._checkpoint = bytes(await self._ask("checkpoint", str(CHECKPOINT_BYTES).encode()))
            return self._checkpoint

    async def restore(self, data: bytes) -> tuple[str, ...]:
        """Brings back a checkpoint; the names that could not be."""
        async with self._turn:
            await self._present()
            lost = await self._restored(data)
            self._checkpoint = data
            return lost

    async def close(self) -> None:
        """Lets the worker go."""
        if self._seat is not None:
            self._seat.leave()
            self._seat = None

    # The worker.

    async def _present(self) -> Seat:
        """The worker, a new one where there is none any more."""
        if self._seat is None or self._seat.ended.is_set() or not self._furnished:
            await self._take_seat()
        assert self._seat is not None
        return self._seat

    async def _take_seat(self) -> None:
        had = self._seat is not None
        if self._seat is not None:
            self._seat.leave()
        self._furnished = False
        self._seat = seat = await self._seats()
        seat.listen(functools.partial(self._heard, seat))
        await seat.send("I", await anyio.to_thread.run_sync(self._installation))
        for name, value in self._getters.items():
            await seat.send("P", name.encode() + b"\n" + value)
        if had:
            for name, value in self._seeds.items():
                await self._give(name, value)
            if self._checkpoint is not None:
                await self._restored(self._checkpoint)
        self._furnished = True

    def _installation(self) -> bytes:
        return json.dumps(self._options | {"sources": sources()}).encode()

    async def _revived(self, seat: Seat) -> Outcome:
        """After the worker's end: another with what the checkpoint holds, and what is lost."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(ANSWER_SECONDS):
            await seat.ended.wait()
        present: set[str] = set()
        try:
            await self._take_seat()
            present = set(_names.decode(await self._ask("names", b"")))
        except IsolateFailed:
            pass
        lost = tuple(name for name in self._known if name not in present)
        return outcome_of(stopped=seat.why or "crash", lost=lost)

    async def _awaited(self, block: _Block, seat: Seat, patience: float) -> Outcome | None:
        """The outcome; None when the worker ended or had to be given up."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_either, seat.ended, block.done)
            while not block.done.is_set() and not seat.ended.is_set():
                with anyio.move_on_after(patience):
                    await block.done.wait()
                quiet = anyio.current_time() - block.changed
                if not block.done.is_set() and not block.calls and quiet >= patience:
                    await seat.kill("time")
            tasks.cancel_scope.cancel()
        return block.outcome

    async def _halt(self, block: _Block, seat: Seat) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await seat.send("C", b"")
                with anyio.move_on_after(CANCEL_SECONDS):
                    await block.done.wait()
            except IsolateFailed:
                pass
            if not block.done.is_set() and not seat.ended.is_set():
                await seat.kill("cancel")

    # What it says.

    def _heard(self, seat: Seat, kind: str, payload: bytes) -> None:
        if seat is not self._seat:
            return
        if kind == "c":
            self._called(_calls.decode(payload))
        elif kind == "d":
            block = self._block
            if block is not None:
                block.outcome = outcome_of(payload, block.number)
                block.done.set()
        elif kind == "r":
            reply = _replies.decode(payload)
            waiting = self._answers.pop(reply.id, None)
            if waiting is not None:
                waiting[1].append(reply)
                waiting[0].set()

    def _called(self, call: _Call) -> None:
        block = self._block
        if block is None or block.done.is_set():
            return
        if block.calls >= CALLS or call.name not in self._functions:
            raise wire.BadFrame(f"a call of {call.name[:50]} that the prelude does not make")
        block.calls += 1
        block.tasks.start_soon(self._answer, block, call)

    async def _answer(self, block: _Block, call: _Call) -> None:
        seat = self._seat
        answer = await self._host.answer(call.name, call.arguments)
        block.calls -= 1
        block.changed = anyio.current_time()
        if seat is None or block.done.is_set():
            return
        try:
            for name, value in answer.globals.items():
                await self.put(name, value)
            await seat.send("A", _answered(call.id, answer))
        except IsolateFailed:
            await self._too_long(seat, call.id)

    async def _too_long(self, seat: Seat, number: int) -> None:
        words = Answer(error="the answer does not fit into one frame; ask for less")
        if not seat.ended.is_set():
            await seat.send("A", _answered(number, words))

    # Questions.

    async def _ask(self, operation: str, body: bytes) -> Raw:
        assert self._seat is not None
        seat = self._seat
        self._asked += 1
        number, event, slot = self._asked, anyio.Event(), list[_Reply]()
        self._answers[number] = (event, slot)
        try:
            await seat.send("Q", f"{number} {operation}\n".encode() + body)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_either, seat.ended, event)
                with anyio.move_on_after(ANSWER_SECONDS):
                    await event.wait()
                tasks.cancel_scope.cancel()
        finally:
            self._answers.pop(number, None)
        if not slot:
            await seat.kill("time")
            raise IsolateFailed(f"the worker did not answer ({operation})")
        if slot[0].error:
            raise IsolateFailed(slot[0].error)
        return slot[0].value

    async def _give(self, name: str, value: bytes) -> None:
        operation, data = "json", value
        if value.lstrip()[:1] == b'"':
            # A text needs no second copy as JSON inside the isolate's small heap.
            operation, data = "text", msgspec.json.decode(value, type=str).encode()
        await self._say(operation, name.encode() + b"\n" + data)

    async def _restored(self, data: bytes) -> tuple[str, ...]:
        try:
            msgspec.json.decode(data, type=_Saved)
        except (msgspec.MsgspecError, RecursionError) as problem:
            raise IsolateFailed(f"this is no checkpoint: {problem}") from problem
        return tuple(_names.decode(await self._say("restore", data)))

    async def _say(self, operation: str, data: bytes) -> Raw:
        """A question however long, in pieces."""
        assert self._seat is not None
        pieces = range(0, max(len(data), 1), wire.CHUNK_BYTES)
        for start in pieces[:-1]:
            piece = data[start : start + wire.CHUNK_BYTES]
            await self._seat.send("Q", b"0 more\n" + piece)
        return await self._ask(operation, data[pieces[-1] :])


@functools.cache
def sources() -> dict[str, str]:
    """The scripts that surround model-written code."""
    here = Path(__file__).parent
    return {name: (here / f"{name}.js").read_text("utf-8") for name in _SCRIPTS}


_SCRIPTS = ("prelude", "calls", "names", "shapes", "memory", "web")


def _answered(number: int, answer: Answer) -> bytes:
    if answer.error:
        return b"-%d\n" % number + answer.error.encode("utf-8", "replace")
    return b"+%d\n" % number + answer.value


async def _either(ended: anyio.Event, done: anyio.Event) -> None:
    """The end of the worker is the end of waiting."""
    await ended.wait()
    done.set()
