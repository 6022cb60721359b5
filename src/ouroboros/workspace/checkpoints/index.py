"""What the files were when they were last looked at, so that only changed ones are read again."""

import zlib
from contextlib import suppress
from os import urandom
from pathlib import Path

import msgspec
from msgspec import Struct, field

from ouroboros.workspace.checkpoints.objects import NOT_KEPT

_VERSION = b"ouroboros index 1\n"


class File(Struct, array_like=True, gc=False):
    """A file or link: how it looked, and the blob that it was. A time of -1 is looked at again."""

    mode: int
    size: int
    modified: int
    changed: int
    number: int
    sha: bytes


class Folder(Struct, array_like=True):
    """A folder with its tree.

    ``ignored`` are names, those of folders with a slash, that were left out under the patterns of
    ``mark``; the folder ``is_out`` when it is ignored itself and only here for what was kept of it before.
    """

    mode: int
    tree: bytes
    files: dict[str, File] = field(default_factory=dict[str, File])
    folders: dict[str, "Folder"] = field(default_factory=dict[str, "Folder"])
    ignored: set[str] = field(default_factory=set[str])
    mark: int = 0
    is_out: bool = False


def load(path: Path) -> Folder | None:
    """The index that was saved; None when there is none that can be read."""
    try:
        whole = path.read_bytes()
        body = memoryview(whole)[len(_VERSION) + 4 :]
        if not whole.startswith(_VERSION):
            return None
        if zlib.crc32(body) != int.from_bytes(whole[len(_VERSION) : len(_VERSION) + 4]):
            return None
        return msgspec.msgpack.decode(body, type=Folder)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def save(path: Path, root: Folder) -> None:
    """Keeps it, without the names that are no text; raises ``OSError``."""
    try:
        body = msgspec.msgpack.encode(root)
    except UnicodeEncodeError:
        body = msgspec.msgpack.encode(_legible(root))
    except RecursionError:
        return
    partial = path.with_name(f"tmp_{urandom(8).hex()}")
    try:
        partial.write_bytes(_VERSION + zlib.crc32(body).to_bytes(4) + body)
        partial.rename(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def shas(root: Folder) -> set[bytes]:
    """Every object that the index takes for kept."""
    found = {root.tree}
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        found.add(folder.tree)
        found.update(file.sha for file in folder.files.values() if file.mode != NOT_KEPT)
        waiting += folder.folders.values()
    return found - {b""}


def _legible(folder: Folder) -> Folder:
    """Without what cannot be written, and so without the trees that it is in."""
    files = {name: file for name, file in folder.files.items() if _is_text(name)}
    folders = {name: _legible(below) for name, below in folder.folders.items() if _is_text(name)}
    return Folder(
        mode=folder.mode,
        tree=b"",
        files=files,
        folders=folders,
        ignored={name for name in folder.ignored if _is_text(name)},
        mark=folder.mark,
        is_out=folder.is_out,
    )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
