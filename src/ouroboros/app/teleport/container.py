"""The archive itself: a gzipped tar of plain files, written and read member by member."""

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec

from ouroboros.app.teleport.manifest import (
    BLOB,
    BUNDLE,
    FORMAT,
    LARGEST_BYTES,
    MANIFEST,
    MANIFEST_BYTES,
    SEAL,
    SESSION,
    Manifest,
    Member,
    digest,
    most_held,
)
from ouroboros.core.errors import Misuse

_BLOCK = 512
_CHUNK = 1 << 20


def member_of(name: str, path: Path) -> Member:
    """What the manifest says of a file; blocking."""
    found = sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            found.update(block)
    return Member(name=name, bytes=path.stat().st_size, sha256=found.hexdigest())


def pack(target: Path, manifest: Manifest, files: Sequence[Path]) -> None:
    """Writes the archive for nobody else's eyes; ``files`` in the manifest's order. Blocking."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with (
        os.fdopen(descriptor, "wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as out,
    ):
        _put_members(out, manifest, files)
    with target.open("rb") as written:
        os.fsync(written.fileno())


def _put_members(out: gzip.GzipFile, manifest: Manifest, files: Sequence[Path]) -> None:
    told = msgspec.json.encode(manifest)
    _put_bytes(out, MANIFEST, told)
    _put_bytes(out, SEAL, digest(told).encode())
    for member, path in zip(manifest.members, files, strict=True):
        out.write(_header(member.name, member.bytes))
        with path.open("rb") as file:
            while block := file.read(_CHUNK):
                out.write(block)
        out.write(b"\0" * (-member.bytes % _BLOCK))
    out.write(b"\0" * (2 * _BLOCK))


def unpack(archive: Path, folder: Path) -> Manifest:
    """Puts the members into a fresh folder once each is what the manifest says; blocking.

    Raises:
        Misuse: It is no archive of ours, is damaged or too large, or a later version made it.
    """
    try:
        most = most_held(archive.stat().st_size)
        with gzip.open(archive, "rb") as file:
            return _unpacked(_Source(file), folder, most)
    except FileNotFoundError:
        raise Misuse(f"there is no file {str(archive)!r}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error, tarfile.HeaderError, UnicodeError) as broken:
        raise Misuse(f"{archive.name} is damaged, or no archive of Ouroboros: {broken}") from None


class _Source:
    """The bytes of the archive, counted so that none can grow beyond all measure."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file, self._left = file, LARGEST_BYTES + MANIFEST_BYTES

    def exactly(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise Misuse("the archive is larger than may be", hint="4 GiB is the most")
        found = self._file.read(size)
        if len(found) != size:
            raise Misuse("the archive is cut off")
        return found

    def chunks(self, size: int) -> Iterator[bytes]:
        while size:
            block = self.exactly(min(size, _CHUNK))
            size -= len(block)
            yield block

    def member(self) -> tuple[str, int]:
        """Name and size of the next file."""
        found = tarfile.TarInfo.frombuf(self.exactly(_BLOCK), "ascii", "strict")
        if not found.isreg() or found.size < 0:
            raise Misuse(f"{found.name[:80]!r} in the archive is no plain file")
        return found.name, found.size

    def pad(self, size: int) -> None:
        if self.exactly(-size % _BLOCK).strip(b"\0"):
            raise Misuse("the archive is damaged")

    def end(self) -> None:
        if self.exactly(2 * _BLOCK).strip(b"\0") or self._file.read(1):
            raise Misuse("the archive holds more than its manifest says")


def _unpacked(source: _Source, folder: Path, most: int) -> Manifest:
    told = _small(source, MANIFEST, MANIFEST_BYTES)
    if _small(source, SEAL, 64) != digest(told).encode():
        raise Misuse("the manifest of the archive was changed")
    manifest = _manifest(told)
    if any(member.bytes > most for member in manifest.members if member.name == SESSION):
        raise Misuse("the session in the archive is larger than may be")
    for member in manifest.members:
        name, size = source.member()
        if (name, size) != (member.name, member.bytes):
            raise Misuse(f"the archive has {name[:80]!r} where {member.name[:80]!r} should be")
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        found = sha256()
        with path.open("xb") as file:
            for block in source.chunks(size):
                found.update(block)
                file.write(block)
        source.pad(size)
        if found.hexdigest() != member.sha256:
            raise Misuse(f"{name} in the archive was changed")
    source.end()
    return manifest


class _Form(msgspec.Struct, frozen=True):
    format: int | str | None = None


def _manifest(told: bytes) -> Manifest:
    try:
        version = msgspec.json.decode(told, type=_Form).format
        if version != FORMAT:
            later = isinstance(version, int) and version > FORMAT
            said = "a later version of Ouroboros made it" if later else "its form is unknown"
            raise Misuse(f"this archive cannot be read: {said}", hint="update Ouroboros")
        manifest = msgspec.json.decode(told, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise Misuse(f"its manifest cannot be read: {broken}") from None
    names = [member.name for member in manifest.members]
    known = all(name in {SESSION, BUNDLE} or BLOB.fullmatch(name) for name in names)
    if not known or len({*names}) != len(names) or SESSION not in names:
        raise Misuse("its manifest names files that no archive has")
    if any(member.bytes < 0 for member in manifest.members):
        raise Misuse("its manifest cannot be true")
    if sum(member.bytes for member in manifest.members) > LARGEST_BYTES:
        raise Misuse("the archive is larger than may be", hint="4 GiB is the most")
    return manifest


def _small(source: _Source, name: str, most: int) -> bytes:
    found, size = source.member()
    if found != name or size > most:
        raise Misuse("this is no archive of Ouroboros", hint="`ouro teleport export` makes one")
    data = source.exactly(size)
    source.pad(size)
    return data


def _put_bytes(out: BinaryIO | gzip.GzipFile, name: str, data: bytes) -> None:
    out.write(_header(name, len(data)))
    out.write(data + b"\0" * (-len(data) % _BLOCK))


def _header(name: str, size: int) -> bytes:
    held = tarfile.TarInfo(name)
    held.size, held.mode = size, 0o600
    return held.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")
