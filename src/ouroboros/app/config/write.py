"""Changes one value in a configuration file and leaves everything else in it as it was."""

from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from pathlib import Path
from typing import cast

from ouroboros.app.config import file as config_file
from ouroboros.app.config import schema
from ouroboros.app.config.schema import KeyPath, Table, WrongValue
from ouroboros.core.errors import ConfigBroken, Misuse


def spelled(path: KeyPath, text: str) -> object:
    """The value that ``text`` spells for the setting at ``path``; raises ``Misuse``."""
    try:
        return schema.convert(_inside(path), text)
    except WrongValue as error:
        raise Misuse(f"{schema.format_key(path)}: {error.reason}") from None


def set_value(file: Path, path: KeyPath, value: object, *, private: bool) -> None:
    """Puts ``value`` at ``path`` of a TOML file, which is made if need be.

    Raises:
        ConfigBroken: The file is not valid, or has something else in the way.
        StoreFailed: It cannot be written.
    """
    set_values(file, {path: value}, private=private)


def set_values(file: Path, values: Mapping[KeyPath, object], *, private: bool) -> None:
    """Puts several values into a TOML file at once; as ``set_value``."""
    import tomlkit

    content = config_file.read_bytes(file) or b""
    config_file.parse(file, content)
    document = tomlkit.parse(config_file.decode(file, content))
    for path, value in values.items():
        table = cast("MutableMapping[str, object]", document)
        for depth, name in enumerate(path[:-1], 1):
            if name not in table:
                is_last = depth == len(path) - 1
                table[name] = tomlkit.table(is_super_table=not is_last)
            inner = table[name]
            if not isinstance(inner, MutableMapping):
                where = config_file.place(file, content, path[:depth])
                raise ConfigBroken(f"{where}: expected a table", hint="correct the line first")
            table = cast("MutableMapping[str, object]", inner)
        table[path[-1]] = value
    text = tomlkit.dumps(document)
    written = config_file.parse(file, text.encode())
    for path, value in values.items():
        if _at(written, path) != value:
            raise ConfigBroken(
                f"{file}: {schema.format_key(path)} cannot be placed", hint="add it by hand"
            )
    config_file.write(file, text, private=private)


def add_values(file: Path, path: KeyPath, values: Sequence[str], *, private: bool) -> bytes:
    """Adds texts to the list at ``path``, each once, and gives what the file then holds.

    Comments and the form of the list stay. Raises as ``set_value``.
    """
    import tomlkit

    content = config_file.read_bytes(file) or b""
    table = config_file.parse(file, content)
    if not config_file.holds(table, path):
        set_values(file, {path: list(dict.fromkeys(values))}, private=private)
        return config_file.read_bytes(file) or b""
    document = tomlkit.parse(config_file.decode(file, content))
    listed = _at(cast("Table", document), path)
    if not isinstance(listed, MutableSequence):
        where = config_file.place(file, content, path)
        raise ConfigBroken(f"{where}: expected a list", hint="correct the line first")
    known = cast("MutableSequence[object]", listed)
    fresh = [value for value in dict.fromkeys(values) if value not in known]
    known.extend(fresh)
    text = tomlkit.dumps(document)
    written = _at(config_file.parse(file, text.encode()), path)
    if not all(value in cast("list[object]", written) for value in values):
        raise ConfigBroken(
            f"{file}: {schema.format_key(path)} cannot be placed", hint="add it by hand"
        )
    if fresh:
        config_file.write(file, text, private=private)
    return text.encode() if fresh else content


def remove_value(file: Path, path: KeyPath, *, private: bool) -> bool:
    """Takes a value or a table out of a TOML file; False if it was not there.

    Raises:
        ConfigBroken: The file is not valid.
        StoreFailed: It cannot be written.
    """
    import tomlkit

    content = config_file.read_bytes(file) or b""
    if not config_file.holds(config_file.parse(file, content), path):
        return False
    document = tomlkit.parse(config_file.decode(file, content))
    table = cast("MutableMapping[str, object]", document)
    for name in path[:-1]:
        table = cast("MutableMapping[str, object]", table[name])
    del table[path[-1]]
    text = tomlkit.dumps(document)
    if config_file.holds(config_file.parse(file, text.encode()), path):
        raise ConfigBroken(
            f"{file}: {schema.format_key(path)} cannot be taken out", hint="remove it by hand"
        )
    config_file.write(file, text, private=private)
    return True


def drop_value(file: Path, path: KeyPath, value: str, *, private: bool) -> bool:
    """Takes a text out of the list at ``path``, as often as it stands there; False if it does not.

    Comments and the form of the list stay. Raises as ``remove_value``.
    """
    import tomlkit

    content = config_file.read_bytes(file) or b""
    if not config_file.holds(config_file.parse(file, content), path):
        return False
    document = tomlkit.parse(config_file.decode(file, content))
    listed = _at(cast("Table", document), path)
    if not isinstance(listed, MutableSequence):
        where = config_file.place(file, content, path)
        raise ConfigBroken(f"{where}: expected a list", hint="correct the line first")
    known = cast("MutableSequence[object]", listed)
    if value not in known:
        return False
    while value in known:
        known.remove(value)
    config_file.write(file, tomlkit.dumps(document), private=private)
    return True


def _inside(path: KeyPath) -> KeyPath:
    return path[2:] if path[0] == "profiles" and len(path) > 2 else path


def _at(table: Table, path: KeyPath) -> object:
    for name in path[:-1]:
        table = cast("Table", table[name])
    return table[path[-1]]
