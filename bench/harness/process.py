"""One process, watched from outside: when it started, what it used, what it wrote."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread
from msgspec import Struct

type Output = Literal["text", "stream-json", "pty"]

PATIENCE_SECONDS = 300.0
ROWS, COLUMNS = 40, 120
_TICKS = os.sysconf("SC_CLK_TCK")


class Launch(Struct, frozen=True, kw_only=True):
    """What to start, with nothing of this process's own environment but ``PATH``."""

    command: tuple[str, ...]
    environment: dict[str, str]


class Ran(Struct, frozen=True, kw_only=True):
    """A process that has ended; times are monotonic seconds.

    Attributes:
        seconds: Processor time of the process and of the children it has reaped, to the microsecond.
        own_seconds: That of the process alone, to a tick of the kernel (10 ms).
    """

    spawned_at: float
    ended_at: float
    exit_code: int
    seconds: float
    own_seconds: float
    output: bytes
    complaint: str


class Running:
    """A process that has been started and not yet reaped."""

    def __init__(self, launch: Launch, folder: Path, output: Output) -> None:
        """Starts at once; ``finish`` must follow."""
        self._complaints = folder / "stderr"
        self._ended_at = 0.0
        self._end, theirs = pty.openpty() if output == "pty" else os.pipe()
        if output == "pty":
            size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
        with self._complaints.open("wb") as complaints:
            self.spawned_at = time.monotonic()
            self._popen = subprocess.Popen(
                launch.command,
                cwd=folder,
                env={"PATH": os.environ["PATH"], **launch.environment},
                stdin=theirs if output == "pty" else subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs if output == "pty" else complaints,
                start_new_session=True,
            )
        os.close(theirs)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._popen.pid

    async def finish(self) -> Ran:
        """Reads all it writes and waits for its end; ends it when that takes too long."""
        written = bytearray()
        try:
            with anyio.fail_after(PATIENCE_SECONDS):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(anyio.to_thread.run_sync, self._read, written)
                    try:
                        await anyio.to_thread.run_sync(self._wait, abandon_on_cancel=True)
                    finally:
                        self._ended_at = time.monotonic()
                        self._end_all()
        finally:
            os.close(self._end)
            seconds, own_seconds = self._reap()
        return Ran(
            spawned_at=self.spawned_at,
            ended_at=self._ended_at,
            exit_code=self._popen.returncode,
            seconds=seconds,
            own_seconds=own_seconds,
            output=bytes(written),
            complaint=self._complaints.read_text(encoding="utf-8", errors="replace")[-2000:],
        )

    def _read(self, into: bytearray) -> None:
        while True:
            try:
                piece = os.read(self._end, 65536)
            except OSError:  # a terminal whose other end is closed
                return
            if not piece:
                return
            into += piece

    def _wait(self) -> None:
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def _end_all(self) -> None:
        """Ends the process and what it left in its group; one that has ended does not mind."""
        os.killpg(self.pid, signal.SIGKILL)

    def _reap(self) -> tuple[float, float]:
        self._wait()
        own = _own_seconds(self.pid)
        _, status, usage = os.wait4(self.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime, own


def _own_seconds(pid: int) -> float:
    """Processor time of a process that has ended but is not reaped."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def bare_spawn(shell: str, times: int) -> list[float]:
    """Seconds that a shell takes to run ``true`` when nothing is around it."""

    def measure() -> list[float]:
        found: list[float] = []
        for _ in range(times):
            began = time.monotonic()
            subprocess.run((shell, "-c", "true"), check=True)
            found.append(time.monotonic() - began)
        return found

    return await anyio.to_thread.run_sync(measure)
