"""Where the values of settings come from: layers, joined; the nearest wins, rule lists add up.

defaults < user < project's and local permission files < project < local < profile < environment < command line < managed
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import msgspec
from msgspec import Struct, field

from ouroboros.app.config import file as config_file
from ouroboros.app.config import schema, trust
from ouroboros.app.config.loosening import eased, loosened, without
from ouroboros.app.config.schema import KeyPath, Table, WrongValue
from ouroboros.app.settings import Settings
from ouroboros.core.errors import ConfigBroken, Misuse
from ouroboros.safety.marks import MARK

if TYPE_CHECKING:
    from ouroboros.safety.rules.values import Layer as RuleLayer
    from ouroboros.safety.rules.values import Rule

type LayerName = Literal[
    "user",
    "project rules",
    "local rules",
    "project",
    "local",
    "profile",
    "environment",
    "command line",
    "managed",
]
type LayerState = Literal["read", "absent", "not trusted", "empty"]

MANAGED = Path("/etc/ouroboros/managed.toml")
"""The administrator's file; what it sets cannot be changed by anybody else."""

_NOT_SETTINGS = frozenset({"OUROBOROS_HOME", "OUROBOROS_PROFILE", MARK})
_CAREFUL = frozenset({
    *("approval", "guardian", "hooks", "network", "permissions", "safety", "sandbox", "web"),
})


class Layer(Struct, frozen=True, kw_only=True):
    """One source of values; ``source`` is its file, or what else the values came from."""

    name: LayerName
    source: str
    state: LayerState
    table: Table = field(default_factory=dict[str, object])
    path: Path | None = None


class Loaded(Struct, frozen=True, kw_only=True):
    """The settings, and how they came about.

    Attributes:
        origins: The layer each value that is not a default came from, by dotted key.
        warnings: Lines the person should see once.
        layers: Lowest first.
        rules: Every permission rule, with the layer it stands in.
        project: The folder whose own configuration counts.
        dotenv: Variables of a trusted project's ``.env``.
    """

    settings: Settings
    origins: dict[str, str]
    warnings: tuple[str, ...]
    home: Path
    layers: tuple[Layer, ...]
    project: Path
    dotenv: dict[str, str]
    rules: "tuple[Rule, ...]" = ()


def nothing(path: Path, content: bytes) -> Table:
    """A stranger's file counts for nothing."""
    del path, content
    return {}


class Reading(Struct):
    """What is gathered while the layers are read; ``home`` and ``project`` may hold own tools.

    ``of_strangers`` says what counts of a project's file before that is trusted. ``cwd`` is where the run
    works, unless at the top of the project; ``person`` is the home folder of the person.
    """

    home: Path
    project: Path
    of_strangers: Callable[[Path, bytes], Table] = nothing
    cwd: Path | None = None
    person: Path = Path("/")
    layers: list[Layer] = field(default_factory=list[Layer])
    contents: dict[str, tuple[Path, bytes]] = field(default_factory=dict[str, tuple[Path, bytes]])
    warnings: list[str] = field(default_factory=list[str])


def environment() -> dict[str, str]:
    """The process's environment, read here and nowhere else."""
    return dict(os.environ)


