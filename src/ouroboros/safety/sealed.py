"""Content that only this user on this machine can open: AES-256-GCM under a master key.

The master key lies in the system's keyring where one answers. Elsewhere it is derived from a random
key file in the home folder, the id of the machine and the number of the user, so a copy of the home
folder (a backup, a synchronised folder, a stolen disk image without ``/etc``) opens nothing.

This does not protect from a program that runs as the same user on the same machine: it can read what
the key is derived from, and can ask an unlocked keyring. Nor does it protect from the administrator,
or from who holds the whole disk where no keyring is. Where the machine has no readable id (macOS, some
containers), only the key file and the user's number are left, so a copied home folder can be opened:
use a keyring there.
"""

import os
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from ouroboros.core.errors import ConfigBroken, StoreFailed
from ouroboros.safety.keychain import Keychain
from ouroboros.safety.private_file import replacing

MAGIC = b"OUROSEALED1\n"
KEY_BYTES = 32
KEY_FILE = "seal.key"
LOCK_FILE = "seal.lock"
IN_KEYRING = "master key of sealed files"
"""Under which name the keyring keeps the master key; one key serves all home folders of a user."""

_NONCE_BYTES = 12
_TAG_BYTES = 16
_ID_BYTES = 8
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid")

type KeyOrigin = Literal[b"K", b"M"]


class MasterKey(NamedTuple):
    """A key and where it is had: from the keyring (``K``) or from file and machine (``M``)."""

    origin: KeyOrigin
    value: bytes

    @property
    def id(self) -> bytes:
        """Tells keys apart and says nothing of them."""
        import hashlib

        return hashlib.sha256(b"ouroboros key id\n" + self.value).digest()[:_ID_BYTES]


def machine_id() -> bytes:
    """What tells this machine from others; empty where it cannot be read."""
    for name in _MACHINE_IDS:
        try:
            if found := Path(name).read_bytes().strip():
                return found
        except OSError:
            continue
    return b""


def is_sealed(content: bytes) -> bool:
    """Whether it looks like the content of a sealed file."""
    return content.startswith(MAGIC)


def is_of_keyring(content: bytes) -> bool:
    """Whether a sealed file's key is one of the keyring."""
    return content.startswith(MAGIC + b"K")


def encrypt(key: bytes, content: bytes, bound: bytes) -> bytes:
    """A fresh nonce and the encrypted content; ``bound`` must be the same to decrypt it."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, content, bound)


def decrypt(key: bytes, box: bytes, bound: bytes) -> bytes | None:
    """What ``encrypt`` was given; None if it was changed or cut, or key or ``bound`` are others."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(box) < _NONCE_BYTES + _TAG_BYTES:
        return None
    try:
        return AESGCM(key).decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], bound)
    except InvalidTag:
        return None


