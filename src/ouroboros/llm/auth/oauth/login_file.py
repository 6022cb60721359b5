"""What is kept of a login: one sealed file, changed at once or not at all, by one process at a time.

Files of earlier versions are plain JSON under the same name; they are read, and sealed when they are
next written.
"""

import errno
import fcntl
import os
from pathlib import Path
from typing import Self

import anyio
import msgspec
from anyio import to_thread

from ouroboros.core.errors import ConfigBroken, Failure, ModelFailed, StoreFailed, StoreFull
from ouroboros.llm.auth.oauth.messages import Tokens
from ouroboros.llm.auth.plan import SecretStore
from ouroboros.llm.fields import UNREADABLE
from ouroboros.safety.sealed import Sealer, is_sealed

LOCK_SECONDS = 20.0
"""Longer than any renewal of another process takes."""

ROOM_BYTES = 32_768
"""Reserved before tokens are asked for, so that a full disk cannot lose them."""

_POLL_SECONDS = 0.02


class LoginFile:
    """``home/auth/NAME.json``; nothing is touched before it is asked for."""

    def __init__(
        self,
        home: Path,
        name: str,
        *,
        store: SecretStore = "auto",
        sealer: Sealer | None = None,
    ) -> None:
        """Any ``name`` is safe: what a file name cannot hold is spelled out.

        ``store`` is the form of what is written; every form is read.
        """
        from urllib.parse import quote

        self._name = name
        self._is_plain = store == "plain"
        self._sealer = sealer or Sealer(home, uses_keyring=store == "auto")
        safe = quote(name, safe="").replace(".", "%2E")
        self._folder = home / "auth"
        self.path = self._folder / f"{safe}.json"
        self._lock = self._folder / f"{safe}.lock"
        self._new = self._folder / f"{safe}.new"

    async def read(self) -> Tokens | None:
        """What is kept, None if nothing is; raises ``ConfigBroken`` for what must not be used."""
        return await to_thread.run_sync(self._read)

    async def hold(self) -> "Held":
        """The right to change it, which the kernel takes back from a process that dies.

        Raises:
            ModelFailed: Another process held it for ``LOCK_SECONDS``.
            StoreFailed: The folder cannot be written.
        """
        descriptor = await to_thread.run_sync(self._opened)
        try:
            with anyio.fail_after(LOCK_SECONDS):
                while True:
                    if _taken(descriptor):
                        return Held(self.path, self._new, descriptor, self._writer)
                    await anyio.sleep(_POLL_SECONDS)
        except TimeoutError as error:
            os.close(descriptor)
            raise _busy() from error
        except OSError as error:  # a file system that knows no locks
            os.close(descriptor)
            raise _unkept(self._lock, error) from error
        except BaseException:
            os.close(descriptor)
            raise

    @property
    def _writer(self) -> Sealer | None:
        return None if self._is_plain else self._sealer

    def _read(self) -> Tokens | None:
        try:
            with self.path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                content = file.read(1_048_576)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ConfigBroken(
                f"The login in {self.path} cannot be read: {error.strerror}.",
                hint="Check its owner and mode.",
            ) from error
        if mode & 0o077:
            raise ConfigBroken(
                f"{self.path} can be read by other users, so the login in it is not used.",
                hint=f"chmod 600 {self.path}",
            )
        hint = f"Log in again: ouro providers login {self._name}"
        if is_sealed(content):
            content = self._sealer.open(_bound(self.path), content, self.path, hint=hint)
        try:
            return msgspec.json.decode(content, type=Tokens)
        except UNREADABLE as error:
            raise ConfigBroken(f"{self.path} holds no login.", hint=hint) from error

    def _opened(self) -> int:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unkept(self._lock, error) from error


class Held:
    """A login that nobody else changes until the end of an ``async with`` block."""

    def __init__(self, path: Path, new: Path, descriptor: int, sealer: Sealer | None) -> None:
        """Made by ``LoginFile.hold``; without a sealer plain text is written."""
        self._sealer = sealer
        self._path = path
        self._new = new
        self._descriptor = descriptor

    async def __aenter__(self) -> Self:
        """Held already."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Lets the others go on, and gives reserved room back."""
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(_unlinked, self._new)
        os.close(self._descriptor)

    async def reserve(self) -> None:
        """Makes room on the disk, and a key, for what is to be written.

        Raises:
            StoreFull: There is no room.
            StoreFailed: The folder cannot be written, or the key must not be used.
        """
        await to_thread.run_sync(self._prepare)

    async def write(self, tokens: Tokens) -> None:
        """Replaces the file at once; raises ``StoreFull`` or ``StoreFailed``."""
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(self._write, msgspec.json.encode(tokens))

    async def remove(self) -> bool:
        """Deletes the file; False if there was none."""
        return await to_thread.run_sync(self._remove)

    def _prepare(self) -> None:
        if self._sealer is not None:
            try:
                self._sealer.prepare()
            except ConfigBroken as error:
                raise StoreFailed(error.message, hint=error.hint) from error
        self._fill(bytes(ROOM_BYTES))

    def _sealed(self, content: bytes) -> bytes:
        if self._sealer is None:
            return content
        try:
            return self._sealer.seal(_bound(self._path), content)
        except ConfigBroken as error:
            raise StoreFailed(error.message, hint=error.hint) from error

    def _fill(self, content: bytes) -> None:
        # Not truncated at first: the room that was reserved is written into.
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self._new, flags, 0o600)
            try:
                os.fchmod(descriptor, 0o600)
                written = 0
                while written < len(content):
                    written += os.write(descriptor, content[written:])
                os.ftruncate(descriptor, len(content))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise _unkept(self._path, error) from error

    def _write(self, content: bytes) -> None:
        self._fill(self._sealed(content))
        try:
            self._new.replace(self._path)
            _synced(self._path.parent)
        except OSError as error:
            raise _unkept(self._path, error) from error

    def _remove(self) -> bool:
        _unlinked(self._new)
        try:
            return _unlinked(self._path)
        except OSError as error:
            raise _unkept(self._path, error) from error


def _bound(path: Path) -> str:
    return f"auth/{path.name}"


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlinked(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def _synced(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _busy() -> ModelFailed:
    return ModelFailed(
        Failure(
            kind="timeout",
            message=f"Another process has been renewing the login for {LOCK_SECONDS:g} seconds.",
            retryable=True,
        )
    )


def _unkept(path: Path, error: OSError) -> StoreFailed:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(
            f"There is no room on the disk for the login in {path}.", hint="Free some space there."
        )
    return StoreFailed(
        f"The login cannot be kept in {path}: {error.strerror}.",
        hint="Check the folder's owner and mode, or set OUROBOROS_HOME to a folder you may write.",
    )
