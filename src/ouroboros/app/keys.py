"""Credentials: the environment, a trusted project's ``.env``, the keyring, then a private file.

Values are handed to the provider that needs them and to nothing else; nothing here prints one.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, cast

from ouroboros.app.config_file import parse, read_bytes, write
from ouroboros.core.errors import ConfigBroken, Misuse

type KeySource = Literal["environment", ".env", "keyring", "keys.toml"]

_SERVICE = "ouroboros"


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
        self._stored: dict[str, str] | None = None

    def find(self, name: str) -> Key | None:
        """The credential, or None; raises ``ConfigBroken`` if the key file must not be used."""
        if value := self._environment.get(name):
            return Key(value, "environment")
        if value := self._dotenv.get(name):
            return Key(value, ".env")
        if value := _from_keyring(name):
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


def store(home: Path, name: str, value: str) -> None:
    """Keeps a credential in the key file; raises ``Misuse`` for what cannot be one."""
    if not name.isascii() or not name.isidentifier():
        raise Misuse(f"{name!r} is not the name of a variable", hint="such as OPENAI_API_KEY")
    if not value.isascii() or not value.isprintable() or " " in value or not value:
        raise Misuse(f"that is not a key for {name}", hint="a key is one line without spaces")
    from tomlkit import comment, document, dumps

    lines = document()
    lines.add(comment("Keys of model providers; `ouro config set keys.NAME` writes this file."))
    for known, secret in sorted({**stored(home), name: value}.items()):
        lines[known] = secret
    write(key_file(home), dumps(lines))


def _from_keyring(name: str) -> str:
    """Asks the system's keyring, if the package is installed and a keyring is there."""
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("keyring") is None:
        return ""
    get = cast("Callable[[str, str], str | None]", import_module("keyring").get_password)
    broken = cast("type[Exception]", import_module("keyring.errors").KeyringError)
    try:
        return get(_SERVICE, name) or ""
    except broken:
        return ""
