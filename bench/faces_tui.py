"""The full-screen face: how soon it is there, how soon an event is seen, what it costs at rest, how it scrolls.

Usage: python bench/faces_tui.py [start|idle|stream|scroll]...

``start`` and ``idle`` run the program on a pseudo-terminal; ``stream`` runs 20 sessions in this process
and notes when a piece of text is said and when it is written to the terminal; ``scroll`` turns the
pages of a conversation of 10,000 messages.
"""

import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar, override

import anyio
from anyio import create_task_group
from textual.drivers.headless_driver import HeadlessDriver

from ouroboros.app.config.layers import load
from ouroboros.app.hub import Outfit, hub
from ouroboros.core.commands import Submit
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    ModelDelta,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.events.envelope import Event
from ouroboros.core.parts import Message, Text
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Start

COLUMNS, LINES = 120, 40
SESSIONS = 20
DELTAS_A_SECOND = 200
SECONDS = 10
MESSAGES = 10_000
ROUNDS = 7
MARKDOWN = (
    "Some **bold** words and `code` in a sentence that is long enough to be wrapped once.\n\n"
    "* one\n* two\n\n```python\ndef f(x):\n    return x + 1\n```\n"
)
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n c = 4\n"


def script(path: Path, *turns: dict[str, object]) -> str:
    """A scripted model."""
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    return f"script:{path}"


