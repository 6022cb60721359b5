"""What code costs: a worker's start, a block, a host call, a summary, and the memory it holds.

Usage: python bench/repl.py [rounds]

Bars: block round trip <= 1 ms, host call <= 0.5 ms, warm start <= 20 ms, worker <= 80 MB. Medians
and the 95th percentile of every round; all of it goes through the real pool and a real, caged worker.
"""

import statistics
import sys
import time
from pathlib import Path

import anyio
import anyio.to_thread
from msgspec import Raw

from ouroboros.code.js.isolate import Isolate
from ouroboros.code.js.values import Answer
from ouroboros.code.pool import Isolates
from ouroboros.core.clock import SystemClock

BLOCKS = 300
CALLS = 1_000
FUNCTIONS = ("echo",)


class EchoHost:
    async def answer(self, name: str, arguments: Raw) -> Answer:
        del name
        return Answer(value=bytes(arguments))


def row(name: str, times: list[float], bar: str) -> None:
    ranked = sorted(times)
    p95 = ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))]
    print(f"{name:<34} {statistics.median(ranked):9.3f} {p95:9.3f}   {bar}")


async def timed(isolate: Isolate, code: str, count: int) -> list[float]:
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        outcome = await isolate.run(code)
        times.append((time.perf_counter() - start) * 1000)
        assert outcome.thrown is None, outcome.thrown
    return times


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


async def first_block(pool: Isolates) -> float:
    start = time.perf_counter()
    async with pool.isolate(EchoHost(), functions=FUNCTIONS) as isolate:
        await isolate.run("1")
        return (time.perf_counter() - start) * 1000


async def starts(rounds: int) -> None:
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(rounds):
        async with Isolates(environment={}, clock=SystemClock()) as pool:
            cold.append(await first_block(pool))
        async with Isolates(environment={}, clock=SystemClock()) as pool:
            await pool.warm()
            (worker,) = pool.workers
            await worker.ready()
            warm.append(await first_block(pool))
    row("cold start and first block", cold, "")
    row("warm start and first block", warm, "<= 20 ms")


async def work() -> None:
    async with (
        Isolates(environment={}, clock=SystemClock()) as pool,
        pool.isolate(EchoHost(), functions=FUNCTIONS) as isolate,
    ):
        await isolate.run("1")
        fresh = await anyio.to_thread.run_sync(resident_mb, isolate.pid)
        row("block of nothing", await timed(isolate, "1", BLOCKS), "<= 1 ms")
        many = "; ".join(f"const v{n} = {{n: {n}, t: 'text {n}'}}" for n in range(20))
        await isolate.run(many)
        row("block beside 20 variables", await timed(isolate, "v1.n + 1", BLOCKS), "<= 1 ms")
        calls = [
            spent / CALLS
            for spent in await timed(isolate, f"for (let i = 0; i < {CALLS}; i++) await echo(i)", 5)
        ]
        row("host call", calls, "<= 0.5 ms")
        await isolate.run("globalThis.wide = Array.from({length: 1e6}, (_, i) => ({i}))")
        row("summary of 1,000,000 objects", await timed(isolate, "wide", 20), "< 50 ms")
        await isolate.run("wide = 'x'.repeat(5e6)")
        row("summary of 5,000,000 characters", await timed(isolate, "wide", 20), "< 50 ms")
        used = await anyio.to_thread.run_sync(resident_mb, isolate.pid)
        print(f"{'worker, fresh (MB resident)':<34} {fresh:9.1f} {'':9}   <= 80 MB")
        print(f"{'worker, after all of the above':<34} {used:9.1f}")


async def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'ms':<34} {'median':>9} {'p95':>9}   bar")
    await starts(rounds)
    await work()


if __name__ == "__main__":
    anyio.run(main)
