"""The files of a session: each under a safe name of its own, with its size and hash, told by an event."""

import hashlib
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import anyio.to_thread
from msgspec import Struct, structs

from ouroboros.browser.errors import BrowserFailed
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.events.envelope import Event

NAME_BYTES = 160
"""Of a file's name; file systems hold 255, and a number may come to it."""

_MOST_OF_A_NAME = 10_000
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]')


class Artifact(Struct, frozen=True, kw_only=True):
    """One kept file; ``path`` is absolute."""

    id: str
    kind: str
    name: str
    path: str
    bytes: int
    sha256: str
    mime: str = ""
    origin: str = ""


def safe_name(name: str, *, fallback: str = "file") -> str:
    """A plain file name out of what a server calls it: no folders, no tricks, not too long. Pure."""
    last = re.split(r"[/\\]", name)[-1]
    plain = _ODD.sub("_", unicodedata.normalize("NFC", last)).encode("utf-8", "replace").decode()
    plain = plain.strip(" .")
    if not plain:
        plain = fallback
    if _RESERVED.fullmatch(plain):
        plain = f"_{plain}"
    stem, dot, ending = plain.rpartition(".")
    if not stem or len(ending.encode()) > 16:
        stem, dot, ending = plain, "", ""
    room = NAME_BYTES - len((dot + ending).encode())
    return stem.encode()[:room].decode("utf-8", "ignore") + dot + ending


class Artifacts:
    """The folder of one session; made with its first file, readable by the person alone."""

    def __init__(self, folder: Path, publish: Callable[[Event], None]) -> None:
        """``folder`` is ``home/artifacts/SESSION``; nothing is made yet."""
        self.folder = folder
        self._publish = publish
        self._number = 0
        self._kept: dict[str, Artifact] = {}

    def all(self) -> tuple[Artifact, ...]:
        """What was kept by this run, oldest first."""
        return tuple(self._kept.values())

    def get(self, id: str) -> Artifact:
        """One of them, by id or by path.

        Raises:
            BrowserFailed: There is none.
        """
        for artifact in self._kept.values():
            if id in {artifact.id, artifact.path}:
                return artifact
        raise BrowserFailed(f"there is no artifact {id!r}")

    def prepare(self) -> Path:
        """Makes the folder; raises ``BrowserFailed`` when that cannot be done."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as full:
            raise _not_kept(self.folder, full) from full
        return self.folder

    async def keep(
        self, data: bytes, name: str, *, kind: str, mime: str = "", origin: str = ""
    ) -> Artifact:
        """Writes a file; it is there whole or not at all.

        Raises:
            BrowserFailed: The disk does not take it.
        """

        def write() -> _Written:
            part = self._part()
            try:
                with part.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                return self._named(part, name, len(data), hashlib.sha256(data).hexdigest())
            except BaseException:
                part.unlink(missing_ok=True)
                raise

        return await self._settled(write, kind, mime, origin)

    async def adopt(
        self, file: Path, name: str, *, kind: str, mime: str = "", origin: str = ""
    ) -> Artifact:
        """Takes over a file that somebody else has written, most often into this folder.

        Raises:
            BrowserFailed: It is not there, or the disk does not take it.
        """

        def take() -> _Written:
            part = file
            if file.parent != self.prepare():
                part = Path(shutil.move(file, self._part()))
            with part.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            return self._named(part, name, part.stat().st_size, digest)

        return await self._settled(take, kind, mime, origin)

    async def _settled(
        self, write: Callable[[], "_Written"], kind: str, mime: str, origin: str
    ) -> Artifact:
        try:
            written = await anyio.to_thread.run_sync(write)
        except OSError as full:
            raise _not_kept(self.folder, full) from full
        self._number += 1
        artifact = Artifact(
            id=f"artifact_{self._number}",
            kind=kind,
            name=written.path.name,
            path=str(written.path),
            bytes=written.bytes,
            sha256=written.sha256,
            mime=mime,
            origin=origin,
        )
        self._kept[artifact.id] = artifact
        self._publish(ArtifactKept(**structs.asdict(artifact)))
        return artifact

    def _part(self) -> Path:
        return self.prepare() / f".{secrets.token_hex(8)}.part"

    def _named(self, part: Path, name: str, size: int, digest: str) -> "_Written":
        """Gives ``part`` its name, with a number when there is one of that name already."""
        name = safe_name(name)
        stem, dot, ending = name.rpartition(".")
        if not stem:
            stem, dot, ending = name, "", ""
        part.chmod(0o600)
        for number in range(1, _MOST_OF_A_NAME):
            path = self.folder / (name if number == 1 else f"{stem} ({number}){dot}{ending}")
            try:
                path.touch(mode=0o600, exist_ok=False)
            except FileExistsError:
                continue
            part.replace(path)
            return _Written(path=path, bytes=size, sha256=digest)
        raise OSError(f"there are too many files called {name!r}")


class _Written(Struct, frozen=True, kw_only=True):
    path: Path
    bytes: int
    sha256: str


def _not_kept(folder: Path, reason: OSError) -> BrowserFailed:
    return BrowserFailed(
        f"cannot keep a file in {folder}: {reason.strerror or reason}", hint="free some of the disk"
    )