@contextmanager
def program(folder: Path, *arguments: str) -> Generator[tuple[int, int]]:
    """``ouro`` on a pseudo-terminal: its process and the other end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "OUROBOROS_HOME": str(folder / "home")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ouroboros", *arguments],
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    try:
        yield process.pid, ours
    finally:
        process.send_signal(signal.SIGTERM)
        drain(ours, 1.0)
        process.kill()
        process.wait()
        os.close(ours)


def drain(fd: int, seconds: float, until: bytes = b"") -> float | None:
    """Reads for so long, or until some bytes came: then after how many seconds."""
    began, seen = time.perf_counter(), b""
    while (left := began + seconds - time.perf_counter()) > 0:
        if select.select([fd], [], [], left)[0]:
            try:
                seen += os.read(fd, 65_536)
            except OSError:
                return None
        if until and until in seen:
            return time.perf_counter() - began
    return None


def start(folder: Path) -> None:
    """Seconds until the first screen, until keys are drawn, until the session is open."""
    model = script(folder / "turns.jsonl", {"text": "hello"})
    first: list[float] = []
    drawn: list[float] = []
    answered: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with program(folder, "tui", "--model", model, "--mode", "full-auto") as (_, fd):
            drain(fd, 10, b"full-auto")
            first.append(time.perf_counter() - began)
            os.write(fd, b"ZQ")
            drain(fd, 10, b"Q")
            drawn.append(time.perf_counter() - began)
            os.write(fd, b"\r")
            drain(fd, 10, b"hello")
            answered.append(time.perf_counter() - began)
    for name, values in (
        ("first screen", first),
        ("typed words seen", drawn),
        ("answer", answered),
    ):
        print(
            f"{name}: {statistics.median(values) * 1000:.0f} ms ({min(values) * 1000:.0f} to {max(values) * 1000:.0f})"
        )


def idle(folder: Path) -> None:
    """Share of a processor with an open session in which nothing happens."""
    model = script(folder / "turns.jsonl", {"text": "hello"})
    with program(folder, "tui", "--model", model) as (pid, fd):
        drain(fd, 4)
        before = processor_seconds(pid)
        drain(fd, SECONDS)
        share = (processor_seconds(pid) - before) / SECONDS
        print(f"idle: {share:.2%} of a processor")


def processor_seconds(pid: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Recorder(HeadlessDriver):
    """Notes when each marked piece of text is written."""

    seen: ClassVar[dict[str, float]] = {}
    frames: ClassVar[list[float]] = []
    drawn: ClassVar[anyio.Event]

    @property
    @override
    def is_headless(self) -> bool:
        return False  # so that it is drawn for

    @override
    def write(self, data: str) -> None:
        now = time.perf_counter()
        self.frames.append(now)
        self.drawn.set()
        for word in data.split():
            if word.startswith("t0") and word[:6] not in self.seen:
                self.seen[word[:6]] = now


def settings(folder: Path, model: str) -> Start:
    """What the application is started with."""
    environment = {"HOME": str(folder), "OUROBOROS_HOME": str(folder / "home"), "PATH": os.defpath}
    flags: dict[str, object] = {"model": model, "mode": "full-auto"}
    return Start(
        loaded=load(folder, environment, flags, ""),
        environment=environment,
        cwd=folder,
        outfit=lambda: Outfit(environment=environment, cwd=folder, flags=flags),
    )


async def stream(folder: Path) -> None:
    """From a piece of text being said to its being written, with 20 sessions running."""
    for others in (DELTAS_A_SECOND // 20, DELTAS_A_SECOND):
        await _streamed(folder, others)


async def _streamed(folder: Path, others: int) -> None:
    count = DELTAS_A_SECOND * SECONDS
    pieces = "".join(f"t{at:05} " + ("\n\n" if at % 60 == 59 else "  ") for at in range(count))
    shown = script(
        folder / "shown.jsonl",
        {"text": pieces.replace("  ", " "), "chunk": 7, "pace_seconds": 1 / DELTAS_A_SECOND},
    )
    noise: dict[str, object] = {
        "text": "lorem. " * others * SECONDS,
        "chunk": 7,
        "pace_seconds": 1 / others,
    }
    other = script(folder / "other.jsonl", noise)
    said: dict[str, float] = {}
    Recorder.seen, Recorder.frames, Recorder.drawn = {}, [], anyio.Event()
    began = settings(folder, shown)

    def hear(envelope: Envelope) -> None:
        if isinstance(envelope.data, ModelDelta):
            now = time.perf_counter()
            for word in envelope.data.text.split():
                said[word] = now

    assert began.outfit is not None
    used = 0.0
    app = OuroApp(began)
    app.driver_class = Recorder
    async with create_task_group() as tasks, hub(began.outfit()) as opened:
        room = await opened.open(cwd=folder)
        rest = [await opened.open(cwd=folder, model=other) for _ in range(SESSIONS - 1)]
        tasks.start_soon(partial(app.run_async, size=(COLUMNS, LINES)))
        await app.drawn.wait()
        app.call_later(app.opened, opened, room)
        await anyio.sleep(0.5)
        for each in rest:
            await each.send(Submit(text="go"))
        room.listen(hear)
        before = time.process_time()
        await room.session.run("go")
        used = time.process_time() - before
        await anyio.sleep(0.3)
        app.call_later(app.leave)
        await anyio.sleep(0.3)
    late = sorted(Recorder.seen[word] - at for word, at in said.items() if word in Recorder.seen)
    print(
        f"{SESSIONS} sessions, the others at {others} deltas/s: "
        f"{len(late)} of {len(said)} pieces seen, median {statistics.median(late) * 1000:.0f} ms, "
        f"p95 {late[int(len(late) * 0.95)] * 1000:.0f} ms, worst {late[-1] * 1000:.0f} ms; "
        f"{used / SECONDS:.0%} of a processor, {len(Recorder.frames) / SECONDS:.0f} frames/s"
    )


def conversation() -> Iterator[Event]:
    """Messages of all kinds."""
    for at in range(MESSAGES // 4):
        text = Text(text=f"question {at}")
        yield UserMessage(message=Message(id=f"u{at}", role="user", parts=(text,)))
        reply = Message(id=f"a{at}", role="assistant", parts=(Text(text=MARKDOWN),))
        yield AgentMessage(message=reply, stop_reason="end")
        for kind, detail in (("shell", ""), ("edit", DIFF)):
            name = f"{kind}{at}"
            yield ToolStarted(call_id=name, name=kind, arguments="{}", title=f"{kind} {at}")
            parts = (Text(text="a\nb\nc\nd\ne\nf\n"),)
            yield ToolResulted(call_id=name, name=kind, status="done", parts=parts, detail=detail)


async def scroll(folder: Path) -> None:
    """Pages a second of a conversation of 10,000 messages, each a whole frame."""
    Recorder.frames, Recorder.drawn = [], anyio.Event()
    said: list[str] = []
    app = OuroApp(settings(folder, "echo"))
    app.driver_class = Recorder

    def fill() -> None:
        began = time.perf_counter()
        for seq, event in enumerate(conversation()):
            app.scribe.take(_envelope(event, seq))
        said.append(f"taken in: {(time.perf_counter() - began) * 1000:.0f} ms")

    async with create_task_group() as tasks:
        tasks.start_soon(partial(app.run_async, size=(COLUMNS, LINES)))
        await app.drawn.wait()
        app.call_later(fill)
        await anyio.sleep(1)
        for name, key, pages in (("up", "page_up", 100), ("down", "page_down", 100)):
            frames: list[float] = []
            used = time.process_time()
            for _ in range(pages):
                began, Recorder.drawn = time.perf_counter(), anyio.Event()
                app.call_later(app.act, key)
                await Recorder.drawn.wait()
                frames.append(time.perf_counter() - began)
            frames.sort()
            said.append(
                f"pages {name}: {pages / sum(frames):.0f} frames/s, "
                f"p95 {frames[int(pages * 0.95)] * 1000:.0f} ms, "
                f"{(time.process_time() - used) / pages * 1000:.0f} ms of a processor each"
            )
        app.call_later(app.leave)
    print("\n".join(said))  # not while the application has the output


def _envelope(event: Event, seq: int) -> Envelope:
    return Envelope(
        id=f"e{seq}",
        session="ses_1",
        turn=1,
        seq=seq,
        ts=float(seq),
        type=event.type,
        source=event.source,
        data=event,
    )


def main() -> None:
    """Measures what was named, or all."""
    wanted = sys.argv[1:] or ["start", "idle", "stream", "scroll"]
    for name in wanted:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            match name:
                case "start":
                    start(folder)
                case "idle":
                    idle(folder)
                case "stream":
                    anyio.run(stream, folder)
                case _:
                    anyio.run(scroll, folder)


if __name__ == "__main__":
    main()
