"""Which files hold page data: written by code that had read pages, and remembered over restarts.

A file is known by its real path, and by the hash of its content when it was moved or copied. The
ledger is a file of lines in the person's home; a line that is torn is skipped.
"""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.core.errors import ToolFailed

DOWNLOAD = "a download"
"""Where files in the folder of artifacts come from."""

_LINES = 20_000
_FILE_BYTES = 64 * 1_048_576


class Mark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a file; no origins: it was written anew by code that had read nothing."""

    path: str
    hash: str = ""
    by: tuple[str, ...] = ()


class Ledger:
    """Marks of files; every function here blocks."""

    def __init__(self, home: Path) -> None:
        """Reads nothing yet; what lies in the folder of artifacts came from pages."""
        self._artifacts = os.path.realpath(home / "artifacts") + os.sep
        self._file = home / "taint.jsonl"
        self._paths: dict[str, Mark] = {}
        self._hashes: dict[str, Mark] = {}
        self._read = 0

    def mark(self, path: Path, content: bytes, by: Iterable[str]) -> None:
        """Notes that this content is about to be written there by code that had read from ``by``.

        Raises:
            ToolFailed: It cannot be noted; then the file must not be written.
        """
        self._catch_up()
        mark = Mark(
            path=os.path.realpath(path), hash=_hash(content) if content else "", by=tuple(by)
        )
        if not mark.by and mark.path not in self._paths:
            return
        if self._paths.get(mark.path) == mark:
            return
        try:
            self._append(mark)
        except OSError as failed:
            raise ToolFailed(
                f"{path} is not written: what it holds cannot be noted ({failed.strerror})"
            ) from failed

    def of(self, path: Path, content: bytes) -> tuple[str, ...]:
        """Origins whose data this file may hold; empty when it is the person's own."""
        self._catch_up()
        real = os.path.realpath(path)
        if real.startswith(self._artifacts):
            return (DOWNLOAD,)
        there = self._paths.get(real)
        same = self._hashes.get(_hash(content)) if content else None
        return tuple(dict.fromkeys((there.by if there else ()) + (same.by if same else ())))

    def of_file(self, path: Path) -> tuple[str, ...]:
        """The same for a file as it is now, whoever moved or copied it here; for a folder, all below it."""
        self._catch_up()
        if path.is_dir():
            below = os.path.realpath(path) + os.sep
            inside = [mark for mark in self._paths.values() if mark.path.startswith(below)]
            return tuple(dict.fromkeys(origin for mark in inside for origin in mark.by))
        if not self._hashes:
            return self.of(path, b"")
        try:
            with path.open("rb") as file:
                return self.of(path, file.read(_FILE_BYTES))
        except OSError:
            return self.of(path, b"")

    def of_names(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Origins of the files among these: their names may hold what was read as well."""
        self._catch_up()
        if not any(mark.by for mark in self._paths.values()):
            return ()
        marks = (self._paths.get(os.path.realpath(path)) for path in paths)
        return tuple(dict.fromkeys(origin for mark in marks if mark for origin in mark.by))

    def _append(self, mark: Mark) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        try:
            # The line end before it keeps a torn line of a killed writer apart.
            rest = b"\n" + msgspec.json.encode(mark) + b"\n"
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._catch_up()

    def _catch_up(self) -> None:
        """Takes in what was added since, by other processes too."""
        try:
            with self._file.open("rb") as file:
                file.seek(self._read)
                added = file.read()
        except FileNotFoundError:
            return
        whole = added.rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        for line in whole.split(b"\n")[-_LINES:]:
            try:
                mark = _decoder.decode(line)
            except (msgspec.DecodeError, UnicodeError):
                continue
            self._paths[mark.path] = mark
            if mark.by and mark.hash:
                self._hashes[mark.hash] = mark


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


_decoder = msgspec.json.Decoder(Mark)