def keep_bridge_offline() -> None:
    """Lets LiteLLM use the prices it brings, and no ``.env`` of a folder that nobody trusted.

    It would fetch the one and read the other as it is imported.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"


def home_folder(environment: Mapping[str, str]) -> Path:
    """``$OUROBOROS_HOME``, or ``~/.ouroboros``; raises ``Misuse`` if neither can be told."""
    chosen = environment.get("OUROBOROS_HOME", "")
    if chosen:
        return Path(chosen).absolute()
    person = environment.get("HOME", "")
    if not person.startswith("/"):
        raise Misuse(
            "the home folder is unknown: neither OUROBOROS_HOME nor HOME is set",
            hint="set OUROBOROS_HOME to a folder of yours",
        )
    return Path(person) / ".ouroboros"


def load(
    cwd: Path,
    environment: Mapping[str, str],
    flags: Mapping[str, object],
    profile: str = "",
    *,
    managed: Path = MANAGED,
) -> Loaded:
    """Reads and joins all layers.

    Args:
        cwd: Where the run works; decides which project counts.
        environment: Variables, as from ``environment()``.
        flags: Values of command-line options by dotted key; None means not given.
        profile: Name of a ``[profiles.NAME]`` table of the user's file.
        managed: The administrator's file.

    Raises:
        ConfigBroken: A file or a value cannot be understood; names file, line and key.
        Misuse: The profile does not exist, or there is no home folder.
    """
    home = home_folder(environment)
    project = trust.project_folder(cwd, home)
    person = Path(environment.get("HOME") or "/")
    reading = Reading(home=home, project=project, cwd=cwd, person=person)
    profile = profile or environment.get("OUROBOROS_PROFILE", "")
    profiles = read_user(reading, home / "config.toml")
    dotenv = read_project(reading, project, home)
    if profile:
        _add_profile(reading, profiles, profile)
    _add_environment(reading, environment)
    _add_flags(reading, flags)
    _read_file(reading, "managed", managed, config_file.read_bytes(managed))
    joined: Table = {}
    origins: dict[str, str] = {}
    for layer in reading.layers:
        schema.join(joined, layer.table)
        _note_origins(origins, layer)
    return Loaded(
        settings=_settle(reading, joined) if joined else Settings(),
        origins=origins,
        warnings=tuple(reading.warnings),
        home=home,
        layers=tuple(reading.layers),
        project=project,
        dotenv=dotenv,
        rules=rules_of(reading.layers),
    )


_RULE_LAYERS: "dict[LayerName, RuleLayer]" = {
    "user": "user",
    "project rules": "project",
    "local rules": "local",
    "profile": "user",
    "project": "project",
    "local": "local",
    "environment": "cli",
    "command line": "cli",
    "managed": "managed",
}


def rules_of(layers: Iterable[Layer]) -> "tuple[Rule, ...]":
    """The permission rules of all layers; a layer that was not trusted holds none."""
    found: list[Rule] = []
    for layer in layers:
        lists = layer.table.get("permissions")
        if not isinstance(lists, dict):
            continue
        from ouroboros.safety.rules.written import parse_rule

        for outcome, written in cast("Mapping[str, list[object]]", lists).items():
            found += [parse_rule(outcome, each, _RULE_LAYERS[layer.name]) for each in written]
    return tuple(found)


def _check_rules(reading: Reading, table: Table, where: Callable[[KeyPath], str]) -> None:
    """Tells ``where`` a rule is none, or limits what is not there; none of these is ever left out."""
    lists = table.get("permissions")
    if not lists:
        return
    from ouroboros.app.config.rule_names import limiting

    for outcome, written in cast("Mapping[str, list[object]]", lists).items():
        for each in written:
            try:
                limiting(outcome, each, home=reading.home, project=reading.project)
            except ConfigBroken as error:
                place = where(("permissions", outcome))
                raise ConfigBroken(f"{place}: {error.message}", hint=error.hint) from None


def read_user(reading: Reading, path: Path) -> Table:
    """Adds the person's own settings; gives their profiles."""
    content = config_file.read_bytes(path)
    if content is None:
        reading.layers.append(Layer(name="user", source=str(path), state="absent", path=path))
        return {}
    table = config_file.parse(path, content)
    profiles = table.pop("profiles", {})
    _add_table(reading, "user", path, content, table)
    if not isinstance(profiles, dict):
        where = config_file.place(path, content, ("profiles",))
        raise ConfigBroken(f"{where}: expected tables such as [profiles.work]")
    return cast("Table", profiles)


