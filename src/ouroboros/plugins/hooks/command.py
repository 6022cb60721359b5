"""Runs a hook that is a command: outside of any cage, for it is the person's own, but without keys."""

from collections.abc import Mapping
from pathlib import Path

import anyio
from msgspec import Struct

from ouroboros.core.limits import STREAM_BYTES
from ouroboros.safety.capture import Capture
from ouroboros.safety.spawn import shell_command, spawn

MOST_BYTES = 16 * 1_048_576
"""A hook that prints more than this is ended."""


class Ended(Struct, frozen=True, kw_only=True):
    """How a command ended; ``problem`` says why its output does not count."""

    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    problem: str = ""


async def run(
    text: str, *, cwd: Path, environment: Mapping[str, str], stdin: bytes, seconds: float
) -> Ended:
    """Runs shell text to its end; nothing that it started is left afterwards.

    Raises:
        OSError: The folder or the shell is not there.
    """
    capture = Capture(2 * STREAM_BYTES)
    exit_code: int | None = None
    async with spawn(shell_command(text), cwd=cwd, environment=environment, stdin=stdin) as process:
        with anyio.move_on_after(seconds):
            while (piece := await process.read()) is not None and capture.total <= MOST_BYTES:
                capture.add(piece.data, piece.stream)
            exit_code = process.exit_code
    if capture.total > MOST_BYTES:
        return Ended(problem=f"it printed more than {MOST_BYTES:,} bytes")
    if exit_code is None:
        return Ended(problem=f"it took longer than {seconds:g} s")
    return Ended(
        exit_code=exit_code,
        stdout=capture.bytes_of("stdout").decode("utf-8", "replace"),
        stderr=capture.bytes_of("stderr").decode("utf-8", "replace"),
    )
