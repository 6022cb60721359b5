"""Encrypted files for logins, one file a name, nothing of it readable without the key.

They are sealed as all secrets of the home folder are (``safety.sealed``). Files of earlier versions have
a key of their own beside the vault; they go on opening, and are sealed anew when they are written.
"""

import re
from pathlib import Path

import anyio.to_thread

from ouroboros.browser.errors import BrowserFailed
from ouroboros.core.errors import ConfigBroken, StoreFailed
from ouroboros.safety.private_file import replacing
from ouroboros.safety.sealed import Sealer, decrypt, key_of_file

OLD_MAGIC = b"OUROVAULT1\n"
MOST_BYTES = 64 * 1_048_576
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}")
_HINT = "remove it, and log in to the site again"


class Vault:
    """The files below one folder."""

    def __init__(self, folder: Path, sealer: Sealer, old_key: Path) -> None:
        """``folder`` is ``home/browser/vault``, made with the first file; ``old_key`` may be missing."""
        self._folder, self._sealer, self._old_key = folder, sealer, old_key

    async def put(self, name: str, content: bytes) -> None:
        """Keeps ``content`` under ``name``, in place of what was there.

        Raises:
            BrowserFailed: No such name, too large, or the disk does not take it.
        """
        path = self._path(name)
        if len(content) > MOST_BYTES:
            raise BrowserFailed(f"more than {MOST_BYTES:,} bytes for the vault")

        def write() -> None:
            try:
                sealed = self._sealer.seal(_bound(name), content)
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                with replacing(path) as file:
                    file.write(sealed)
            except (ConfigBroken, StoreFailed) as refused:
                raise BrowserFailed(refused.message, hint=refused.hint) from refused
            except OSError as full:
                raise BrowserFailed(
                    f"cannot write to the vault: {full.strerror}", hint="free some of the disk"
                ) from full

        await anyio.to_thread.run_sync(write)

    async def get(self, name: str) -> bytes:
        """What is kept under ``name``.

        Raises:
            BrowserFailed: There is nothing, it was changed or cut, or the key is another one.
        """
        path = self._path(name)

        def read() -> bytes:
            try:
                whole = path.read_bytes()
            except OSError as missing:
                raise BrowserFailed(f"the vault has nothing called {name!r}") from missing
            try:
                if whole.startswith(OLD_MAGIC):
                    return self._old(name, whole)
                return self._sealer.open(_bound(name), whole, path, hint=_HINT)
            except ConfigBroken as refused:
                raise BrowserFailed(refused.message, hint=refused.hint) from refused

        return await anyio.to_thread.run_sync(read)

    def _old(self, name: str, whole: bytes) -> bytes:
        key = key_of_file(self._old_key)
        if key is None:
            raise BrowserFailed(f"{name!r} cannot be opened: there is no {self._old_key}")
        content = decrypt(key, whole[len(OLD_MAGIC) :], OLD_MAGIC + name.encode())
        if content is None:
            raise BrowserFailed(
                f"{name!r} cannot be opened: it was changed, or the key is another one", hint=_HINT
            )
        return content

    async def names(self) -> tuple[str, ...]:
        """What is kept."""

        def read() -> tuple[str, ...]:
            if not self._folder.is_dir():
                return ()
            return tuple(sorted(p.name for p in self._folder.iterdir() if _NAME.fullmatch(p.name)))

        return await anyio.to_thread.run_sync(read)

    async def remove(self, name: str) -> None:
        """Forgets one; nothing happens when there is none."""
        path = self._path(name)
        await anyio.to_thread.run_sync(lambda: path.unlink(missing_ok=True))

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise BrowserFailed(f"not a name for the vault: {name[:80]!r}")
        return self._folder / name


def _bound(name: str) -> str:
    return f"vault/{name}"
