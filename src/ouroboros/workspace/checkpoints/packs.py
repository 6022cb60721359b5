"""Git's pack files: many objects in one file with an index beside it. Source: gitformat-pack(5)."""

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedRandom
from pathlib import Path
from typing import NamedTuple

from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.checkpoints.objects import NAME_BYTES, Kind

_KINDS: dict[Kind, int] = {"commit": 1, "tree": 2, "blob": 3}
_NAMES: dict[int, Kind] = {number: kind for kind, number in _KINDS.items()}
_OFFSET_DELTA, _NAMED_DELTA = 6, 7
_TABLE = struct.Struct(">256I")
_MAGIC = b"\377tOc\0\0\0\2"
_LARGE = 0x80000000
_QUICK_BYTES = 262_144
_PIECE = 1_048_576

type Find = Callable[[bytes], tuple[Kind, bytes]]


class _Written(NamedTuple):
    sha: bytes
    crc: int
    offset: int


class PackWriter:
    """One new pack; nothing is seen of it before ``finish``."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is ``objects/pack``; the file is made with the first object, and has its ``name`` at the end."""
        self._folder = folder
        self._file: BufferedRandom | None = None
        self._path = folder / f"tmp_{os.urandom(8).hex()}"
        self._written: dict[bytes, _Written] = {}
        self._size = 12
        self.name = ""

    def __contains__(self, sha: bytes) -> bool:
        """Whether it is in here already."""
        return sha in self._written

    def __len__(self) -> int:
        """How many objects there are."""
        return len(self._written)

    def add(self, kind: Kind, sha: bytes, data: bytes) -> None:
        """Puts an object in; raises ``OSError`` when there is no room."""
        if self._file is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._file = os.fdopen(os.open(self._path, flags, 0o600), "w+b")
            self._file.write(b"PACK\0\0\0\2\0\0\0\0")
        level = 6 if len(data) < _QUICK_BYTES else 1
        whole = _head(_KINDS[kind], len(data)) + zlib.compress(data, level)
        self._file.write(whole)
        self._written[sha] = _Written(sha, zlib.crc32(whole), self._size)
        self._size += len(whole)

    def finish(self) -> int:
        """Makes the pack durable and seen; the bytes that it takes.

        Raises:
            OSError: The disk refused; then there is no pack.
        """
        if self._file is None:
            return 0
        try:
            with self._file as file:
                digest = self._sealed(file)
                file.flush()
                os.fsync(file.fileno())
            table = _table(list(self._written.values()), digest)
            self.name = f"pack-{digest.hex()}.pack"
            target = self._folder / self.name
            beside = self._folder / f"tmp_{os.urandom(8).hex()}"
            put_whole(target.with_suffix(".idx"), table, beside)
            self._path.rename(target)
            sync_folder(self._folder)
        except OSError:
            self.discard()
            raise
        return self._size + NAME_BYTES + len(table)

    def discard(self) -> None:
        """Leaves nothing behind."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _sealed(self, file: BufferedRandom) -> bytes:
        from hashlib import sha1

        file.seek(8)
        file.write(struct.pack(">I", len(self._written)))
        file.seek(0)
        digest = sha1(usedforsecurity=False)
        while piece := file.read(_PIECE):
            digest.update(piece)
        file.seek(0, os.SEEK_END)
        file.write(digest.digest())
        return digest.digest()


def _head(kind: int, size: int) -> bytes:
    first, size = (kind << 4) | (size & 15), size >> 4
    found = bytearray()
    while size:
        found.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    found.append(first)
    return bytes(found)


def _table(written: list[_Written], pack: bytes) -> bytes:
    """The index of a pack, version 2."""
    from hashlib import sha1

    written.sort()
    fan = [0] * 256
    for each in written:
        fan[each.sha[0]] += 1
    for place in range(1, 256):
        fan[place] += fan[place - 1]
    far = [each.offset for each in written if each.offset >= _LARGE]
    near = (
        each.offset if each.offset < _LARGE else _LARGE | far.index(each.offset) for each in written
    )
    count = len(written)
    body = b"".join((
        _MAGIC,
        _TABLE.pack(*fan),
        *(each.sha for each in written),
        struct.pack(f">{count}I", *(each.crc for each in written)),
        struct.pack(f">{count}I", *near),
        struct.pack(f">{len(far)}Q", *far),
        pack,
    ))
    return body + sha1(body, usedforsecurity=False).digest()


class Pack:
    """A finished pack, also one that Git made; raises ``ValueError`` where it is damaged."""

    def __init__(self, path: Path) -> None:
        """``path`` is that of the pack; its index lies beside it.

        Raises:
            OSError: One of the two cannot be read.
        """
        self.path = path
        self._index = _mapped(path.with_suffix(".idx"))
        self._pack = _mapped(path)
        self._names = 8 + _TABLE.size
        is_whole = len(self._index) > self._names and len(self._pack) > NAME_BYTES
        if not is_whole or self._index[:8] != _MAGIC or self._pack[:4] != b"PACK":
            raise ValueError(f"{path.name} is no pack that can be read")
        self._fan: tuple[int, ...] = _TABLE.unpack_from(self._index, 8)
        self._count = self._fan[255]
        if len(self._index) < self._names + self._count * 28 + 40:
            raise ValueError(f"the index of {path.name} is cut off")

    def __len__(self) -> int:
        """How many objects it has."""
        return self._count

    def close(self) -> None:
        """Lets go of both files."""
        self._index.close()
        self._pack.close()

    def names(self) -> Iterator[bytes]:
        """The names of all of them."""
        end = self._names + self._count * NAME_BYTES
        for at in range(self._names, end, NAME_BYTES):
            yield self._index[at : at + NAME_BYTES]

    def place(self, sha: bytes) -> int | None:
        """Where an object begins; None when it is not in here."""
        low = self._fan[sha[0] - 1] if sha[0] else 0
        high = self._fan[sha[0]]
        while low < high:
            middle = (low + high) // 2
            at = self._names + middle * NAME_BYTES
            found = self._index[at : at + NAME_BYTES]
            if found == sha:
                return self._offset(middle)
            low, high = (middle + 1, high) if found < sha else (low, middle)
        return None

    def read(self, offset: int, find: Find) -> tuple[Kind, bytes]:
        """The object at a place; ``find`` gets those that a delta builds on."""
        try:
            return self._read(offset, find)
        except (zlib.error, IndexError, struct.error, RecursionError) as broken:
            raise ValueError(f"{self.path.name} is damaged at {offset}: {broken}") from broken

    def _read(self, offset: int, find: Find) -> tuple[Kind, bytes]:
        number, size, at = self._header(offset)
        if number in _NAMES:
            return _NAMES[number], self._inflated(at, size)
        if number == _NAMED_DELTA:
            kind, below = find(self._pack[at : at + NAME_BYTES])
            return kind, _applied(below, self._inflated(at + NAME_BYTES, size))
        if number != _OFFSET_DELTA:
            raise ValueError(f"{self.path.name} has an object of unknown kind {number}")
        byte = self._pack[at]
        back, at = byte & 0x7F, at + 1
        while byte & 0x80:
            byte = self._pack[at]
            back, at = ((back + 1) << 7) | (byte & 0x7F), at + 1
        kind, below = self._read(offset - back, find)
        return kind, _applied(below, self._inflated(at, size))

    def _header(self, at: int) -> tuple[int, int, int]:
        byte = self._pack[at]
        number, size, shift, at = (byte >> 4) & 7, byte & 15, 4, at + 1
        while byte & 0x80:
            byte = self._pack[at]
            size |= (byte & 0x7F) << shift
            shift, at = shift + 7, at + 1
        return number, size, at

    def _inflated(self, at: int, size: int) -> bytes:
        machine = zlib.decompressobj()
        data = machine.decompress(self._pack[at : at + size + (size >> 9) + 64], size + 1)
        if len(data) != size:
            raise ValueError(f"{self.path.name} is damaged at {at}")
        return data

    def _offset(self, number: int) -> int:
        table = self._names + self._count * 24
        found = int.from_bytes(self._index[table + number * 4 : table + number * 4 + 4])
        if not found & _LARGE:
            return found
        far = table + self._count * 4 + (found & ~_LARGE) * 8
        return int.from_bytes(self._index[far : far + 8])


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _applied(below: bytes, delta: bytes) -> bytes:
    """What a delta makes of the object that it builds on."""
    at = 0
    for _ in range(2):  # both sizes, which the caller has checked or will
        while delta[at] & 0x80:
            at += 1
        at += 1
    parts: list[bytes] = []
    while at < len(delta):
        order, at = delta[at], at + 1
        if order & 0x80:
            number, length = 0, 0
            for bit in range(4):
                if order & (1 << bit):
                    number, at = number | (delta[at] << (8 * bit)), at + 1
            for bit in range(3):
                if order & (0x10 << bit):
                    length, at = length | (delta[at] << (8 * bit)), at + 1
            parts.append(below[number : number + (length or 0x10000)])
        else:
            parts.append(delta[at : at + order])
            at += order
    return b"".join(parts)