def read_project(reading: Reading, folder: Path, home: Path) -> dict[str, str]:
    """Adds what a project sets, as far as it is trusted; gives the variables of its ``.env``."""
    try:
        inert = trust.read(folder, home)
    except ConfigBroken as error:
        # A clone must not be able to stop a run; what cannot be read cannot be trusted either.
        reading.warnings.append(f"{error.message}; nothing of {folder} is used")
        inert = trust.Inert(folder=folder, files={})
    found = trust.standing(home, inert)
    if said := trust.warning(inert, found):
        reading.warnings.append(said)
    _read_permission_files(reading, inert, home, is_active=found.active)
    files: tuple[tuple[LayerName, str], ...] = (
        ("project", ".ouroboros/config.toml"),
        ("local", ".ouroboros/config.local.toml"),
    )
    for name, relative in files:
        path, content = folder / relative, inert.files.get(relative)
        if content is not None and not found.active:
            table = reading.of_strangers(path, content)
            reading.layers.append(
                Layer(name=name, source=str(path), state="not trusted", path=path, table=table)
            )
        else:
            _read_file(reading, name, path, content)
    content = inert.files.get(".env") if found.active else None
    return config_file.dotenv(folder / ".env", content) if content else {}


def _read_permission_files(
    reading: Reading, inert: trust.Inert, home: Path, *, is_active: bool
) -> None:
    """Adds what the project's permission files say; of one that nobody trusted what denies or asks."""
    folder, cwd = inert.folder, reading.cwd or inert.folder
    between = [each for each in (cwd, *cwd.parents) if folder in each.parents]
    tops = (folder, *reversed(between))
    places = [(top, name) for top in tops for name in trust.permission_files(top, home)]
    if not places:
        return
    from ouroboros.app.config.permission_files import PathGround, read

    ground = PathGround(
        folder=folder,
        tree=trust.tree_folder(cwd, home) or folder,
        cwd=cwd,
        home=home,
        person=reading.person,
        mode=str(_own(reading).get("mode", Settings().mode)),
    )
    for found in read(ground, places, inert.files if is_active else {}):
        reading.warnings += found.warnings
        read_state: LayerState = "read" if found.table else "empty"
        state = "not trusted" if found.waits else read_state
        if more := eased(found.table, _own(reading)):
            said = "this project's file lets more happen unasked than your own settings"
            reading.warnings.append(f"{found.path}: {said}: {more}")
        path, table = found.path, found.table
        reading.layers.append(
            Layer(name=found.scope, source=str(path), state=state, table=table, path=path)
        )


def _read_file(reading: Reading, name: LayerName, path: Path, content: bytes | None) -> None:
    if content is None:
        reading.layers.append(Layer(name=name, source=str(path), state="absent", path=path))
        return
    _add_table(reading, name, path, content, config_file.parse(path, content))


def _add_table(reading: Reading, name: LayerName, path: Path, content: bytes, table: Table) -> None:
    reading.contents[name] = (path, content)
    prefix: KeyPath = ()
    _add_checked(reading, name, table, prefix)


def _add_checked(reading: Reading, name: LayerName, table: Table, prefix: KeyPath) -> None:
    path, content = reading.contents[name]
    try:
        known, unknown = schema.check(table)
    except WrongValue as error:
        where = config_file.place(path, content, (*prefix, *error.path))
        raise ConfigBroken(f"{where}: {error.reason}") from None
    _check_rules(reading, known, lambda key: config_file.place(path, content, (*prefix, *key)))
    for key in unknown:
        where = config_file.place(path, content, (*prefix, *key.path))
        near = f"; did you mean {key.near}?" if key.near else ""
        if {key.path[0], key.near.partition(".")[0]} & _CAREFUL:
            # A deny that is misspelt would let through what it forbids.
            raise ConfigBroken(
                f"{where}: no such setting{near}",
                hint="correct it; what limits is never passed over",
            )
        reading.warnings.append(f"{where}: no such setting, ignored{near}")
    if name in {"project", "local"}:
        known = _tightened(reading, path, content, known)
    if name == "project" and (more := eased(known, _own(reading))):
        said = "this project's file lets more happen unasked than your own settings"
        reading.warnings.append(f"{path}: {said}: {more}")
    source = f"{path} [{schema.format_key(prefix)}]" if prefix else str(path)
    reading.layers.append(
        Layer(name=name, source=source, state="read" if known else "empty", table=known, path=path)
    )


