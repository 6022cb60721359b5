"""`ouro config`: see and change settings."""

from pathlib import Path
from typing import cast

import click

from ouroboros.app.text import encodable
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import typed
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="config")
def command() -> None:
    """See and change settings.

    Layers, the nearest wins: user, project, local, profile, environment, command line; what an
    administrator sets is above all. Permission rules of all layers add up.
    """


@command.command("get")
@click.argument("key")
@as_json
@click.pass_obj
def get(invocation: Invocation, key: str, *, as_json: bool) -> int:
    """Print the value of KEY, such as limits.max_turns."""
    from ouroboros.app.config import schema as config_schema
    from ouroboros.app.config import view as config_view

    loaded = invocation.load()
    path = config_schema.parse_key(key)
    found = config_view.at(loaded, path)
    if as_json:
        say_json(found)
        return 0
    is_table = config_schema.is_table(config_schema.find(path))
    for each in found:
        if is_table:
            _line(each.key, each.value, each.origin)
        elif each.value is not None:
            say(each.value if isinstance(each.value, str) else config_view.written(each.value))
    if is_table or any(each.value is not None for each in found):
        return 0
    note(f"{key} is not set")
    return 1


@command.command("list")
@as_json
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """Print every setting, its value and the layer it came from."""
    from ouroboros.app.config import view as config_view
    from ouroboros.app.providers import listing as provider_list

    loaded = invocation.load()
    shown = config_view.listed(loaded)
    keys = provider_list.key_states(loaded, invocation.environment)
    if as_json:
        say_json({"settings": shown, "keys": keys})
        return
    for each in shown:
        _line(each.key, each.value, each.origin)
    for name, source in keys.items():
        if source:
            say(f"keys.{name}: set ({source})")
    unset = sum(not source for source in keys.values())
    say(f"keys that are not set: {unset}; `ouro providers list` names them")


@command.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--user", "layer", flag_value="user", default=True, help="For you, everywhere.")
@click.option("--project", "layer", flag_value="project", help="For everybody in this project.")
@click.option("--local", "layer", flag_value="local", help="For you, in this project.")
@click.pass_obj
def set_one(invocation: Invocation, key: str, value: str | None, layer: str) -> None:
    """Set KEY to VALUE and keep the rest of the file as it is.

    `keys.NAME` keeps a credential; it is asked for or read from standard input, never an argument.
    """
    from ouroboros.app.config import saving
    from ouroboros.app.config import schema as config_schema
    from ouroboros.app.config import view as config_view
    from ouroboros.app.config import write as config_write

    if key.startswith("keys."):
        _set_key(invocation, key.removeprefix("keys."), value)
        return
    if value is None:
        raise Misuse(f"no value for {key}", hint=f"ouro config set {key} VALUE")
    if encodable(value) != value:
        raise Misuse(f"the value {value!r} is no UTF-8", hint="settings are kept in a file of text")
    path = config_schema.parse_key(key)
    if path[0] == "profiles" and layer != "user":
        raise Misuse("profiles belong to the user's file", hint="leave out --project or --local")
    parsed = config_write.spelled(path, value)
    at = saving.place(invocation.home(), invocation.cwd(), cast("saving.Where", layer))
    with saving.trusted_as_before(at):
        config_write.set_value(at.file, path, parsed, private=at.is_private)
    note(f"{key} = {config_view.written(parsed)} in {at.file}")
    _warn_if_shadowed(invocation, key, layer)


@command.command("import-levels")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--user", "layer", flag_value="user", help="For you, everywhere.")
@click.option("--project", "layer", flag_value="project", help="For everybody in this project.")
@click.option(
    "--local", "layer", flag_value="local", default=True, help="For you, in this project."
)
@click.pass_obj
def import_levels(invocation: Invocation, file: Path, layer: str) -> None:
    """Add permission rules from a JSON map of tools to the levels auto, approve and denied.

    `auto` becomes allow, `approve` ask and `denied` deny; rules that are there already stay.
    """
    from ouroboros.app.config import levels, saving, trust
    from ouroboros.app.config import write as config_write

    home = invocation.home()
    project = trust.project_folder(invocation.cwd(), home)
    found = levels.read_levels(invocation.cwd() / file, home=home, project=project)
    if not found:
        note(f"{file} names no tools")
    at = saving.place(home, invocation.cwd(), cast("saving.Where", layer))
    for outcome, tools in found.items():
        with saving.trusted_as_before(at):
            config_write.add_values(at.file, ("permissions", outcome), tools, private=at.is_private)
        note(f"permissions.{outcome} in {at.file}: {', '.join(tools)}")


@command.command("where")
@click.argument("key", required=False)
@as_json
@click.pass_obj
def where(invocation: Invocation, key: str | None, *, as_json: bool) -> int:
    """Print the layers and their files; for KEY, which of them set it, the winner first."""
    from ouroboros.app.config import schema as config_schema
    from ouroboros.app.config import view as config_view

    loaded = invocation.load()
    if key is None:
        layers = [
            {"layer": layer.name, "source": layer.source, "state": layer.state}
            for layer in reversed(loaded.layers)
        ]
        if as_json:
            say_json(layers)
            return 0
        for each in layers:
            say(f"{each['layer']}: {each['source']} ({each['state']})")
        return 0
    claims = config_view.claims(loaded, config_schema.parse_key(key))
    if as_json:
        say_json(claims)
        return 0
    for claim in claims:
        say(f"{claim.layer}: {claim.source}: {config_view.written(claim.value)}")
    if not claims:
        say("default")
    return 0


def _line(key: str, value: object, origin: str) -> None:
    from ouroboros.app.config import view as config_view

    said = "(not set)" if value is None else f"= {config_view.written(value)}"
    say(f"{key} {said}  # {origin}")


def _set_key(invocation: Invocation, name: str, value: str | None) -> None:
    from ouroboros.app.providers import keys

    if value is not None:
        raise Misuse(
            "a key on the command line stays in the shell's history",
            hint=f"leave it out to be asked, or: ouro config set keys.{name} < file",
        )
    secret = typed(name, hidden=True)
    loaded = invocation.load()
    place = keys.keep(loaded.home, name, secret.strip(), where=loaded.settings.secrets.store)
    note(f"{name} is kept in {keys.kept_in(place, loaded.home)}")


def _warn_if_shadowed(invocation: Invocation, key: str, layer: str) -> None:
    from ouroboros.app.config import schema as config_schema
    from ouroboros.app.config import view as config_view

    path = config_schema.parse_key(key)
    if path in config_schema.ADDED or path[0] == "profiles":
        return
    claims = config_view.claims(invocation.load(), path)
    if claims and claims[0].layer != layer:
        note(f"warning: {key} is also set by {claims[0].layer} ({claims[0].source}), which wins")