def key_of_file(path: Path) -> bytes | None:
    """The 32 bytes of a key file, None if there is none; raises ``ConfigBroken``."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            key = file.read(KEY_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigBroken(
            f"{path} cannot be read: {error.strerror}", hint="check its owner and mode"
        ) from error
    if mode & 0o077:
        raise ConfigBroken(
            f"{path} can be read by other users, so it is not used", hint=f"chmod 600 {path}"
        )
    if len(key) != KEY_BYTES:
        raise ConfigBroken(
            f"{path} is not a key of {KEY_BYTES} bytes",
            hint="bring it back from a backup, or remove it and log in again",
        )
    return key


class Sealer:
    """Seals and opens content under the master key of a home folder; blocking."""

    def __init__(
        self,
        home: Path,
        *,
        keychain: Keychain | None = None,
        machine: Callable[[], bytes] = machine_id,
        uses_keyring: bool = True,
    ) -> None:
        """Nothing is read or asked yet.

        Args:
            home: Where the key file lies, or will lie.
            keychain: The system's keyring.
            machine: Tells this machine from others.
            uses_keyring: New content may be sealed under a key of the keyring; what was sealed so
                is opened in any case.
        """
        self._home = home
        self.keychain = keychain or Keychain()
        self._machine = machine
        self._uses_keyring = uses_keyring
        self._known: dict[KeyOrigin, MasterKey] = {}

    def prepare(self) -> MasterKey:
        """The key that new content is sealed under; made if there is none.

        Raises:
            ConfigBroken: The key file must not be used.
            StoreFailed: It cannot be written.
        """
        if self._uses_keyring:
            if known := self._known.get(b"K") or self._from_keyring():
                return known
            if made := self._made_in_keyring():
                return made
        return self._known.get(b"M") or self._from_file() or self._made_in_file()

    def seal(self, name: str, content: bytes) -> bytes:
        """The content for a file called ``name``; raises as ``prepare``."""
        key = self.prepare()
        header = MAGIC + key.origin + key.id
        return header + encrypt(key.value, content, header + name.encode())

    def open(self, name: str, sealed: bytes, place: Path, *, hint: str) -> bytes:
        """What was sealed as ``name``.

        Args:
            name: As it was sealed; another one opens nothing.
            sealed: The whole file.
            place: The file, for messages.
            hint: What the person can do where it cannot be opened.

        Raises:
            ConfigBroken: It was changed or cut, or its key is not here.
        """
        at = len(MAGIC)
        origin, key_id = sealed[at : at + 1], sealed[at + 1 : at + 1 + _ID_BYTES]
        box = sealed[at + 1 + _ID_BYTES :]
        if not is_sealed(sealed) or len(box) < _NONCE_BYTES + _TAG_BYTES:
            raise ConfigBroken(f"{place} is no whole sealed file", hint=hint)
        if origin == b"K":
            key = self._known.get(b"K") or self._from_keyring()
            lacking = "the system's keyring, which does not answer or has no such key"
        elif origin == b"M":
            key = self._known.get(b"M") or self._from_file()
            lacking = f"{self._home / KEY_FILE}, which is missing"
        else:
            raise ConfigBroken(f"{place} is no whole sealed file", hint=hint)
        if key is None:
            raise ConfigBroken(f"{place} is sealed with a key of {lacking}", hint=hint)
        if key.id != key_id:
            raise ConfigBroken(
                f"{place} is sealed with another key: on another machine, or by another user",
                hint=hint,
            )
        header = MAGIC + key.origin + key.id
        content = decrypt(key.value, box, header + name.encode())
        if content is None:
            raise ConfigBroken(f"{place} was changed or damaged", hint=hint)
        return content

    def _from_keyring(self) -> MasterKey | None:
        said = self.keychain.get(IN_KEYRING)
        return self._keyring_key(said) if said else None

    def _keyring_key(self, said: str) -> MasterKey | None:
        try:
            value = bytes.fromhex(said)
        except ValueError:
            return None
        if len(value) != KEY_BYTES:
            return None
        return self._known.setdefault(b"K", MasterKey(b"K", value))

    def _made_in_keyring(self) -> MasterKey | None:
        """A new key; None unless the keyring says that it has none and keeps what it is given."""
        with self._alone():
            said = self.keychain.look(IN_KEYRING)
            if said is None:
                return None
            if said:  # another process was quicker
                return self._keyring_key(said)
            new = secrets.token_hex(KEY_BYTES)
            return self._keyring_key(new) if self.keychain.put(IN_KEYRING, new) else None

    def _from_file(self) -> MasterKey | None:
        found = key_of_file(self._home / KEY_FILE)
        return self._derived(found) if found else None

    def _made_in_file(self) -> MasterKey:
        path = self._home / KEY_FILE
        with self._alone():
            if found := self._from_file():  # another process was quicker
                return found
            value = secrets.token_bytes(KEY_BYTES)
            try:
                with replacing(path) as file:
                    file.write(value)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise _unwritten(path, error) from error
            return self._derived(value)

    def _derived(self, value: bytes) -> MasterKey:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = f"ouroboros sealed files, user {os.getuid()}".encode()
        key = HKDF(SHA256(), KEY_BYTES, salt=self._machine(), info=info).derive(value)
        return self._known.setdefault(b"M", MasterKey(b"M", key))

    @contextmanager
    def _alone(self) -> Generator[None]:
        """One process at a time, so that two never make a key each."""
        import fcntl

        path = self._home / LOCK_FILE
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unwritten(path, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        except OSError as error:  # a file system that knows no locks
            raise _unwritten(path, error) from error
        finally:
            os.close(lock)


def _unwritten(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        f"{path} cannot be written: {error.strerror}",
        hint="check the folder's owner, mode and free space",
    )
