"""Credentials: the environment, a trusted project's ``.env``, the keyring, then private files.

A key that a person types goes into the keyring, else into a sealed file; ``secrets.store`` says otherwise.
Values are handed to the provider that needs them and to nothing else; nothing here prints one.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from ouroboros.app.config.file import parse, read_bytes, write, write_bytes
from ouroboros.core.errors import ConfigBroken, Misuse, StoreFailed
from ouroboros.llm.auth.plan import SecretStore
from ouroboros.safety.keychain import Keychain

if TYPE_CHECKING:
    from ouroboros.safety.sealed import Sealer

type KeySource = Literal["environment", ".env", "keyring", "keys.sealed", "keys.toml"]


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
        self._sealed: dict[str, str] | None = None
        self._stored: dict[str, str] | None = None

    def find(self, name: str) -> Key | None:
        """The credential, or None; raises ``ConfigBroken`` if a key file must not or cannot be used."""
        if value := self._environment.get(name):
            return Key(value, "environment")
        if value := self._dotenv.get(name):
            return Key(value, ".env")
        if value := self._keychain.get(name):
            return Key(value, "keyring")
        broken: ConfigBroken | None = None
        try:
            if value := self._of_sealed().get(name):
                return Key(value, "keys.sealed")
        except ConfigBroken as error:
            broken = error  # told only where no other place has the key
        if value := self._of_stored().get(name):
            return Key(value, "keys.toml")
        if broken is not None:
            raise broken
        return None

    def names(self) -> tuple[str, ...]:
        """The credentials of the key files; raises as ``find``."""
        return tuple({**self._of_sealed(), **self._of_stored()})

    def _of_sealed(self) -> dict[str, str]:
        if self._sealed is None:
            self._sealed = sealed(self._home, self._keychain)
        return self._sealed

    def _of_stored(self) -> dict[str, str]:
        if self._stored is None:
            self._stored = stored(self._home)
        return self._stored

    def with_keys(self, names: Iterable[str]) -> dict[str, str]:
        """The environment, with those of the named credentials that could be found."""
        joined = dict(self._environment)
        for name in names:
            if found := self.find(name):
                joined[name] = found.value
        return joined


def key_file(home: Path) -> Path:
    """The file of plain text."""
    return home / "keys.toml"


def sealed_file(home: Path) -> Path:
    """The file where there is no keyring."""
    return home / "keys.sealed"


def sealed(home: Path, keychain: Keychain | None = None) -> dict[str, str]:
    """What the sealed file holds; raises ``ConfigBroken`` if it cannot be opened here."""
    path = sealed_file(home)
    content = read_bytes(path)
    if content is None:
        return {}
    from msgspec import DecodeError, json

    hint = f"move {path} away, and log in again: ouro providers login NAME"
    opened = _sealer(home, keychain).open(path.name, content, path, hint=hint)
    try:
        return json.decode(opened, type=dict[str, str])
    except DecodeError as error:
        raise ConfigBroken(f"{path} holds no keys", hint=hint) from error


def stored(home: Path) -> dict[str, str]:
    """What the plain key file holds; raises ``ConfigBroken`` if others could read it."""
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


def keep(home: Path, name: str, value: str, *, where: SecretStore = "auto") -> KeySource:
    """Keeps a credential where ``secrets.store`` says, and nowhere else; says where that is.

    Raises:
        Misuse: What cannot be a key, or the name of one.
        ConfigBroken: A key file must not be used, or cannot be opened.
        StoreFailed: It cannot be written.
    """
    _check(name, value)
    keychain = Keychain()
    if where == "auto" and keychain.put(name, value):
        _drop(home, name, keychain)
        return "keyring"
    if where == "plain":
        _change(home, name, value)
        _drop(home, name, keychain, but="keys.toml")
        place: KeySource = "keys.toml"
    else:
        _seal(home, name, value, _sealer(home, keychain, uses_keyring=where == "auto"))
        _drop(home, name, keychain, but="keys.sealed")
        place = "keys.sealed"
    # It would be found before what was just kept.
    keychain.remove(name)
    return place


def named(place: KeySource, home: Path) -> str:
    """A place where keys are kept, in words."""
    return str(home / place) if place in {"keys.sealed", "keys.toml"} else f"the {place}"


def kept_in(place: KeySource, home: Path) -> str:
    """As ``named``, for a key that was just kept there: plain text is called so."""
    plain = " as plain text, as secrets.store says" if place == "keys.toml" else ""
    return f"{named(place, home)}{plain}"


def forget(home: Path, name: str) -> tuple[KeySource, ...]:
    """Removes a credential wherever it is kept; says where that was. Raises as ``keep``."""
    keychain = Keychain()
    found: list[KeySource] = ["keyring"] if keychain.remove(name) else []
    found += _drop(home, name, keychain)
    if not found:
        sealed(home, keychain)  # one that cannot be opened may hold it
    return tuple(found)


def _drop(
    home: Path, name: str, keychain: Keychain, *, but: KeySource | None = None
) -> tuple[KeySource, ...]:
    """Removes a credential from the key files, except one of them; says from which."""
    found: list[KeySource] = []
    # What cannot be opened keeps nobody from a key that is elsewhere.
    with suppress(ConfigBroken):
        if but != "keys.sealed" and name in sealed(home, keychain):
            is_of_keyring = _is_of_keyring(sealed_file(home))
            _seal(home, name, None, _sealer(home, keychain, uses_keyring=is_of_keyring))
            found.append("keys.sealed")
    if but != "keys.toml" and name in stored(home):
        _change(home, name, None)
        found.append("keys.toml")
    return tuple(found)


def _is_of_keyring(path: Path) -> bool:
    """Whether its key is in the keyring: what is left in it is sealed as it was."""
    from ouroboros.safety.sealed import is_of_keyring

    content = read_bytes(path)
    return content is not None and is_of_keyring(content)


def _sealer(home: Path, keychain: Keychain | None, *, uses_keyring: bool = False) -> "Sealer":
    from ouroboros.safety.sealed import Sealer

    return Sealer(home, keychain=keychain, uses_keyring=uses_keyring)


def _seal(home: Path, name: str, value: str | None, sealer: "Sealer") -> None:
    """Sets or removes one key of the sealed file; one process at a time, so that none is lost."""
    with _alone(home):
        known = {**sealed(home, sealer.keychain), name: value}
        from msgspec import json

        content = json.encode({
            each: secret for each, secret in known.items() if secret is not None
        })
        path = sealed_file(home)
        write_bytes(path, sealer.seal(path.name, content))


def store(home: Path, name: str, value: str) -> None:
    """Keeps a credential in the plain key file; raises ``Misuse`` for what cannot be one."""
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
        for path in (key_file(home), sealed_file(home)):
            for left in home.glob(f".{path.name}.*"):  # by a process that was killed
                left.unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)
