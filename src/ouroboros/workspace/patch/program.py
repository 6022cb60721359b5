"""The patch engine as a program: the patch is the one argument, or standard input."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from ouroboros.workspace.patch.apply import Disk, apply_patch, summary
from ouroboros.workspace.patch.syntax import PatchBroken, parse

USAGE = "Usage: ouro apply-patch 'PATCH'\n       ouro apply-patch < PATCH_FILE\n"


class Outcome(Struct, frozen=True, kw_only=True):
    """What the program says and how it ends: 0 done, 1 failed, 2 usage."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""


def standalone(arguments: Sequence[str], stdin: Callable[[], bytes], cwd: Path) -> Outcome:
    """Applies a patch hunk by hunk; it blocks. Earlier hunks stay when a later one fails.

    Args:
        arguments: At most one, the patch.
        stdin: Gives all of standard input; called only without an argument.
        cwd: Where relative paths start.
    """
    if len(arguments) > 1:
        return Outcome(exit_code=2, stderr=f"Error: one argument at most.\n{USAGE}")
    try:
        text = arguments[0] if arguments else stdin().decode()
    except UnicodeDecodeError:
        return Outcome(exit_code=1, stderr="Error: the patch is not UTF-8 text.\n")
    if not arguments and not text:
        return Outcome(exit_code=2, stderr=f"Error: no patch given.\n{USAGE}")
    try:
        hunks = parse(text)
    except PatchBroken as broken:
        where = f"Invalid patch hunk on line {broken.line}" if broken.line else "Invalid patch"
        return Outcome(exit_code=1, stderr=f"{where}: {broken.reason}\n")
    applied = apply_patch(hunks, cwd, Disk())
    if applied.failure:
        return Outcome(exit_code=1, stderr=f"{applied.failure}\n")
    return Outcome(exit_code=0, stdout=summary(applied.changes))
