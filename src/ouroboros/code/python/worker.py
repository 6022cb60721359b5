"""The process that runs a model's Python: a block after the other, in one namespace.

Standard library only, and no import of ours but ``wire``: it may be run by another interpreter. Its
cage is made before it starts; here is only what keeps it talking whatever a block does.
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import importlib.util
import io
import json
import linecache
import os
import queue
import resource
import select
import signal
import sys
import threading
import traceback
import types
from pathlib import Path
from typing import Any

STREAM_BYTES = 1_048_576
MEMORY_BYTES = 4 * 1_073_741_824
IMAGES = 8
IMAGE_BYTES = 5 * 1_048_576
ERROR_CHARS = 6_000
NAMES = 500

_HERE = Path(__file__).parent


def _loaded(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pump:
    """Carries what is written on descriptors 1 and 2, by whomever, to the other side, bounded."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._left: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        self._pipes: dict[int, str] = {}
        for descriptor, kind in ((1, "o"), (2, "e")):
            reading, writing = os.pipe()
            os.dup2(writing, descriptor)
            os.close(writing)
            os.set_blocking(reading, False)
            self._pipes[reading] = kind
        self.begin()

    def begin(self) -> None:
        """A new block may say as much as the one before."""
        self._left = {"o": STREAM_BYTES, "e": STREAM_BYTES}
        self.dropped = {"o": 0, "e": 0}

    def forever(self) -> None:
        while True:
            select.select(list(self._pipes), [], [])
            self.drain()

    def drain(self) -> None:
        """Carries over all that is there now."""
        with self._lock:
            for pipe, kind in self._pipes.items():
                self._drain(pipe, kind)

    def _drain(self, pipe: int, kind: str) -> None:
        while True:
            try:
                data = os.read(pipe, 65_536)
            except BlockingIOError:
                return
            if not data:
                return
            kept = data[: self._left[kind]]
            self._left[kind] -= len(kept)
            self.dropped[kind] += len(data) - len(kept)
            if kept:
                self._worker.say(kind, kept)


class Caught:
    """Stops whatever is raised inside, an exit and an interrupt too."""

    problem: BaseException | None = None

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        self.problem = problem
        return True


