"""The process that holds one isolate: reads frames, hands them to V8, says what V8 says.

Started as a script with an empty environment; knows the folders of what it imports from its
arguments. Standard library only beyond them: it is to start fast and to hold little.
"""

import heapq
import json
import os
import queue
import select
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ouroboros.code.js.block_clock import Block
    from ouroboros.code.js.engine import Handle, Result

PIECE_BYTES = 65_536
"""As much as a pipe holds; a larger buffer would be asked of the system for each read."""

GRACE_SECONDS = 3.0
"""How long V8 may take to stop once told to; then the process ends."""

SUMMARY_SECONDS = 2.0
"""How long looking at what a block left may take."""

_LOCAL = "{0} belongs to this REPL: your own {0} lasts for this block only"
_COMPILES = '(async()=>{}).constructor("",%s)'
"""Reads a text as the body of a function and runs nothing of it: V8 takes no text that ends the function."""

_NEVER = "\n)"
"""Behind a text that is no body, so that V8 says what is wrong with it and cannot run what follows."""

_UNKEPT = "what this block declares could not be kept; put values on env"


class Worker:
    """One isolate, one block at a time; ``serve`` runs until nobody speaks to it any more.

    V8 runs on a thread of its own and does one thing at a time. Every thing it is asked is followed
    by a look (``idle``) that brings out what code said meanwhile: code has no way to call us.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        """Starts V8; what is not imported by now never will be."""
        from ouroboros.code import wire
        from ouroboros.code.js import block_clock, engine, rewrite

        self._wire, self._rewrite, self._clock = wire, rewrite, block_clock
        rewrite.rewritten("1")
        self._results: queue.SimpleQueue[tuple[int, Result]] = queue.SimpleQueue()
        self._bell, self._ring = os.pipe()
        os.set_blocking(self._bell, False)
        self._engine = engine.Engine(Path(options["engine"]), ended=self._ended)
        self._unpacker = wire.Unpacker("IRAPQC")
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._timers: list[tuple[float, int]] = []
        self._pieces: list[bytes] = []
        self._heap = 0
        self._task = 0
        self._entry: Handle
        self._arguments: Handle
        self._looking: Handle
        self._reserved: frozenset[str] = frozenset()
        self._block: Block | None = None
        self._is_called_off = False

    # What V8 is asked.

    def _ended(self, task: int, result: "Result") -> None:
        self._results.put((task, result))
        os.write(self._ring, b"!")

    def _outcome(self, task: int, seconds: float) -> "Result | None":
        """The result of a task; None when it was not there in time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            heard = select.select([self._bell], [], [], left)[0]
            if heard:
                os.read(self._bell, 4096)
            while not self._results.empty():
                number, result = self._results.get()
                if number == task:
                    return result
        return None

    def _evaluated(self, code: str) -> "Result | None":
        self._task += 1
        self._engine.evaluate(self._task, code.encode("utf-8", "replace"))
        return self._outcome(self._task, GRACE_SECONDS)

    def _begin(self, operation: str, text: bytes, *more: "Handle") -> None:
        """Starts an operation of the prelude and the look that follows it."""
        block = self._block
        if block is not None:
            block.resume()
        self._call(operation, text, *more)
        # Nothing may be written into an array of V8's now: that waits for V8, which may be in a loop.
        self._task += 1
        self._engine.call(self._task, self._entry, self._looking)

    def _call(self, operation: str, text: bytes, *more: "Handle") -> None:
        self._task += 1
        values = (operation.encode(), text, *more)
        self._engine.call(self._task, self._entry, self._arguments, *values)

    # What the parent says.

    def serve(self, hello: bytes) -> None:
        """Says ``hello``, then reads until the other end is closed."""
        self._say("h", hello)
        while True:
            timeout = self._timeout()
            heard = select.select([0, self._bell], [], [], timeout)[0]
            if self._bell in heard:
                os.read(self._bell, 4096)
            if 0 in heard and not self._read():
                return
            self._look()

    def _timeout(self) -> float | None:
        moments = [self._timers[0][0]] if self._timers and self._is_idle else []
        if self._block is not None:
            moments.append(self._block.deadline)
        nearest = min(moments, default=float("inf"))
        return None if nearest == float("inf") else max(0.0, nearest - time.monotonic())

    @property
    def _is_idle(self) -> bool:
        return self._block is None or self._block.is_idle

    def _read(self) -> bool:
        data = os.read(0, PIECE_BYTES)
        for kind, payload in self._unpacker.feed(data):
            if kind == "C":
                if self._block is not None:
                    self._stop("cancel")
                else:  # it may have overtaken the block that it is meant for
                    self._is_called_off = any(waits == "R" for waits, _ in self._waiting)
            else:
                self._waiting.append((kind, payload))
        return bool(data)

    def _look(self) -> None:
        """Takes what V8 ended, then what it may be asked next."""
        while not self._results.empty():
            task, result = self._results.get()
            self._take(task, result)
        block = self._block
        now = time.monotonic()
        if block is not None and now >= block.deadline:
            self._stop("time")
        while self._is_idle and self._timers and self._timers[0][0] <= now:
            self._begin("timer", str(heapq.heappop(self._timers)[1]).encode())
        while self._is_idle and self._waiting:
            self._serve(*self._waiting.popleft())

    def _serve(self, kind: str, payload: bytes) -> None:
        match kind:
            case "I":
                self._install(payload)
            case "R":
                called_off, self._is_called_off = self._is_called_off, False
                self._start(payload.partition(b"\n")[0] if called_off else payload)
                if called_off and self._block is not None:
                    self._block.stopping = "cancel"
            case "A" if self._block is not None:
                self._begin("answer", payload)
            case "P":
                self._ask("put", payload)
            case "Q":
                self._question(payload)
            case _:
                pass

    def _say(self, kind: str, payload: bytes) -> None:
        rest = memoryview(self._wire.packed(kind, payload))
        while rest:
            rest = rest[os.write(1, rest) :]

    # The isolate.

    def _install(self, payload: bytes) -> None:
        """Runs the prelude; the first thing that happens in the isolate."""
        options = json.loads(payload)
        self._heap = int(options["heap"])
        sources = options.pop("sources")
        limits = json.dumps(options["limits"])
        program = (
            f"({sources['prelude']})((shapes => ({{...{json.dumps(options)}, shapes, "
            f"web: ({sources['web']}), calls: ({sources['calls']}), names: ({sources['names']}), "
            f"memory: ({sources['memory']})(shapes)}}))(({sources['shapes']})({limits})))"
        )
        result = self._evaluated(program)
        if result is None or result.kind != "value":
            raise RuntimeError(f"the prelude does not run: {result}")
        self._entry = self._engine.handle(self._task)
        self._evaluated("[]")
        self._arguments = self._engine.handle(self._task)
        self._evaluated("['idle', '']")
        self._looking = self._engine.handle(self._task)
        self._reserved = frozenset(options["reserved"])
        self._engine.limit(self._heap)

    def _ask(self, operation: str, text: bytes) -> str:
        """An operation outside of a block, waited for; what it said is passed on."""
        if self._block is not None:
            self._begin(operation, text)
            return ""
        self._call(operation, text)
        result = self._outcome(self._task, 60.0)
        if result is None or result.kind != "value":
            self._recover()
            return "memory" if result is not None else "time"
        self._pass_on(result.text)
        return ""

    def _question(self, payload: bytes) -> None:
        """``id operation`` and a line end, then what it is about; ``more`` is kept for later."""
        head, _, rest = payload.partition(b"\n")
        number, operation = head.decode("ascii").split(" ")
        if operation == "more":
            self._pieces.append(rest)
            return
        if operation in {"text", "json", "restore"}:
            rest = b"".join((*self._pieces, rest))
            self._pieces.clear()
        if operation in {"text", "json"}:
            self._heap = min(self._heap + 2 * len(rest), 314_572_800)
            self._engine.limit(self._heap)
        failed = self._ask(operation, number.encode() + b"\n" + rest)
        if failed:
            answer = {"id": int(number), "error": f"it did not fit: {failed}"}
            self._say("r", json.dumps(answer).encode())

    def _start(self, payload: bytes) -> None:
        head, _, code = payload.partition(b"\n")
        order = json.loads(head)
        text = code.decode("utf-8", "replace")
        block = self._clock.Block(order["n"], order["seconds"])
        found = self._rewrite.rewritten(text, self._reserved)
        if isinstance(found, self._rewrite.SyntaxFault):
            self._refuse(block, found.message, found.line)
            return
        name = f"\n//# sourceURL=block{order['n']}.js"
        kept = not found.doubtful
        result = self._evaluated(found.code + name) if kept else None
        if result is None or result.kind == "syntax":
            # The parser stumbled, or we did: V8 has the last word on the block as it was written.
            kept = False
            result = self._evaluated(found.plain + ("" if self._is_body(text) else _NEVER) + name)
        if result is None or result.kind != "value":
            self._refuse(block, *_syntax(result, text, self._rewrite.hint))
            return
        function = self._engine.handle(self._task)
        header = {
            "n": block.number,
            "names": found.names if kept else (),
            "portable": found.portable if kept else (),
            "notes": [_LOCAL.format(word) for word in found.shadowed] if kept else [_UNKEPT],
        }
        self._block = block
        self._begin("start", json.dumps(header).encode(), function)
        self._engine.release(function)

    def _is_body(self, text: str) -> bool:
        """Whether a text is the body of a function by itself, and does not close the one around it."""
        result = self._evaluated(_COMPILES % json.dumps(text))
        if result is None or result.kind != "value":
            return False
        self._engine.release(self._engine.handle(self._task))
        return True

    def _refuse(self, block: "Block", message: str, line: int | None) -> None:
        """A block that cannot run: nothing of it ran."""
        thrown: dict[str, Any] = {"name": "SyntaxError", "message": message}
        if line is not None:
            thrown["line"] = line
        self._block = block
        self._begin("refuse", f"{block.number}\n{json.dumps(thrown)}".encode())

    def _take(self, task: int, result: "Result") -> None:
        """The end of a task: what it said goes on, unless V8 had to stop."""
        block = self._block
        if result.kind == "value":
            self._pass_on(result.text)
        elif block is not None and (result.kind == "memory" or self._engine.was_full):
            block.stopping = block.stopping or "memory"
        if task != self._task or self._block is None:
            return
        block = self._block
        block.rest()
        if self._engine.was_full and not block.stopping:
            block.stopping = "memory"
        if block.stopping or block.closing or block.verdict is not None:
            self._close(block)

    def _pass_on(self, text: bytes) -> None:
        """Lines that code said: calls and the end go to the parent, timers are ours."""
        for line in text.split(b"\n") if text else ():
            kind, body = line[:1].decode("latin-1"), line[1:]
            if kind == "t":
                order = json.loads(body)
                heapq.heappush(self._timers, (time.monotonic() + order["seconds"], order["id"]))
            elif kind in {"e", "w", "z"}:
                if self._block is not None:
                    self._block.judge(kind)
            elif kind in {"c", "d", "r"}:
                if kind == "d" and self._block is not None:
                    body = body[:-1] + f',"seconds":{self._block.used:.4f}}}'.encode()
                    self._block = None
                    self._timers.clear()
                self._say(kind, body)

    # Ending a block that does not end by itself.

    def _stop(self, why: str) -> None:
        """First step: V8 stops where it is; variables stay."""
        block = self._block
        assert block is not None
        if block.is_idle:
            block.stopping = block.stopping or ("" if block.settled else why)
            self._close(block)
            return
        block.stopping = block.stopping or why
        block.deadline = time.monotonic() + GRACE_SECONDS
        self._engine.terminate()
        self._call_off(block, why)

    def _call_off(self, block: "Block", why: str) -> None:
        """Waits for V8 to come to a stop, as long as it may take."""
        closing = block.closing
        while self._block is block and block.closing == closing:
            remaining = block.deadline - time.monotonic()
            if remaining <= 0:
                self._abandon(block, why)
            if select.select([self._bell], [], [], remaining)[0]:
                os.read(self._bell, 4096)
            while not self._results.empty():
                self._take(*self._results.get())

    def _close(self, block: "Block") -> None:
        """Has the prelude end the block; a second time without looking into any value."""
        self._engine.settle()
        self._recover()
        block.closing += 1
        if block.closing > 3:
            self._abandon(block, block.stopping)
        block.resume()
        block.deadline = time.monotonic() + SUMMARY_SECONDS
        operation = "finish" if block.closing == 1 and block.stopping != "memory" else "plain"
        self._call(operation, (block.stopping or block.verdict or "").encode())

    def _recover(self) -> None:
        """Makes room after a stop for memory; with none left this isolate ends."""
        if self._engine.was_full:
            self._engine.limit(0)
            self._engine.collect()
            self._evaluated("''")
            # The next block needs room to do anything about what fills the heap.
            self._engine.limit(self._heap * 3 // 4)
            self._engine.collect()
            if self._evaluated("''") is None or self._engine.was_full:
                self._abandon(self._block, "memory")
            self._engine.limit(self._heap)

    def _abandon(self, block: "Block | None", why: str) -> None:
        """Second step: this process ends, and the parent starts another from the checkpoint."""
        number = block.number if block is not None else 0
        self._say("x", json.dumps({"n": number, "why": why}).encode())
        os._exit(70)


def _syntax(
    result: "Result | None", code: str, hint: Callable[[str, str], str]
) -> tuple[str, int | None]:
    """What V8 said about a block it cannot read, and the line."""
    if result is None:
        return "the block could not be read in time", None
    head = result.text.decode("utf-8", "replace").partition("\n")[0]
    place, _, message = head.partition(": ")
    number = place.rpartition(":")[2]
    message = message.removeprefix("SyntaxError: ")
    line = int(number) if number.isdigit() else None
    last = code.count("\n") + 1
    if line is not None and line > last:
        line, message = last, "Unexpected end: a bracket or a quote does not match"
    more = hint(code, message)
    return f"{message}. {more}" if more else message, line


def main() -> None:
    """``worker.py {"paths": [...], "engine": folder}``: locks itself up, says how, and serves."""
    options = json.loads(sys.argv[1])
    sys.path.extend(options["paths"])
    worker = Worker(options)
    from ouroboros.code.js.cage import lock_up

    locks = lock_up()
    hello = json.dumps({"cage": locks, "pid": os.getpid()}).encode()
    sys.stdout = sys.stderr
    worker.serve(hello)
    os._exit(0)


if __name__ == "__main__":
    main()
