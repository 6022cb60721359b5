"""Which tests are for the inner loop: those of some tiers that start no process and open no port."""

from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
TIERS = frozenset({"house", "unit", "wire", "context"})
"""Whole runs, faces, cages, faults and the browser are real throughout."""

MARK = "pytest.mark.real"
_EVENTS = {
    "subprocess.Popen": "a process",
    "os.posix_spawn": "a process",
    "os.exec": "a process",
    "os.fork": "a process",
    "os.forkpty": "a process",
    "os.system": "a process",
    "socket.bind": "a port",
}

seen: list[str] = []
"""What the running test has begun of that kind."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook: notes what a test of the inner loop must not begin."""
    if kind := _EVENTS.get(event):
        seen.append(f"{kind}: {event} {arguments[:1]}")


def is_left_out(path: Path) -> bool:
    """Whether nothing in this folder or file is for the inner loop."""
    if not path.is_relative_to(TESTS) or path == TESTS:
        return False
    if path.relative_to(TESTS).parts[0] not in TIERS:
        return path.is_dir() or path.name.startswith("test_")
    return path.name.startswith("test_") and is_real(path.read_text("utf-8"))


def is_real(text: str) -> bool:
    """Whether a module says of all its tests that they are real."""
    return any(line.startswith("pytestmark") and MARK in line for line in text.split("\n"))
