"""`ouro export`: write a session out."""

import sys
from pathlib import Path

import click

from ouroboros.faces.cli.invocation import Invocation, note

_STYLES = ["jsonl", "md", "markdown", "html"]


@click.command("export")
@click.argument("session")
@click.option("--format", "style", type=click.Choice(_STYLES), default="jsonl")
@click.option("-o", "--output", default="", help="Write to this file instead; never replaces one.")
@click.option(
    "--branches",
    type=click.Choice(["all", "active"]),
    default="all",
    help="In md and html: also what was left, or only the way to where it goes on.",
)
@click.option(
    "--full", is_flag=True, help="In md and html: what was in files, not only their paths."
)
@click.pass_obj
def command(
    invocation: Invocation, session: str, style: str, output: str, branches: str, *, full: bool
) -> None:
    """Write SESSION out, with secrets taken out.

    jsonl holds every event and can be read back with `ouro sessions import`; md and html are for reading.
    """
    from ouroboros.app.export.writing import STYLES, Wish, keep, written
    from ouroboros.app.past import sessions
    from ouroboros.app.secrecy import secrets

    found = sessions.find(invocation.home(), session)
    read = sessions.events(invocation.home(), found.id)
    for warning in read.warnings:
        note(f"warning: {warning}")
    leaks = secrets(invocation.environment, invocation.load().settings)
    wish = Wish(style=STYLES[style], contents=full, only_active=branches == "active")
    pieces = written(read.envelopes, found.title, wish, leaks.redacted)
    if not output:
        if sys.stdout is not None:
            sys.stdout.writelines(pieces)
        return
    keep(pieces, Path(output))
    note(f"{found.id} is in {output}")
