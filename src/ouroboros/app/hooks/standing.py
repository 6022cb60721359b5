"""Which hooks may run: those of a project only when the person has trusted exactly them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ouroboros.app.config import file as config_file
from ouroboros.app.config import trust
from ouroboros.app.hooks.files import HookFile
from ouroboros.core.errors import ConfigBroken
from ouroboros.plugins.hooks.definition import Definition, definitions

type Verdict = Literal[
    "active", "folder not trusted", "not trusted", "changed", "disabled", "not managed"
]

MANAGED = "managed"
_FOREIGN = frozenset({"project", "local"})
_ABOVE = frozenset({"core", MANAGED})


class Kept(Struct, frozen=True, kw_only=True):
    """What the person has decided of one hook; ``enabled`` is false for one that is not to run."""

    enabled: bool = True
    trusted_hash: str = ""


class Standing(Struct, frozen=True, kw_only=True):
    """One hook and whether it may run."""

    definition: Definition
    verdict: Verdict


class Reading(Struct, frozen=True, kw_only=True):
    """All hooks, in the order in which they count, and what a person should know of them."""

    found: tuple[Standing, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[Definition, ...]:
        """Those that may run."""
        return tuple(each.definition for each in self.found if each.verdict == "active")

    @property
    def waiting(self) -> tuple[Standing, ...]:
        """Those that would run if the person trusted them."""
        return tuple(each for each in self.found if each.verdict in {"not trusted", "changed"})


class Decided(Struct, frozen=True, kw_only=True):
    """What stands in ``hooks.toml`` of the person's home, by the key of a hook."""

    state: dict[str, Kept] = field(default_factory=dict[str, Kept])


def read(home: Path, files: Iterable[HookFile], *, only_managed: bool = False) -> Reading:
    """Every hook of these files; with ``only_managed`` no other runs than the administrator's; blocking.

    Raises:
        ConfigBroken: What the person has decided cannot be read.
    """
    decided = load(home)
    found: list[Standing] = []
    warnings: list[str] = []
    for each in files:
        known, told = definitions(each.groups, each.source, each.place)
        warnings += told
        found += [
            Standing(definition=one, verdict=_verdict(one, decided, is_trusted=each.is_trusted))
            for one in known
        ]
    if only_managed:
        found = [_only_managed(each) for each in found]
    reading = Reading(found=tuple(found))
    return replace(reading, warnings=(*warnings, *_untold(reading), *_put_aside(reading)))


def load(home: Path) -> Decided:
    """What the person has decided; raises ``ConfigBroken``."""
    path = _path(home)
    content = config_file.read_bytes(path)
    if content is None:
        return Decided()
    if path.stat().st_mode & 0o022:
        raise ConfigBroken(
            f"{path} can be written by other users", hint=f"check it, then: chmod 600 {path}"
        )
    try:
        return msgspec.convert(config_file.parse(path, content), Decided)
    except msgspec.ValidationError as wrong:
        raise ConfigBroken(f"{path}: {wrong}", hint="move the file away") from None


def decide(
    home: Path, picked: Iterable[Standing], change: Callable[[Definition, Kept], Kept]
) -> None:
    """Writes down what the person wants of these hooks from now on; of one like any other, nothing."""
    import tomlkit

    state = dict(load(home).state)
    for one in (each.definition for each in picked):
        state[one.key] = change(one, state.get(one.key, Kept()))
    document = tomlkit.document()
    document.add(tomlkit.comment("Hooks that you trusted or switched off; see `ouro hooks`."))
    document["state"] = {
        key: {"enabled": kept.enabled, "trusted_hash": kept.trusted_hash}
        for key, kept in sorted(state.items())
        if kept != Kept()
    }
    config_file.write(_path(home), tomlkit.dumps(document))


def barred(home: Path, project: Path, definition: Definition) -> str:
    """Why a hook may not run now that could when the session began; empty when it may; blocking.

    A script of a project may have been changed since, by whoever works there.
    """
    if definition.source not in _FOREIGN:
        return ""
    try:
        found = trust.standing(home, trust.read(project, home))
    except ConfigBroken as broken:
        return f"its folder cannot be trusted any more: {broken.message}"
    if found.active:
        return ""
    if not found.changed:
        return f"you trust {project} no longer, so the hook did not run"
    return f"{', '.join(found.changed[:3])} changed since you trusted it, so the hook did not run"


def _verdict(definition: Definition, decided: Decided, *, is_trusted: bool) -> Verdict:
    kept = decided.state.get(definition.key, Kept())
    if not kept.enabled and definition.source != MANAGED:
        return "disabled"
    if definition.source not in _FOREIGN:
        return "active"
    if not is_trusted:
        return "folder not trusted"
    if not kept.trusted_hash:
        return "not trusted"
    return "active" if kept.trusted_hash == definition.hash else "changed"


def _only_managed(one: Standing) -> Standing:
    is_above = one.definition.source in _ABOVE
    return one if is_above else replace(one, verdict="not managed")


def _put_aside(reading: Reading) -> list[str]:
    count = sum(each.verdict == "not managed" for each in reading.found)
    if not count:
        return []
    which = "1 hook does" if count == 1 else f"{count} hooks do"
    return [f"{which} not run, for managed_hooks_only leaves only the administrator's"]


def _untold(reading: Reading) -> list[str]:
    waiting = reading.waiting
    if not waiting:
        return []
    changed = sum(each.verdict == "changed" for each in waiting)
    which = f", {changed} of them changed since you trusted them" if changed else ""
    count = f"{len(waiting)} hook{'s' if len(waiting) > 1 else ''}"
    return [
        f"{count} of this project will not run, for you have not trusted them{which}; see `ouro hooks list`"
    ]


def _path(home: Path) -> Path:
    return home / "hooks.toml"
