"""Credentials: the environment, a trusted project's ``.env``, the keyring, then a private file.

Values are handed to the provider that needs them and to nothing else; nothing here prints one.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, cast

from ouroboros.app.config.file import parse, read_bytes, write
from ouroboros.core.errors import ConfigBroken, Misuse, StoreFailed
from ouroboros.safety.keychain import Keychain

type KeySource = Literal["environment", ".env", "keyring", "keys.toml"]


class Key(NamedTuple):
    """A credential and where it was found."""

    value: str
    source: KeySource


class Keys:
    """Looks credentials up by the name of their environment variable."""

    def __init__(
        self, environment: Mapping[str, str], dotenv: Mapping[str, str], home: Path
    ) -> None:
        """``dotenv`` is empty unless the project is trusted; nothing is read yet."""
        self._environment = environment
        self._dotenv = dotenv
        self._home = home
        self._keychain = Keychain()
        self._stored: dict[str, str] | None = None

    def find(self, name: str) -> Key | None:
        """The credential, or None; raises ``ConfigBroken`` if the key file must not be used."""
        if value := self._environment.get(name):
            return Key(value, "environment")
        if value := self._dotenv.get(name):
            return Key(value, ".env")
        if value := self._keychain.get(name):
            return Key(value, "keyring")
        if self._stored is None:
            self._stored = stored(self._home)
        if value := self._stored.get(name):
            return Key(value, "keys.toml")
        return None

    def with_keys(self, names: Iterable[str]) -> dict[str, str]:
        """The environment, with those of the named credentials that could be found."""
        joined = dict(self._environment)
        for name in names:
            if found := self.find(name):
                joined[name] = found.value
        return joined


def key_file(home: Path) -> Path:
    """The file of last resort."""
    return home / "keys.toml"


def stored(home: Path) -> dict[str, str]:
    """What the key file holds; raises ``ConfigBroken`` if others could read it."""
    path = key_file(home)
    content = read_bytes(path)
    if content is None:
        return {}
    if path.stat().st_mode & 0o077:
        raise ConfigBroken(
            f"{path} can be read by other users, so its keys are not used",
            hint=f"chmod 600 {path}",
        )
    table = parse(path, content)
    for name, value in table.items():
        if not isinstance(value, str):
            raise ConfigBroken(f"{path}: {name} is not text", hint=f'{name} = "…"')
    return cast("dict[str, str]", table)


def keep(home: Path, name: str, value: str) -> KeySource:
    """Keeps a credential in the keyring if there is one, else in the key file; says where.

    Raises:
        Misuse: What cannot be a key, or the name of one.
        ConfigBroken: The key file must not be used.
        StoreFailed: It cannot be written.
    """
    _check(name, value)
    if not Keychain().put(name, value):
        store(home, name, value)
        return "keys.toml"
    if name in stored(home):
        _change(home, name, None)
    return "keyring"


def named(place: KeySource, home: Path) -> str:
    """A place where keys are kept, in words."""
    return str(key_file(home)) if place == "keys.toml" else f"the {place}"


def forget(home: Path, name: str) -> tuple[KeySource, ...]:
    """Removes a credential wherever it is kept; says where that was. Raises as ``keep``."""
    found: list[KeySource] = ["keyring"] if Keychain().remove(name) else []
    if name in stored(home):
        _change(home, name, None)
        found.append("keys.toml")
    return tuple(found)


def store(home: Path, name: str, value: str) -> None:
    """Keeps a credential in the key file; raises ``Misuse`` for what cannot be one."""
    _check(name, value)
    _change(home, name, value)


def _check(name: str, value: str) -> None:
    if not name.isascii() or not name.isidentifier():
        raise Misuse(f"{name!r} is not the name of a variable", hint="such as OPENAI_API_KEY")
    if not value:
        raise Misuse(f"no key was given for {name}", hint="type it, or pipe it in as one line")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise Misuse(f"that is not a key for {name}", hint="a key is one line without spaces")


def _change(home: Path, name: str, value: str | None) -> None:
    """Sets or removes one key of the file; one process at a time, so that none is lost."""
    with _alone(home):
        known = {**stored(home), name: value}
        from tomlkit import comment, document, dumps

        lines = document()
        lines.add(comment("Keys of model providers; `ouro providers login` writes this file."))
        for each, secret in sorted(known.items()):
            if secret is not None:
                lines[each] = secret
        write(key_file(home), dumps(lines))


@contextmanager
def _alone(home: Path) -> Generator[None]:
    import fcntl
    import os

    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(home / "keys.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreFailed(
            f"{home} cannot be written: {error.strerror}",
            hint="check the folder's owner, mode and free space",
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in home.glob(f".{key_file(home).name}.*"):  # by a process that was killed
            left.unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)
