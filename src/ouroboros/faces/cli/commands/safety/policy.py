"""`ouro policy`: which commands policy files allow, ask about and forbid."""

import sys

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json


@click.group(cls=NearGroup, name="policy")
def command() -> None:
    """See which commands policy files allow, ask about and forbid.

    They are *.rules in the folder rules/ of your home and of a trusted project's .ouroboros/.
    """


@command.command("check", context_settings={"allow_interspersed_args": False})
@click.option("-r", "--rules", multiple=True, metavar="FILE", help="A policy file; again for more.")
@click.option("--pretty", is_flag=True, help="Print JSON over several lines.")
@click.option(
    "--resolve-host-executables",
    "by_name",
    is_flag=True,
    help="Let rules of a name count for a program given by its path.",
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="CMD...")
@click.pass_obj
def check(
    invocation: Invocation,
    rules: tuple[str, ...],
    words: tuple[str, ...],
    *,
    pretty: bool,
    by_name: bool,
) -> int:
    """Print as JSON what the rules say of CMD.

    These are all rules that are about it, and the strictest of their decisions. Without --rules, the files that hold here are asked.
    """
    from pathlib import Path

    import msgspec

    from ouroboros.app.permission import policies

    files = [Path(name) for name in rules]
    if not rules:
        found = policies.sources(invocation.home(), invocation.cwd())
        files = [source.path for source in found if source.content is not None]
    told = policies.checked(files, words, by_name=by_name)
    if pretty and sys.stdout is not None:
        say(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        say_json(told)
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> int:
    """Print every rule that holds here, and where it stands."""
    from ouroboros.app.permission import policies
    from ouroboros.faces.wording import table

    found = policies.sources(invocation.home(), invocation.cwd())
    policy, warnings = policies.joined(found)
    listed = policies.listed(policy)
    if as_json:
        say_json(listed)
    across = table.columns()
    for each in () if as_json else listed:
        for line in table.lines((each["decision"], each["about"], each["place"]), across):
            say(line)
    if not listed and not warnings:
        note(
            f"no rules: there are none in {invocation.home() / 'rules'}/*.rules or a trusted project"
        )
    for source in found:
        if source.content is None:
            note(f"{source.path} does not count: its folder is not trusted; `ouro trust` to use it")
    for line in warnings:
        note(f"warning: {line}")
    return 2 if warnings else 0
