"""What one call of the program knows before a command runs; click hands it on as ``obj``."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from ouroboros.app.text import encodable, plain
from ouroboros.core.errors import Misuse

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded


class Invocation(Struct, frozen=True, kw_only=True):
    """The environment and the options that count for every command."""

    environment: dict[str, str]
    profile: str = ""

    def cwd(self, chosen: str = "") -> Path:
        """The folder to work in; raises ``Misuse`` if it is not there."""
        try:
            folder = Path.cwd() / chosen
        except FileNotFoundError:
            raise Misuse(
                "the current folder no longer exists", hint="change to another one"
            ) from None
        try:
            if folder.is_dir():
                return folder.resolve()
        except (OSError, ValueError):
            pass
        raise Misuse(f"{chosen!r} is not a folder", hint="name an existing folder")

    def home(self) -> Path:
        """The home folder."""
        from ouroboros.app.config.layers import home_folder

        return home_folder(self.environment)

    def load(self, flags: Mapping[str, object] | None = None, cwd: Path | None = None) -> "Loaded":
        """The settings; what the person should know about them goes to stderr."""
        from ouroboros.app.config.layers import load

        loaded = load(cwd or self.cwd(), self.environment, flags or {}, self.profile)
        for line in loaded.warnings:
            note(f"warning: {line}")
        return loaded


def note(text: str) -> None:
    """One line for the person, beside the data."""
    if sys.stderr is not None:
        sys.stderr.write(f"{plain(text)}\n")


def say(text: str) -> None:
    """A line of data."""
    if sys.stdout is not None:
        sys.stdout.write(f"{plain(text)}\n")


def say_json(value: object) -> None:
    """A value for machines, on one line; a path as its text, with escapes for what is no Unicode."""
    import msgspec

    if sys.stdout is None:
        return
    try:
        told = msgspec.json.encode(value, enc_hook=_spelled)
    except UnicodeEncodeError:
        told = msgspec.json.encode(_legible(msgspec.to_builtins(value, enc_hook=_spelled)))
    sys.stdout.write(f"{told.decode()}\n")


def say_each(answers: Iterable[object]) -> bool:
    """Each answer on a line at once, for who waits for it; whether one tells of a broken line."""
    is_broken = False
    for answer in answers:
        say_json(answer)
        if sys.stdout is not None:
            sys.stdout.flush()
        is_broken = is_broken or (isinstance(answer, dict) and "error" in answer)
    return is_broken


def _legible(value: object) -> object:
    match value:
        case str():
            return encodable(value)
        case dict():
            pairs = cast("dict[object, object]", value).items()
            return {_legible(key): _legible(inner) for key, inner in pairs}
        case list() | tuple():
            return [_legible(inner) for inner in cast("list[object]", value)]
        case _:
            return value


def _spelled(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")
