"""Where the repository of a folder lies: found again also when the folder has another name, or made."""

import fcntl
import os
import re
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.checkpoints.faults import CheckpointBusy

REFS = Path("refs", "checkpoints")

LOCK_SECONDS = 20.0
"""How long another process is waited for."""

_LOOK_SECONDS = 0.01

_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tautocrlf = false
\tattributesFile = /dev/null
\thooksPath = /dev/null
\tprotectNTFS = false
\tprotectHFS = false
[gc]
\tauto = 0
"""
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n"


class Place(Struct, frozen=True, kw_only=True):
    """Which folder a repository belongs to: where it was, and what the file system calls it."""

    root: bytes
    device: int
    number: int


def found_for(home: Path, root: Path, seen: os.stat_result) -> Path | None:
    """The repository made for this folder, also under its earlier name; else the one of this path."""
    by_path: Path | None = None
    for place_file in sorted((home / "checkpoints").glob("*.git/workspace.json")):
        try:
            place = msgspec.json.decode(place_file.read_bytes(), type=Place)
        except (OSError, msgspec.DecodeError):
            continue
        if (place.device, place.number) == (seen.st_dev, seen.st_ino):
            return place_file.parent
        if place.root == os.fsencode(root):
            by_path = place_file.parent
    return by_path


def made_for(home: Path, root: Path, seen: os.stat_result) -> Path:
    """A new repository, or the one that another process has just made.

    Raises:
        CheckpointBusy: Another process takes too long with one.
        OSError: It cannot be made.
    """
    name = re.sub(r"[^A-Za-z0-9_\-]+", "-", root.name)[:40].strip("-") or "folder"
    folder = home / "checkpoints" / f"{name}-{os.urandom(4).hex()}.git"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    with alone(folder.parent / "lock", root):
        if found := found_for(home, root, seen):
            return found
        fill(folder)
        note(folder, root, seen)
    return folder


def note(folder: Path, root: Path, seen: os.stat_result) -> None:
    """Writes down which folder a repository belongs to."""
    place = Place(root=os.fsencode(root), device=seen.st_dev, number=seen.st_ino)
    keep_file(folder / "workspace.json", msgspec.json.encode(place))


@contextmanager
def alone(lock: Path, root: Path) -> Generator[None]:
    """No other process holds this file meanwhile.

    Raises:
        CheckpointBusy: Somebody else did for too long.
        OSError: It cannot be written.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _wait(descriptor, root)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, root: Path) -> None:
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            if time.monotonic() > until:
                raise CheckpointBusy(
                    f"another process works with the checkpoints of {str(root)!r}"
                ) from held
            time.sleep(_LOOK_SECONDS)
        else:
            return


def fill(folder: Path) -> None:
    """Writes what Git wants to see of a repository."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for inner in (Path("objects", "pack"), Path("refs", "heads"), Path("info"), REFS):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    keep_file(folder / "config", _CONFIG.encode())
    keep_file(folder / "info" / "attributes", _ATTRIBUTES.encode())
    keep_file(folder / "HEAD", b"ref: refs/heads/none\n")


def keep_file(path: Path, data: bytes) -> None:
    """Puts a small file in place in one step, on the disk when this returns."""
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    put_whole(path, data, path.with_name(f"{path.name}.{os.urandom(4).hex()}.lock"))
    sync_folder(path.parent)
