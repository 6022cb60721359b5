"""Processes that tests have started and left: found by descent, or by our scratch folder in their words."""

import contextlib
import os
import time
from pathlib import Path

PATIENCE_SECONDS = 60.0
PROCESSES = Path("/proc")
"""Where it is missing, as on macOS, nothing is found."""


def left(scratch: Path, *, descent: bool = True) -> dict[int, str]:
    """Pid to command of what was given a path in ``scratch``, or with ``descent`` runs below this process.

    A browser that several tests share runs below it too, so one test alone looks without.
    """
    ours = f"{scratch}{os.sep}".encode()
    parents: dict[int, int] = {}
    words: dict[int, bytes] = {}
    for entry in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            state, parent = (
                (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            )
            if state not in "ZX":
                parents[int(entry.name)] = int(parent)
                words[int(entry.name)] = (entry / "cmdline").read_bytes()
                words[int(entry.name)] += b"\0\0" + (entry / "environ").read_bytes()
    found = {pid for pid, said in words.items() if ours in said}
    if descent:
        found |= below(os.getpid(), parents)
    found -= {os.getpid(), *above(os.getpid(), parents)}
    return {
        pid: words[pid].partition(b"\0\0")[0].replace(b"\0", b" ").decode("utf-8", "replace")[:300]
        for pid in sorted(found & words.keys())
    }


def below(pid: int, parents: dict[int, int]) -> set[int]:
    """All descendants."""
    found: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def above(pid: int, parents: dict[int, int]) -> set[int]:
    """All ancestors."""
    found: set[int] = set()
    while (pid := parents.get(pid, 0)) and pid not in found:
        found.add(pid)
    return found


def still_left(
    scratch: Path, seconds: float = PATIENCE_SECONDS, *, descent: bool = True
) -> dict[int, str]:
    """As ``left``, of what does not end by itself soon."""
    deadline = time.monotonic() + seconds
    while (found := left(scratch, descent=descent)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
