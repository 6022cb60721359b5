"""What an archive says of itself: the form of a teleport, version 1.

An archive is a gzipped tar of regular files in this order: ``manifest.json``, ``seal``,
``session.jsonl``, ``checkpoints.bundle`` where files were kept, and ``blobs/NAME`` for each whole
output. ``seal`` is the SHA-256 of the manifest, which has size and SHA-256 of every other member:
damage is found, but whoever makes an archive can seal anything, so nothing in it is trusted.
"""

import re
from hashlib import sha256

from msgspec import Struct

FORMAT = 1
ENDING = ".teleport"
"""How the name of an archive ends, unless the person gives it another."""

MANIFEST, SEAL, SESSION, BUNDLE = "manifest.json", "seal", "session.jsonl", "checkpoints.bundle"
BLOB = re.compile(r"blobs/[0-9a-f]{64}")
MANIFEST_BYTES = 16_777_216
LARGEST_BYTES = 4_294_967_296
"""All members together; a larger archive is refused before it fills a disk."""
_HELD_BYTES, _HELD_TIMES = 67_108_864, 32


class Member(Struct, frozen=True, kw_only=True):
    """One file of the archive."""

    name: str
    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True):
    """The first file of the archive.

    Attributes:
        product: The version of Ouroboros that made it.
        checkpoint: The files to lay out; empty where there are none.
        redacted: Files that had secrets in one of their states, which were taken out.
        left: Files that were not kept, and why.
    """

    format: int = FORMAT
    product: str = ""
    session: str
    title: str = ""
    cwd: str
    made: float
    members: tuple[Member, ...]
    checkpoint: str = ""
    redacted: tuple[str, ...] = ()
    left: dict[str, str] = {}


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return sha256(data).hexdigest()


def most_held(archive: int) -> int:
    """How large the session, or one file, may be in an archive of this size: it is in memory at once.

    What is honest is packed ten times at most; a thousand times makes a gigabyte of a megabyte.
    """
    return max(_HELD_BYTES, _HELD_TIMES * archive)
