"""Reading one TOML file: bounded, and with the line of whatever is wrong with it."""

from pathlib import Path
from stat import S_ISREG
from typing import cast

from ouroboros.app.config.schema import KeyPath, Table, format_key, nest
from ouroboros.core.errors import ConfigBroken, StoreFailed

LARGEST_BYTES = 1_048_576
"""No configuration file is longer; a longer one is a mistake."""


def read_bytes(path: Path) -> bytes | None:
    """What a regular file holds, None if there is none; raises ``ConfigBroken``."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise ConfigBroken(f"{path} cannot be read: it is not a file", hint="move it away")
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigBroken(
            f"{path} cannot be read: {error.strerror}", hint="check its owner and mode"
        ) from error
    if len(content) > LARGEST_BYTES:
        raise ConfigBroken(
            f"{path} is larger than {LARGEST_BYTES} bytes", hint="is it the right file?"
        )
    return content


def parse(path: Path, content: bytes) -> Table:
    """The file as a table; raises ``ConfigBroken`` that names the line."""
    import re
    import tomllib

    text = decode(path, content)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigBroken(f"{path}: nested too deeply", hint="flatten the file") from None
    except ValueError as error:
        reason = str(error)
        found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", reason)
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        said = reason[: found.start()] if found else reason
        raise ConfigBroken(
            f"{path}, line {line}: not valid TOML: {said[:1].lower()}{said[1:]}",
            hint="correct the line; texts need quotes, tables look like [limits]",
        ) from None


def decode(path: Path, content: bytes) -> str:
    """The file as text; raises ``ConfigBroken`` that names the line."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigBroken(f"{path}, line {line}: not UTF-8", hint="save it as UTF-8") from None


def line_of(text: str, path: KeyPath) -> int:
    """The line on which valid TOML sets ``path``; 1 if it cannot be told."""
    header: KeyPath = ()
    statement, begun = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        begun = begun if statement else number
        statement += line + "\n"
        table = _whole(statement)
        if table is None:
            continue
        if statement.lstrip().startswith("["):
            header = _header(table)
            if header[: len(path)] == path:
                return begun
        elif holds(nest(header, table), path):
            return begun
        statement = ""
    return 1


def holds(table: Table, path: KeyPath) -> bool:
    """Whether the table has a value or a table at ``path``."""
    for name in path:
        value = table.get(name)
        if name not in table:
            return False
        table = cast("Table", value) if isinstance(value, dict) else {}
    return True


def place(path: Path, content: bytes, key: KeyPath) -> str:
    """File and line of a key, as every message spells it."""
    return f"{path}, line {line_of(decode(path, content), key)}: {format_key(key)}"


def write(path: Path, text: str, *, private: bool = True) -> None:
    """Replaces a file at once; a private one only its owner can read. Raises ``StoreFailed``."""
    write_bytes(path, text.encode(), private=private)


def write_bytes(path: Path, content: bytes, *, private: bool = True) -> None:
    """As ``write``."""
    import os

    from ouroboros.safety.private_file import OWNER_ONLY, replacing

    target = path.resolve()
    try:
        target.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        with replacing(target, OWNER_ONLY if private else _mode(target)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            from ouroboros.safety.sandbox.kept import changed_by_us

            changed_by_us(target)
    except OSError as error:
        raise StoreFailed(
            f"{path} cannot be written: {error.strerror}",
            hint="check the folder's owner, mode and free space",
        ) from error


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else 0o644


def _whole(statement: str) -> Table | None:
    import tomllib

    try:
        return tomllib.loads(statement)
    except (ValueError, RecursionError):
        return None


def _header(table: object) -> KeyPath:
    path: list[str] = []
    while isinstance(table, dict) and table:
        name, table = next(iter(cast("Table", table).items()))
        path.append(name)
    return tuple(path)


def dotenv(path: Path, content: bytes) -> dict[str, str]:
    """The variables of a ``.env`` file; lines that are none are left out."""
    variables: dict[str, str] = {}
    for line in decode(path, content).splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name.isidentifier():
            continue
        quote = value[:1]
        if quote in {"'", '"'} and quote in value[1:]:
            variables[name] = value[1:].partition(quote)[0]
        else:
            variables[name] = value.partition(" #")[0].rstrip()
    return variables
