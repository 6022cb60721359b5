"""Encrypted files for logins: AES-256-GCM, one file a name, nothing of it readable without the key.

The name is authenticated with the content, so one file cannot be put in another's place.
"""

import re
import secrets
from pathlib import Path
from typing import Protocol

import anyio.to_thread

from ouroboros.browser.errors import BrowserFailed
from ouroboros.safety.private_file import replacing

MAGIC = b"OUROVAULT1\n"
KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
MOST_BYTES = 64 * 1_048_576
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}")


class Keys(Protocol):
    """Where the key of the vault is kept: a keyring where there is one, else ``KeyFile``."""

    def key(self) -> bytes:
        """32 bytes, the same ones every time; made when there are none. Raises ``BrowserFailed``."""
        ...


class KeyFile:
    """The key in a file that only the person can read."""

    def __init__(self, path: Path) -> None:
        """The file is made with the first key."""
        self._path = path

    def key(self) -> bytes:
        """As ``Keys.key``."""
        try:
            if self._path.exists():
                if self._path.stat().st_mode & 0o077:
                    raise BrowserFailed(
                        f"{self._path} may be read by others", hint=f"chmod 600 {self._path}"
                    )
                key = self._path.read_bytes()
                if len(key) != KEY_BYTES:
                    raise BrowserFailed(f"{self._path} is not a key of the vault")
                return key
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            key = secrets.token_bytes(KEY_BYTES)
            with replacing(self._path) as file:
                file.write(key)
        except OSError as refused:
            raise BrowserFailed(f"no key at {self._path}: {refused.strerror}") from refused
        return key


class Vault:
    """The files below one folder."""

    def __init__(self, folder: Path, keys: Keys) -> None:
        """``folder`` is ``home/browser/vault``; made with the first file."""
        self._folder, self._keys = folder, keys

    async def put(self, name: str, content: bytes) -> None:
        """Keeps ``content`` under ``name``, in place of what was there.

        Raises:
            BrowserFailed: No such name, too large, or the disk does not take it.
        """
        path = self._path(name)
        if len(content) > MOST_BYTES:
            raise BrowserFailed(f"more than {MOST_BYTES:,} bytes for the vault")

        def write() -> None:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

            nonce = secrets.token_bytes(_NONCE_BYTES)
            sealed = AESGCM(self._keys.key()).encrypt(nonce, content, _bound(name))
            try:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                with replacing(path) as file:
                    file.write(MAGIC + nonce + sealed)
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
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

            try:
                whole = path.read_bytes()
            except OSError as missing:
                raise BrowserFailed(f"the vault has nothing called {name!r}") from missing
            start = len(MAGIC) + _NONCE_BYTES
            if not whole.startswith(MAGIC) or len(whole) < start + _TAG_BYTES:
                raise BrowserFailed(f"{path} is no whole file of the vault")
            nonce, sealed = whole[len(MAGIC) : start], whole[start:]
            try:
                return AESGCM(self._keys.key()).decrypt(nonce, sealed, _bound(name))
            except InvalidTag as wrong:
                raise BrowserFailed(
                    f"{name!r} cannot be opened: it was changed, or the key is another one"
                ) from wrong

        return await anyio.to_thread.run_sync(read)

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


def _bound(name: str) -> bytes:
    return MAGIC + name.encode()
