"""Changes that came as text: read from any dialect, fitted to the files, written all or not at all.

::

    reading.read(data, dialect="auto", rsi_link=False, allow_truncated=False) -> Bundle   raises Refused
    planning.plan(bundle, disk.Folder(root), references={path: bytes}) -> Plan            never raises
    applying.apply(plan, root, journal=FILE) -> None               all or nothing; raises Refused, OSError
    applying.recover(root, journal=FILE) -> Recovered              what a killed apply left is taken back
    writing.write(before, after, header=Header()) -> bytes         mappings of path to Snapshot

Refuses: to guess. A block that could be meant for two places is told with its line, and nothing is written.
"""

from ouroboros.workspace.artifacts.dogs.change import (
    Bundle,
    Change,
    Delete,
    Dialect,
    Edit,
    Exact,
    Header,
    Hunk,
    Numbered,
    Refusal,
    Refused,
    Rename,
    Request,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.plan import Action, FilePlan, Plan, Snapshot

__all__ = [
    "Action",
    "Bundle",
    "Change",
    "Delete",
    "Dialect",
    "Edit",
    "Exact",
    "FilePlan",
    "Header",
    "Hunk",
    "Numbered",
    "Plan",
    "Refusal",
    "Refused",
    "Rename",
    "Request",
    "Snapshot",
    "Whole",
]
