"""The door to the patch engine for people and scripts; no model, no session, no rules."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ouroboros.workspace.patch.program import Outcome, standalone


def apply(arguments: Sequence[str], stdin: Callable[[], bytes], cwd: Path) -> Outcome:
    """Applies one patch below ``cwd``: exit code 0 done, 1 it does not fit, 2 used wrongly."""
    return standalone(arguments, stdin, cwd)
