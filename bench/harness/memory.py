"""How much memory a process and what it started take, sampled while it works."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import anyio

EVERY_SECONDS = 0.01


class Sample(NamedTuple):
    """Proportional set sizes in bytes, after so many requests."""

    requests: int
    own: int
    tree: int


class Memory:
    """Samples of one run."""

    def __init__(self, pid: int, requests: Callable[[], int]) -> None:
        """``requests`` counts what has reached the server."""
        self._pid = pid
        self._requests = requests
        self._samples: list[Sample] = []

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Samples while the block runs."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            yield
            tasks.cancel_scope.cancel()

    async def _watch(self) -> None:
        while True:
            sizes = [size for pid in _tree(self._pid) if (size := _size(pid)) is not None]
            if sizes:
                self._samples.append(Sample(self._requests(), sizes[0], sum(sizes)))
            await anyio.sleep(EVERY_SECONDS)

    @property
    def peak(self) -> int:
        """The most that the process and its descendants had together."""
        return max(sample.tree for sample in self._samples)

    @property
    def own_peak(self) -> int:
        """The most that the process itself had."""
        return max(sample.own for sample in self._samples)

    def growth(self, first: int, last: int) -> float:
        """Bytes that the process itself gained for each request between the two."""
        return (self._around(last) - self._around(first)) / (last - first)

    def _around(self, request: int) -> float:
        # A fast machine passes many requests between two samples, so the nearest ones are taken.
        nearest = sorted(self._samples, key=lambda sample: abs(sample.requests - request))
        return median(sample.own for sample in nearest[:5])


def _tree(pid: int) -> Iterator[int]:
    yield pid
    command = _command(pid)
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = listed.read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            # Before it becomes another program a child may live in its parent's memory.
            if _command(int(child)) != command:
                yield from _tree(int(child))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _size(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "Pss":
            return int(value.split()[0]) * 1024
    return None
