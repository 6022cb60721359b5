"""`ouro providers`: list and test model providers."""

import click

from ouroboros.faces.cli.commands.providers_login import login, logout
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, say, say_json

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="providers")
def command() -> None:
    """List and test model providers."""


@command.command("list")
@as_json
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """Print every provider, its wire format, its key and its address."""
    from ouroboros.app import config_view, provider_list
    from ouroboros.faces.cli import table

    rows = provider_list.listed(invocation.load(), invocation.environment)
    if as_json:
        say_json(rows)
        return
    across = table.columns()
    for row in rows:
        states = [f"{name} {source or 'unset'}" for name, source in row.keys.items()]
        address = config_view.without_credentials(row.base_url)
        cells = (row.name, row.protocol, ", ".join(states) or "no key needed", address)
        for line in table.lines(cells, across):
            say(line)


@command.command("test")
@click.argument("name")
@as_json
@click.pass_obj
def test(invocation: Invocation, name: str, *, as_json: bool) -> None:
    """Send one tiny request to NAME, a provider or PROVIDER/MODEL; it may cost a little."""
    import anyio

    from ouroboros.app import provider_list
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


command.add_command(login)
command.add_command(logout)
