"""`ouro tools`: list what the agent can do."""

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, say, say_json


@click.group(cls=NearGroup, name="tools")
def command() -> None:
    """List what the agent can do."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """Print every tool that is on, as a model is told of it."""
    from ouroboros.app.wiring import tool_list
    from ouroboros.faces.cli import table

    found = tool_list.listed(invocation.load().settings)
    if as_json:
        say_json(found)
        return
    across = table.columns()
    for each in found:
        for line in table.lines((each.name, each.description), across):
            say(line)
