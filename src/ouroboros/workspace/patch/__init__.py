"""The V4A patch format: parse, locate, simulate, apply, and a program that does it all.

Refuses: to decide whether a path may be written. Whoever applies a patch asks first.
"""

from ouroboros.workspace.patch.apply import (
    Applied,
    Change,
    Disk,
    PatchFailed,
    apply_patch,
    located,
    summary,
    verify,
)
from ouroboros.workspace.patch.program import standalone
from ouroboros.workspace.patch.syntax import (
    AddFile,
    Chunk,
    DeleteFile,
    Hunk,
    PatchBroken,
    UpdateFile,
    parse,
)

__all__ = [
    "AddFile",
    "Applied",
    "Change",
    "Chunk",
    "DeleteFile",
    "Disk",
    "Hunk",
    "PatchBroken",
    "PatchFailed",
    "UpdateFile",
    "apply_patch",
    "located",
    "parse",
    "standalone",
    "summary",
    "verify",
]
