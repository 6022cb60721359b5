"""Which processes work in a folder, whatever cage they are in."""

import contextlib
from pathlib import Path


def inhabitants(folder: Path) -> set[int]:
    """Processes that work in a folder, by the numbers they have outside of any cage."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == folder and is_running(int(entry.name)):
                found.add(int(entry.name))
    return found


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # the second while it is read
        return False
    return state != "Z"
