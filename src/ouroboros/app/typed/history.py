"""What the person typed before, kept in the home folder for them alone."""

import fcntl
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from io import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ouroboros.app.settings import Settings

if TYPE_CHECKING:
    from ouroboros.safety.leaks import Leaks

_KEPT = 1_000
_LINE_BYTES = 65_536
_FILE_BYTES = 1_048_576
_LOOKS, _LOOK_SECONDS = 100, 0.01


class History:
    """The messages typed before, oldest first, each a JSON string on a line of its own."""

    def __init__(self, home: Path, clean: Callable[[str], str] = str) -> None:
        """Reads what is there; a file that cannot be read is an empty history.

        ``clean`` takes out of a line what is not to be written down.
        """
        self._clean = clean
        self._path = home / "history"
        self.entries: list[str] = _read(self._path)[-_KEPT:]

    def add(self, text: str) -> None:
        """Keeps a message; the same one twice in a row is kept once."""
        if self.entries and self.entries[-1] == text:
            return
        self.entries.append(text)
        line = msgspec.json.encode(self._clean(text)) + b"\n"
        # Typing on matters more than remembering it.
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if len(line) <= _LINE_BYTES:
                _append(self._path, line)


def _append(path: Path, line: bytes) -> None:
    """Several programs write at the same time; the file is made short under the same lock."""
    descriptor = _locked(path)
    if descriptor is None:
        return
    with os.fdopen(descriptor, "r+b") as file:
        os.fchmod(file.fileno(), 0o600)
        size = file.seek(0, SEEK_END)
        # A program that was killed may have left half a line.
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            line = b"\n" + line
        file.write(line)
        file.flush()
        if size + len(line) > _FILE_BYTES:
            _shorten(path)


def _shorten(path: Path) -> None:
    kept: list[bytes] = []
    size = 0
    for line in reversed(path.read_bytes().splitlines(keepends=True)[-_KEPT:]):
        size += len(line)
        if size > _FILE_BYTES // 2:
            break
        kept.append(line)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with partial.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.writelines(reversed(kept))
    partial.replace(path)


def _locked(path: Path) -> int | None:
    """The file for us alone; None where somebody keeps it for too long."""
    for _ in range(_LOOKS):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass  # held, or replaced by a shorter one between the two
        os.close(descriptor)
        time.sleep(_LOOK_SECONDS)
    return None


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    decoder = msgspec.json.Decoder(str)
    entries: list[str] = []
    for line in lines:
        try:
            entries.append(decoder.decode(line))
        except msgspec.DecodeError:
            continue
    return entries


def cleaner(environment: Mapping[str, str], settings: Settings) -> Callable[[str], str]:
    """Takes secrets out of a line; what finds them is loaded with the first one."""

    @cache
    def leaks() -> "Leaks":
        from ouroboros.app.secrecy import secrets

        return secrets(environment, settings)

    return lambda text: leaks().redacted(text)