class Worker:
    """Reads orders from where standard input was, until nobody speaks to it any more."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._wire = _loaded("_wire", _HERE.parent / "wire.py")
        self._display = _loaded("_display", _HERE / "display.py")
        self._ears, self._mouth = os.dup(0), os.dup(1)
        self._orders: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        self._speaking = threading.RLock()
        self._pid = os.getpid()
        self._is_busy = False
        self._images: list[tuple[str, bytes]] = []
        self._pump = Pump(self)
        self._streams = [_stream(0, "rb"), _stream(1), _stream(2)]
        threading.Thread(target=self._pump.forever, daemon=True).start()
        self._builtins = dict(vars(builtins))
        self._restore = builtins.__dict__.update
        self.space = types.ModuleType("__main__")
        self._given: dict[str, object] = {"display": self.display}
        if options.get("artifacts"):
            self._given["artifacts"] = Path(options["artifacts"])
        self.space.__dict__.update(self._given, __builtins__=builtins)
        sys.modules["__main__"] = self.space
        sys.argv = [""]

    def say(self, kind: str, payload: bytes) -> None:
        """One frame, whole."""
        message = memoryview(self._wire.packed(kind, payload))
        with self._speaking:
            while message:
                message = message[os.write(self._mouth, message) :]

    def serve(self) -> None:
        """Until the other side hangs up."""
        hello = {"version": sys.version.split()[0], "pid": self._pid}
        self.say("h", json.dumps(hello).encode())
        threading.Thread(target=self._hear, daemon=True).start()
        while True:
            number, code = self._orders.get()
            self._run(number, code)

    def _hear(self) -> None:
        """On a thread of its own, so that a stop is heard while a block runs."""
        frames = self._wire.Unpacker("RC")
        while data := os.read(self._ears, 65_536):
            for kind, payload in frames.feed(data):
                if kind == "R":
                    head, _, code = payload.partition(b"\n")
                    self._orders.put((int(head), code.decode("utf-8", "replace")))
                elif self._is_busy:
                    self._stop(int(payload))
        os._exit(0)

    def _stop(self, number: int) -> None:
        """The first time like Ctrl-C; the second time also where that is caught or ignored."""
        main = threading.main_thread().ident
        if number == 1 and main is not None:
            signal.pthread_kill(main, signal.SIGINT)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(main or 0), ctypes.py_object(KeyboardInterrupt)
            )

    def display(self, *values: object) -> None:
        """Shows values in the middle of a block: pictures as pictures, everything else as text."""
        for value in values:
            image = self._display.image_of(value)
            if image is None:
                sys.stdout.write(self._display.described(value)[0] + "\n")
            else:
                self._show(*image)

    def _show(self, kind: str, data: bytes) -> None:
        if len(self._images) < IMAGES and len(data) <= IMAGE_BYTES:
            self._images.append((kind, data))

    def _interrupted(self, number: int, frame: object) -> None:
        del number, frame
        if self._is_busy:
            raise KeyboardInterrupt

    def _run(self, number: int, code: str) -> None:
        self._pump.begin()
        self._images = []
        for place, stream in enumerate(self._streams):
            if stream.closed:
                self._streams[place] = _stream(place, "wb" if place else "rb")
        sys.stdin, sys.stdout, sys.stderr = self._streams
        signal.signal(signal.SIGINT, self._interrupted)
        done: dict[str, Any] = {"n": number, "ok": False, "value": "", "shape": "", "error": ""}
        code_name = f"<block {number}>"
        caught = Caught()
        with caught:  # an interrupt may come at any instruction
            done |= self._outcome(code, code_name)
        self._is_busy = False
        if caught.problem is not None:
            done["error"] = done["error"] or type(caught.problem).__name__
        self._finish(done)

    def _outcome(self, code: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"ok": True}
        caught = Caught()
        self._is_busy = True
        with caught:
            found |= self._shown(self._executed(code, name))
        problem = caught.problem
        if isinstance(problem, SystemExit):
            found = {"ok": not problem.code, "error": f"SystemExit: {problem.code}"}
        elif isinstance(problem, KeyboardInterrupt):
            found = {"ok": False, "error": "KeyboardInterrupt: the block was stopped"}
        elif problem is not None:
            found = {"ok": False, "error": _told(problem)}
        self._is_busy = False
        return found

    def _shown(self, value: object) -> dict[str, Any]:
        image = self._display.image_of(value)
        if image is not None:
            self._show(*image)
        for figure in self._display.figures():
            self._show("image/png", figure)
        if image is not None:
            return {}
        text, shape = self._display.described(value)
        return {"value": text, "shape": shape}

    def _executed(self, code: str, name: str) -> object:
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        names = vars(self.space)
        try:
            tree = ast.parse(code, name)
            last = tree.body[-1] if tree.body else None
            if isinstance(last, ast.Expr):
                tree.body.pop()
            types.FunctionType(compile(tree, name, "exec"), names)()
            if not isinstance(last, ast.Expr):
                return None
            ending = compile(ast.Expression(last.value), name, "eval")
            names["_"] = types.FunctionType(ending, names)()
            return names["_"]
        finally:
            self._restore(self._builtins)

    def _finish(self, done: dict[str, Any]) -> None:
        for stream in self._streams[1:]:
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        if os.getpid() != self._pid:  # a child that the block forked has run to its end
            os._exit(0 if done["ok"] else 1)
        self._pump.drain()
        for kind, data in self._images:
            self.say("m", kind.encode() + b"\n" + data)
        given = {
            "__builtins__",
            "__name__",
            "__doc__",
            "__loader__",
            "__package__",
            "__spec__",
            "_",
        }
        given |= set(self._given)
        names = [name for name in vars(self.space) if name not in given]
        done["names"] = names[:NAMES]
        done["dropped"] = sum(self._pump.dropped.values())
        self.say("d", json.dumps(done).encode("utf-8", "replace"))


def _stream(descriptor: int, mode: str = "wb") -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, mode, closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw) if mode == "wb" else io.BufferedReader(raw),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )


def _told(failed: BaseException) -> str:
    """The traceback of the block's own lines."""
    trace = failed.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith("<block "):
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(failed), failed, trace)).rstrip()
    if len(text) <= ERROR_CHARS:
        return text
    half = ERROR_CHARS // 2
    return f"{text[:half]}\n... {len(text) - ERROR_CHARS:,} characters ...\n{text[-half:]}"


def _bounded_memory() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _bounded_memory()
    Worker(json.loads(sys.argv[1])).serve()
