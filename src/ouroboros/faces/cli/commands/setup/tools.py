"""`ouro tools`: list what the agent can do."""

from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.wiring.tool_list import Listed, Place


@click.group(cls=NearGroup, name="tools")
def command() -> None:
    """List what the agent can do."""


@command.command("list")
@click.option("--deferred", is_flag=True, help="Only those that a model has to look for.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, deferred: bool, as_json: bool) -> None:
    """Print every tool that is on."""
    from ouroboros.app.wiring import tool_list

    settings, place = invocation.load().settings, place_of(invocation)
    found = tool_list.listed(settings, place)
    _say([each for each in found if not deferred or each.exposure == "deferred"], as_json=as_json)
    for problem in tool_list.left_out(settings, place):
        note(f"not on: {problem}")


@command.command()
@click.argument("query")
@click.option("--limit", type=click.IntRange(min=1), default=8, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def search(invocation: Invocation, *, query: str, limit: int, as_json: bool) -> None:
    """Print the tools that are about QUERY, the best first.

    A model's own search ranks them so.
    """
    from ouroboros.app.wiring import tool_list

    _say(
        tool_list.about(invocation.load().settings, query, limit, place_of(invocation)),
        as_json=as_json,
    )


@command.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def show(invocation: Invocation, *, name: str, as_json: bool) -> None:
    """Print one tool with the schema of its arguments."""
    from ouroboros.app.wiring import tool_list

    found = tool_list.one(invocation.load().settings, name, place_of(invocation))
    if as_json:
        say_json(found)
        return
    say(f"{found.name} ({found.exposure}{f', from {found.source}' if found.source else ''})")
    say(found.description)
    say(bytes(found.schema).decode())


@command.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def approve(invocation: Invocation, *, name: str, yes: bool) -> None:
    """Let sessions use a project's tool, as it is now.

    The code of NAME is shown first; once it changes it has to be approved again.
    """
    from ouroboros.app.wiring import tool_list
    from ouroboros.faces.cli import asking

    found = tool_list.to_approve(name, place_of(invocation))
    for line in tool_list.as_text(found):
        say(line)
    if yes or asking.agreed(f"use {name} from now on?", hint=f"ouro tools approve {name} --yes"):
        tool_list.approve(found, place_of(invocation))
        say(f"{name} is approved until it changes")


def place_of(invocation: Invocation) -> "Place":
    """Where tools are looked for."""
    from ouroboros.app.wiring.tool_list import Place

    return Place(home=invocation.home(), cwd=invocation.cwd())


def _say(found: "list[Listed]", *, as_json: bool) -> None:
    from ouroboros.faces.wording import table

    if as_json:
        say_json(found)
        return
    across = table.columns()
    for each in found:
        note = "(to look for) " if each.exposure == "deferred" else ""
        for line in table.lines((each.name, note + each.description), across):
            say(line)
