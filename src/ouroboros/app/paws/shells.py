"""A person's shell, or one command, in the work tree of a session."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ouroboros.app.lending import lend
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.safety.environment import cleaned
from ouroboros.safety.spawn import spawn

SESSION = "PAWS_SESSION"
"""The variable that tells programs which session they run in."""


async def run(
    command: Sequence[str],
    *,
    session_id: str,
    tree: Path,
    environment: Mapping[str, str],
    keyboard: int | None,
) -> int:
    """Runs a command in a work tree, the person's shell without one, and gives its exit code.

    It is the person's own: it sees all of their variables but those that point git elsewhere.

    Args:
        command: What is run; empty for the shell.
        session_id: What ``PAWS_SESSION`` says.
        tree: Where it runs.
        environment: The person's.
        keyboard: Their terminal, which it has meanwhile; None where there is none.

    Raises:
        Misuse: A shell without a terminal, or no such program.
    """
    if keyboard is None and not command:
        raise Misuse("a shell needs a terminal", hint=f"cd {tree}, or give a command after --")
    own = {**environment, SESSION: session_id, "PWD": str(tree)}
    words = [*_as_they_have_it(own), *(command or [environment.get("SHELL") or "/bin/sh"])]
    try:
        if keyboard is not None:
            return await lend(words, cwd=tree, environment=own, reveal=own, keyboard=keyboard)
        return await _piped(words, tree, own)
    except OSError as failed:
        raise Misuse(f"{words[-1]!r} cannot be run: {failed.strerror}") from failed


def _as_they_have_it(environment: Mapping[str, str]) -> list[str]:
    """What gives a child the terminal's variables that others are not given."""
    forced = cleaned({})
    unset = [word for name in forced if name not in environment for word in ("-u", name)]
    return [
        "env",
        *unset,
        *(f"{name}={environment[name]}" for name in forced if name in environment),
    ]


async def _piped(words: Sequence[str], tree: Path, environment: Mapping[str, str]) -> int:
    ends = {"stdout": 1, "stderr": 2}
    async with spawn(words, cwd=tree, environment=environment, reveal=environment) as process:
        while (piece := await process.read()) is not None:
            rest = memoryview(piece.data)
            while rest:
                rest = rest[os.write(ends[piece.stream], rest) :]
        code = process.exit_code
    if code is None:
        raise OuroborosError("the command was stopped")
    return code
