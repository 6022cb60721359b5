"""`ouro update`: how this installation is brought up to date."""

import click

from ouroboros.faces.cli.invocation import note, say, say_json


@click.command("update")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def command(*, as_json: bool) -> int:
    """Say how this installation is brought up to date; nothing is changed or fetched."""
    from ouroboros.app.updating import Here, installation

    found = installation(Here.now())
    if as_json:
        say_json(found)
        return 0
    note(f"Ouroboros {found.version} {found.words}, in {found.place}; to update it:")
    for line in found.commands:
        say(line)
    if found.source.endswith((".whl", ".tar.gz")):
        note("put the newer one in its place first")
    if found.kind == "checkout":
        note("the next call of ./ouro brings its environment up to date")
    return 0
