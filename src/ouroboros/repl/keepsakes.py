"""Values that ``store`` keeps from run to run: one file each, replaced at once or not at all."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.private_file import replacing

VALUE_BYTES = 16 * 1_048_576
"""Largest value."""

ALL_BYTES = 256 * 1_048_576
"""All values of one project together."""

KEY_CHARS = 200
KEYS = 1_000


class Kept(Struct, frozen=True, kw_only=True):
    """One value and where its data came from."""

    key: str
    value: bytes
    by: tuple[str, ...] = ()


class _Head(Struct, frozen=True, kw_only=True):
    key: str
    hash: str
    by: tuple[str, ...] = ()


class Keepsakes:
    """The values of one project; every function here blocks."""

    def __init__(self, home: Path, project: str) -> None:
        """Makes nothing; ``project`` is the folder that the session works in."""
        self._folder = home / "values" / sha256(project.encode("utf-8", "replace")).hexdigest()[:32]

    def put(self, key: str, value: bytes, by: tuple[str, ...] = ()) -> None:
        """Keeps a value; it is on disk when this returns.

        Raises:
            ToolFailed: The key or the value is too long, there are too many, or the disk said no.
        """
        if not key or len(key) > KEY_CHARS or not key.isprintable():
            raise ToolFailed(f"a key has 1 to {KEY_CHARS} printable characters, not {key[:80]!r}")
        if len(value) > VALUE_BYTES:
            raise ToolFailed(f"the value has {len(value)} bytes; at most {VALUE_BYTES} are kept")
        target = self._file(key)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            others = [f.stat().st_size for f in self._folder.glob("*.value") if f != target]
            if len(others) >= KEYS or sum(others) + len(value) > ALL_BYTES:
                raise ToolFailed(
                    f"{len(others)} values of {sum(others)} bytes are kept already; "
                    f"at most {KEYS} of {ALL_BYTES} bytes are; store null under a key to drop it"
                )
            if value == b"null":
                target.unlink(missing_ok=True)
                return
            head = _Head(key=key, hash=sha256(value).hexdigest(), by=by)
            with replacing(target) as file:
                file.write(msgspec.json.encode(head) + b"\n" + value)
                file.flush()
                os.fsync(file.fileno())
        except OSError as failed:
            raise ToolFailed(f"{key!r} could not be kept: {failed.strerror}") from failed

    def get(self, key: str) -> Kept | None:
        """The value of a key; None when there is none, or what is there is damaged."""
        try:
            head, _, value = self._file(key).read_bytes().partition(b"\n")
            read = msgspec.json.decode(head, type=_Head)
        except FileNotFoundError:
            return None
        except OSError as failed:
            raise ToolFailed(f"{key!r} could not be read: {failed.strerror}") from failed
        except (msgspec.DecodeError, UnicodeError):
            return None
        if read.key != key or read.hash != sha256(value).hexdigest():
            return None
        return Kept(key=key, value=value, by=read.by)

    def _file(self, key: str) -> Path:
        return self._folder / f"{sha256(key.encode('utf-8', 'replace')).hexdigest()[:32]}.value"