def _tightened(reading: Reading, path: Path, content: bytes, table: Table) -> Table:
    """A project's settings but for those that would make us less careful than the person is."""
    for key in loosened(table, _own(reading)):
        table = without(table, key)
        reading.warnings.append(
            f"{config_file.place(path, content, key)}: ignored, for a project may only make this "
            "stricter; set it in your own settings or by an option"
        )
    return table


def _own(reading: Reading) -> Table:
    return next(layer.table for layer in reading.layers if layer.name == "user")


def _add_profile(reading: Reading, profiles: Table, profile: str) -> None:
    table = profiles.get(profile)
    user = next(layer for layer in reading.layers if layer.name == "user")
    if not isinstance(table, dict):
        near = schema.nearest(profile, profiles)
        known = f"did you mean {near!r}?" if near else f"add [profiles.{profile}] there"
        raise Misuse(f"{user.source} has no profile {profile!r}", hint=known)
    reading.contents["profile"] = reading.contents["user"]
    _add_checked(reading, "profile", cast("Table", table), ("profiles", profile))


def _add_environment(reading: Reading, environment: Mapping[str, str]) -> None:
    given = {
        name: value
        for name, value in environment.items()
        if value and name.startswith("OUROBOROS_") and name not in _NOT_SETTINGS
    }
    table: Table = {}
    known = {schema.variable(leaf.path): leaf.path for leaf in schema.leaves()} if given else {}
    for name, value in given.items():
        if name not in known or "NAME" in known[name]:
            near = schema.nearest(name, known)
            meant = f"; did you mean {near}?" if near else ""
            reading.warnings.append(f"{name}: no such setting, ignored{meant}")
            continue
        schema.join(table, _converted(known[name], value, name))
    _check_rules(reading, table, schema.variable)
    state: LayerState = "read" if table else "empty"
    reading.layers.append(
        Layer(name="environment", source="OUROBOROS_* variables", state=state, table=table)
    )


def _add_flags(reading: Reading, flags: Mapping[str, object]) -> None:
    table: Table = {}
    for key, value in flags.items():
        if value is None:
            continue
        path = schema.parse_key(key)
        if isinstance(value, str):
            schema.join(table, _converted(path, value, f"--{path[-1].replace('_', '-')}"))
            continue
        try:
            known, unknown = schema.check(schema.nest(path, value))
        except WrongValue as error:
            raise Misuse(f"--{path[-1].replace('_', '-')}: {error.reason}") from None
        if unknown:
            schema.find(path)
        schema.join(table, known)
    _check_rules(reading, table, lambda key: f"--{key[-1]}")
    state: LayerState = "read" if table else "empty"
    reading.layers.append(Layer(name="command line", source="options", state=state, table=table))


def _converted(path: KeyPath, value: str, source: str) -> Table:
    try:
        return schema.nest(path, schema.convert(path, value))
    except WrongValue as error:
        hint = f"it stands for the setting {schema.format_key(path)}"
        raise ConfigBroken(f"{source}: {error.reason}", hint=hint) from None


def _note_origins(origins: dict[str, str], layer: Layer) -> None:
    for path, _ in schema.flatten(layer.table):
        key = schema.format_key(path)
        if schema.is_added(path) and key in origins:
            origins[key] = f"{origins[key]} + {layer.name}"
        else:
            origins[key] = layer.name


def _settle(reading: Reading, joined: Table) -> Settings:
    try:
        schema.require(joined)
    except WrongValue as error:
        for layer in reversed(reading.layers):
            if layer.name in reading.contents and config_file.holds(layer.table, error.path):
                path, content = reading.contents[layer.name]
                raise ConfigBroken(
                    f"{config_file.place(path, content, error.path)}: {error.reason}"
                ) from None
        raise ConfigBroken(f"{schema.format_key(error.path)}: {error.reason}") from None
    return msgspec.convert(joined, Settings)
