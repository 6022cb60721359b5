"""Checkpoints as a Git bundle of version 2, written and read without Git."""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha1
from pathlib import Path

from ouroboros.core.errors import Misuse
from ouroboros.workspace.checkpoints.objects import Kind, name_of

_HEADER = b"# v2 git bundle\n"
_KINDS: dict[int, Kind] = {1: "commit", 2: "tree", 3: "blob"}
_LARGEST_TREE = 33_554_432
_MOST_CHECKPOINTS = 100_000


def written(target: Path, pack: Path, checkpoints: Sequence[str]) -> None:
    """Puts a finished pack behind the head that names its commits; blocking."""
    lines = [
        f"{checkpoint} refs/checkpoints/{number:08d}\n"
        for number, checkpoint in enumerate(checkpoints, 1)
    ]
    with target.open("xb") as file, pack.open("rb") as packed:
        file.write(_HEADER + "".join(lines).encode("ascii") + b"\n")
        while block := packed.read(1 << 20):
            file.write(block)


def heads(path: Path) -> tuple[list[str], int]:
    """The commits that a bundle names, the oldest first, and where its pack begins.

    Raises:
        Misuse: It is no bundle of checkpoints.
    """
    with path.open("rb") as file:
        if file.readline(64) != _HEADER:
            raise Misuse("its checkpoints are no bundle of Git, version 2")
        found: list[str] = []
        while (line := file.readline(200)) != b"\n":
            sha, _, name = line.decode("ascii", "replace").rstrip("\n").partition(" ")
            if len(sha) != 40 or not name.startswith("refs/checkpoints/"):
                raise Misuse("its bundle names something other than checkpoints")
            if len(found) == _MOST_CHECKPOINTS:
                raise Misuse("its bundle names more checkpoints than may be")
            found.append(sha)
        return found, file.tell()


def objects(path: Path, start: int, most: int, largest: int) -> Iterator[tuple[Kind, bytes, bytes]]:
    """Kind, name and content of each object; blocking.

    Raises:
        Misuse: The pack is damaged, was made by another program, or unpacks to more than ``most``,
            or an object of it to more than ``largest``.
    """
    with path.open("rb") as file:
        file.seek(start)
        reader = _Reader(file.read)
        magic, version, count = struct.unpack(">4sII", reader.exactly(12))
        if magic != b"PACK" or version != 2:
            raise Misuse("its bundle holds no pack")
        for _ in range(count):
            kind, data = reader.object(min(most, largest))
            most -= len(data)
            yield kind, name_of(kind, data), data
        digest = reader.digest()
        if reader.exactly(20) != digest or reader.rest():
            raise Misuse("its pack is damaged")


class _Reader:
    """Reads a pack from its beginning to its end, never more than it needs at once."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read, self._hash = read, sha1(usedforsecurity=False)
        self._ahead = b""

    def exactly(self, size: int) -> bytes:
        while len(self._ahead) < size:
            block = self._read(1 << 16)
            if not block:
                raise Misuse("its pack is cut off")
            self._ahead += block
        found, self._ahead = self._ahead[:size], self._ahead[size:]
        self._hash.update(found)
        return found

    def digest(self) -> bytes:
        return self._hash.digest()

    def rest(self) -> bytes:
        return self._ahead or self._read(1)

    def object(self, most: int) -> tuple[Kind, bytes]:
        first = self.exactly(1)[0]
        size, shift, more = first & 15, 4, first & 0x80
        while more:
            byte = self.exactly(1)[0]
            size |= (byte & 0x7F) << shift
            shift, more = shift + 7, byte & 0x80
            if shift > 70:
                raise Misuse("its pack is damaged")
        kind = _KINDS.get(first >> 4 & 7)
        if kind is None:
            raise Misuse("its pack was made by another program", hint="make it with ouro teleport")
        if size > (most if kind == "blob" else min(most, _LARGEST_TREE)):
            raise Misuse("it unpacks to more than may be")
        return kind, self._inflated(size)

    def _inflated(self, size: int) -> bytes:
        unpacker = zlib.decompressobj()
        data = bytearray()
        try:
            while not unpacker.eof:
                if not self._ahead:
                    self._ahead = self._read(1 << 16)
                    if not self._ahead:
                        raise Misuse("its pack is cut off")
                block, self._ahead = self._ahead, b""
                data += unpacker.decompress(block, size - len(data) + 1)
                held = unpacker.unconsumed_tail or unpacker.unused_data
                self._hash.update(block[: len(block) - len(held)])
                self._ahead = held
                if len(data) > size:
                    raise Misuse("its pack is damaged")
        except zlib.error:
            raise Misuse("its pack is damaged") from None
        if len(data) != size:
            raise Misuse("its pack is damaged")
        return bytes(data)
