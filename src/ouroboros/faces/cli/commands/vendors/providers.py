"""`ouro providers`: list, add, test and log in to model providers."""

from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.commands.vendors.providers_login import login, logout
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.providers.listing import Listed

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="providers")
def command() -> None:
    """List, add, test and log in to model providers."""


@command.command("list", short_help="Print providers and their keys.")
@click.option("--ready", is_flag=True, help="Only those that can be used now.")
@as_json
@click.pass_obj
def list_all(invocation: Invocation, *, ready: bool, as_json: bool) -> None:
    """Print every provider, its wire format, its key and its address."""
    from ouroboros.app.providers import listing as provider_list
    from ouroboros.faces.wording import table

    rows = provider_list.listed(invocation.load(), invocation.environment)
    rows = [row for row in rows if row.is_ready or not ready]
    if as_json:
        say_json(rows)
        return
    records = [(row.name, row.protocol, _proof(row), row.base_url) for row in rows]
    for line in table.block(records, table.columns()):
        say(line)


@command.command("add", short_help="Add a server of your own.")
@click.argument("name")
@click.option("--base-url", metavar="URL", required=True, help="Where the server answers.")
@click.option("--protocol", metavar="P", default="", help="Its wire format, if not openai-chat.")
@click.option("--key-env", metavar="VARIABLE", default="", help="The variable that holds its key.")
@click.option("--no-auth", is_flag=True, help="Send no key at all.")
@click.pass_obj
def add(
    invocation: Invocation, name: str, base_url: str, protocol: str, key_env: str, *, no_auth: bool
) -> None:
    """Add a server of your own as the provider NAME; its models are then called NAME/MODEL."""
    from ouroboros.app.providers import edits as provider_edits

    new = provider_edits.New(
        name=name, base_url=base_url, protocol=protocol, key_env=key_env, is_keyless=no_auth
    )
    file = provider_edits.add(invocation.load(), new)
    note(f"{name} is added to {file}")
    if provider_edits.is_known(name):
        note(f"{name} is known already; what you did not say stays as it is")
    if key_env and not invocation.environment.get(key_env):
        note(f"set {key_env}, or keep the key: ouro providers login {name}")
    note(f"see its models: ouro models list --provider {name}")


@command.command("remove", short_help="Take one out of your settings.")
@click.argument("name")
@click.pass_obj
def remove(invocation: Invocation, name: str) -> None:
    """Take the provider NAME out of your settings; a key that is kept for it stays."""
    from ouroboros.app.providers import edits as provider_edits

    loaded = invocation.load()
    file = provider_edits.remove(loaded, name)
    note(f"{name} is taken out of {file}")
    if loaded.settings.model.startswith(f"{name}/"):
        note(f"warning: model is still {loaded.settings.model!r}")


@command.command("test", short_help="Send one tiny request.")
@click.argument("name")
@as_json
@click.pass_obj
def test(invocation: Invocation, name: str, *, as_json: bool) -> None:
    """Send one tiny request to NAME, a provider or PROVIDER/MODEL; it may cost a little."""
    import anyio

    from ouroboros.app.providers import listing as provider_list
    from ouroboros.core.clock import SystemClock

    answer = anyio.run(
        provider_list.ask, invocation.load(), invocation.environment, name, SystemClock()
    )
    if as_json:
        say_json(answer)
        return
    used = (
        "token counts unknown"
        if answer.input_tokens is None
        else f"{answer.input_tokens} tokens in, {answer.output_tokens} out"
    )
    text = " ".join(answer.text.split())[:60]
    say(f"ok: {answer.model} answered {text!r} in {answer.seconds:.1f} s ({used})")


def _proof(row: "Listed") -> str:
    """Where the key is, or what there is instead, or the first variable it could be set in."""
    found = [f"{name} {source}" for name, source in row.keys.items() if source]
    unset = [] if found or row.is_ready else [f"{name} unset" for name in row.keys]
    states = found or unset[:1]
    return ", ".join([*states, *([row.proof] if row.proof else [])]) or "no key needed"


command.add_command(login)
command.add_command(logout)
