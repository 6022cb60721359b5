"""The settings and files in which hooks are set up, each read once."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import msgspec
from msgspec import Struct

from ouroboros.app.config import file as config_file
from ouroboros.app.config.layers import MANAGED, LayerName, Loaded
from ouroboros.core.errors import ConfigBroken
from ouroboros.plugins.hooks.definition import Group, SourceName

if TYPE_CHECKING:
    from ouroboros.app.config.trust import Inert

type Groups = dict[str, tuple[Group, ...]]

OWN = "hooks.json"
PROJECT = ".ouroboros/hooks.json"

_SOURCES: dict[LayerName, SourceName] = {
    "managed": "managed",
    "user": "user",
    "profile": "user",
    "project": "project",
    "local": "local",
    "environment": "session",
    "command line": "session",
}
_ORDER: tuple[SourceName, ...] = ("core", "managed", "user", "project", "local", "session")
_TOML: tuple[tuple[Literal["project", "local"], str], ...] = (
    ("project", ".ouroboros/config.toml"),
    ("local", ".ouroboros/config.local.toml"),
)


class HookFile(Struct, frozen=True, kw_only=True):
    """What one file says of hooks; ``is_trusted`` is false where its folder is not."""

    source: SourceName
    place: str
    groups: Groups
    is_trusted: bool = True


def files(loaded: Loaded, *, managed: Path = MANAGED) -> tuple[HookFile, ...]:
    """Every file with hooks that a session with these settings would have; blocking.

    Raises:
        ConfigBroken: One of them cannot be understood.
    """
    return _counting(loaded, managed, _inert(loaded))


def every(loaded: Loaded, *, managed: Path = MANAGED) -> tuple[HookFile, ...]:
    """The same with those of a folder that is not trusted, which do not count; blocking."""
    inert = _inert(loaded)
    found = list(_counting(loaded, managed, inert))
    if inert is None:
        return tuple(found)
    states = {layer.name: layer.state for layer in loaded.layers}
    if not _is_active(loaded, inert) and (content := inert.files.get(PROJECT)):
        path = loaded.project / PROJECT
        found.append(_json(path, content, "project", is_trusted=False))
    for name, relative in _TOML:
        content = inert.files.get(relative)
        if states.get(name) == "not trusted" and content is not None:
            path = loaded.project / relative
            table = config_file.parse(path, content).get("hooks")
            if table:
                groups = _groups(table, str(path))
                found.append(
                    HookFile(source=name, place=str(path), groups=groups, is_trusted=False)
                )
    return tuple(found)


def of_settings(groups: Mapping[str, tuple[Group, ...]]) -> tuple[HookFile, ...]:
    """The hooks of settings that nobody says the layers of."""
    if not groups:
        return ()
    return (HookFile(source="session", place="settings", groups=dict(groups)),)


def hooks_of(path: Path, content: bytes) -> list[str]:
    """What a file of a folder would run, a line for each hook; for whoever is asked to trust it."""
    if path.name == OWN:
        groups = _json(path, content, "project").groups
    else:
        table = config_file.parse(path, content).get("hooks")
        groups = _groups(table, str(path)) if table else {}
    return [
        f"hook {name} {group.matcher or '*'}: {msgspec.json.encode(handler).decode()}"
        for name, found in groups.items()
        for group in found
        for handler in group.hooks
    ]


def _counting(loaded: Loaded, managed: Path, inert: "Inert | None") -> tuple[HookFile, ...]:
    found = [*_of_layers(loaded), *_of_json(loaded, managed, inert)]
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.source)))


def _of_layers(loaded: Loaded) -> Iterator[HookFile]:
    for layer in loaded.layers:
        if table := layer.table.get("hooks"):
            place = layer.source
            yield HookFile(source=_SOURCES[layer.name], place=place, groups=_groups(table, place))


def _of_json(loaded: Loaded, managed: Path, inert: "Inert | None") -> Iterator[HookFile]:
    above, own = managed.parent / OWN, loaded.home / OWN
    if (content := config_file.read_bytes(above)) is not None:
        yield _json(above, content, "managed")
    if (content := config_file.read_bytes(own)) is not None:
        yield _json(own, content, "user")
    if inert is not None and _is_active(loaded, inert):
        content = inert.files.get(PROJECT)
        if content is not None:
            yield _json(loaded.project / PROJECT, content, "project")


def _inert(loaded: Loaded) -> "Inert | None":
    """What the project brings; None where it brings no hooks, which is looked at first."""
    from ouroboros.app.config import trust

    own = loaded.project / ".ouroboros"
    has_toml = any(layer.state == "not trusted" for layer in loaded.layers)
    try:
        if not (has_toml or (own / OWN).exists()) or own.resolve() == loaded.home.resolve():
            return None
        return trust.read(loaded.project, loaded.home)
    except (ConfigBroken, OSError):
        return None  # the settings said it already, and nothing of the folder is used


def _is_active(loaded: Loaded, inert: "Inert") -> bool:
    from ouroboros.app.config import trust

    return trust.standing(loaded.home, inert).active


def _json(path: Path, content: bytes, source: SourceName, *, is_trusted: bool = True) -> HookFile:
    try:
        table: object = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as broken:
        raise ConfigBroken(f"{path}: not valid JSON: {broken}", hint="correct the file") from None
    if isinstance(table, dict):
        whole = cast("dict[str, object]", table)
        table = whole.get("hooks", whole)
    return HookFile(
        source=source, place=str(path), groups=_groups(table, str(path)), is_trusted=is_trusted
    )


def _groups(table: object, place: str) -> Groups:
    try:
        return msgspec.convert(table, Groups)
    except msgspec.ValidationError as wrong:
        hint = 'each moment has a list of {matcher, hooks: [{type: "command", command}]}'
        raise ConfigBroken(f"{place}: hooks: {wrong}", hint=hint) from None
