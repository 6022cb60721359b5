"""Writes settings to the file of a layer, so that what is written can be read; everything blocks."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.app.config import file as config_file
from ouroboros.app.config import trust, write
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.schema import KeyPath
from ouroboros.core.errors import ConfigBroken, Misuse

type Where = Literal["user", "project", "local"]

_FILES: dict[Where, str] = {"project": "config.toml", "local": "config.local.toml"}


class Place(Struct, frozen=True, kw_only=True):
    """The file of a layer; ``folder`` is the project's, None for the person's own."""

    home: Path
    file: Path
    folder: Path | None = None

    @property
    def is_private(self) -> bool:
        """Nobody else may read it."""
        return self.folder is None


def place(home: Path, cwd: Path, where: Where) -> Place:
    """The file of a layer, which need not be there; raises ``Misuse`` where there is no project."""
    if where == "user":
        return Place(home=home, file=home / "config.toml")
    folder = trust.project_folder(cwd, home)
    if (folder / ".ouroboros").resolve() == home.resolve():
        raise Misuse(f"{folder} is no project: its .ouroboros is your home", hint="use --user")
    return Place(home=home, file=folder / ".ouroboros" / _FILES[where], folder=folder)


def set_value(at: Place, path: KeyPath, value: object, *, reload: Callable[[], Loaded]) -> Loaded:
    """Puts a value into the file; gives the settings as they are then.

    Raises:
        ConfigBroken: The settings could not be read with it; the file is as it was.
        StoreFailed: It cannot be written.
    """
    with _sound(at, reload) as found:
        write.set_value(at.file, path, value, private=at.is_private)
    return found[0]


def add_values(
    at: Place, path: KeyPath, values: Sequence[str], *, reload: Callable[[], Loaded]
) -> Loaded:
    """Adds texts to a list of the file; as ``set_value``."""
    with _sound(at, reload) as found:
        write.add_values(at.file, path, values, private=at.is_private)
    return found[0]


def remove_value(at: Place, path: KeyPath, *, reload: Callable[[], Loaded]) -> Loaded:
    """Takes a value out of the file, so that the layer below counts; as ``set_value``.

    Raises:
        Misuse: It is not there.
    """
    with _sound(at, reload) as found:
        if not write.remove_value(at.file, path, private=at.is_private):
            raise Misuse(f"{at.file} does not set it", hint="it comes from another layer")
    return found[0]


def drop_value(at: Place, path: KeyPath, value: str, *, reload: Callable[[], Loaded]) -> Loaded:
    """Takes a text out of a list of the file; as ``remove_value``."""
    with _sound(at, reload) as found:
        if not write.drop_value(at.file, path, value, private=at.is_private):
            raise Misuse(f"{value!r} does not stand in {at.file}", hint="look at the list again")
    return found[0]


@contextmanager
def trusted_as_before(at: Place) -> Generator[None]:
    """A project that was trusted stays so: the person made the change."""
    is_trusted = _is_trusted(at)
    yield
    if is_trusted:
        _trust(at)


@contextmanager
def _sound(at: Place, reload: Callable[[], Loaded]) -> Generator[list[Loaded]]:
    """Undoes what is done inside if the settings cannot be read afterwards."""
    before = config_file.read_bytes(at.file)
    found: list[Loaded] = []
    is_trusted = _is_trusted(at)
    with trusted_as_before(at):
        yield found
    try:
        found.append(reload())
    except ConfigBroken:
        if before is None:
            at.file.unlink(missing_ok=True)
        else:
            config_file.write(at.file, before.decode(), private=at.is_private)
        if is_trusted:
            _trust(at)
        raise


def _is_trusted(at: Place) -> bool:
    if at.folder is None:
        return False
    return trust.standing(at.home, trust.read(at.folder, at.home)).verdict in {"trusted", "nothing"}


def _trust(at: Place) -> None:
    if at.folder is not None:
        trust.grant(at.home, trust.read(at.folder, at.home))
