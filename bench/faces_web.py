"""What the web server costs: an event's way to a page, a session nobody looks at, a reader who never reads.

Usage: python -m bench.faces_web [seconds] [sessions] [deltas a second of each]

The server is `ouro web` in a process of its own, and so is the scripted model. An event's way is counted from
the time it was made (``ts``) to when a client on loopback has read the frame; all are on one machine's clock.
"""

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
import httpx2
from websockets.asyncio.client import connect

IDLE = 50


def start(*words: str, home: Path, cwd: Path) -> tuple[subprocess.Popen[str], str]:
    """A program, and the first line it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=cwd,
        env={**os.environ, "OUROBOROS_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def resident(process: subprocess.Popen[str]) -> float:
    """Megabytes of memory that a process holds."""
    for line in Path(f"/proc/{process.pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu(process: subprocess.Popen[str]) -> float:
    """Seconds of processor that it has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Server:
    """A running `ouro web`."""

    def __init__(self, process: subprocess.Popen[str], line: str) -> None:
        self.process = process
        self.port, _, self._token = line.partition(" ")
        self.headers = {"Authorization": f"Bearer {self._token}"}
        self.client = httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}", headers=self.headers, timeout=300
        )

    async def open(self) -> str:
        answer = await self.client.post("/api/v1/sessions", json={})
        return str(answer.json()["session"])

    def follow(self, session: str) -> Any:
        return connect(
            f"ws://127.0.0.1:{self.port}/api/v1/sessions/{session}/stream",
            additional_headers=self.headers,
            proxy=None,
            compression=None,
            max_size=None,
        )


async def watch(server: Server, session: str, delays: list[float], seconds: float) -> None:
    """Starts a run and notes how long each delta was under way."""
    async with server.follow(session) as socket:
        # Not all at the same moment, as no twenty people would.
        await anyio.sleep(random.random())
        command = {"type": "submit", "text": "Talk."}
        await socket.send(json.dumps({"kind": "command", "id": "1", "command": command}))
        with anyio.move_on_after(seconds):
            async for message in socket:
                now = time.time()
                events = json.loads(message).get("events", ())
                delays += [now - each["ts"] for each in events if each["type"] == "model.delta"]


async def ways(server: Server, sessions: int, rate: float, seconds: float) -> None:
    names = [await server.open() for _ in range(sessions)]
    delays: list[float] = []
    before, begun = cpu(server.process), time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for name in names:
            tasks.start_soon(watch, server, name, delays, seconds + 1)
    took = time.perf_counter() - begun
    used = (cpu(server.process) - before) / took
    delays.sort()
    middle, most = statistics.median(delays), delays[int(len(delays) * 0.95)]
    print(
        f"{sessions} sessions at {rate:.0f} deltas/s: {len(delays) / took:,.0f} deltas/s arrived; way to the "
        f"page p50 {middle * 1000:.1f} ms, p95 {most * 1000:.1f} ms, longest {delays[-1] * 1000:.0f} ms; "
        f"server {used:.0%} of a processor, {resident(server.process):.0f} MB"
    )
    for name in names:
        await server.client.delete(f"/api/v1/sessions/{name}")


async def idle(server: Server) -> None:
    before = resident(server.process)
    for _ in range(IDLE):
        await server.open()
    after = resident(server.process)
    print(
        f"{IDLE} open sessions: {(after - before) / IDLE:.2f} MB each ({before:.0f} to {after:.0f} MB)"
    )


async def measure(server: Server, sessions: int, rate: float, seconds: float) -> None:
    async with server.client:
        print(f"server at rest: {resident(server.process):.0f} MB")
        await ways(server, 1, rate, seconds)
        await ways(server, sessions, rate, seconds)
        await idle(server)


def main(seconds: float = 5.0, sessions: int = 20, rate: float = 200.0) -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = "word " * int(rate * (seconds + 30))
        turn = {"text": words, "chunk": 5, "pace_seconds": 1 / rate}
        (folder / "turns.jsonl").write_text(json.dumps(turn), "utf-8")
        script = ("ouroboros.testing.server", "--script", str(folder / "turns.jsonl"), "--repeat")
        model, address = start(*script, home=folder, cwd=folder)
        web = ("ouroboros", "web", "--headless-token", "--model", "openai-chat/scripted")
        process, line = start(*web, "--base-url", address, home=folder / "home", cwd=folder)
        try:
            anyio.run(measure, Server(process, line), sessions, rate, seconds)
        finally:
            for each in (process, model):
                each.send_signal(signal.SIGINT)
                each.wait(30)


if __name__ == "__main__":
    given = [*map(float, sys.argv[1:]), *(5.0, 20.0, 200.0)[len(sys.argv) - 1 :]]
    main(given[0], int(given[1]), given[2])
