"""`ouro export`: write a session out."""

import sys
from pathlib import Path

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.invocation import Invocation, note


@click.command("export")
@click.argument("session")
@click.option("--format", "style", type=click.Choice(["jsonl", "markdown"]), default="jsonl")
@click.option("-o", "--output", default="", help="Write to this file instead; never replaces one.")
@click.pass_obj
def command(invocation: Invocation, session: str, style: str, output: str) -> None:
    """Write SESSION out: jsonl holds every event, markdown is for reading."""
    from ouroboros.app.past import sessions, transcript
    from ouroboros.app.text import plain

    found = sessions.find(invocation.home(), session)
    read = sessions.events(invocation.home(), found.id)
    for warning in read.warnings:
        note(f"warning: {warning}")
    if style == "jsonl":
        lines = transcript.json_lines(read.envelopes)
    else:
        lines = map(plain, transcript.markdown(read.envelopes, found.title))
    if not output:
        sys.stdout.writelines(lines)
        return
    path = Path(output)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.writelines(lines)
    except FileExistsError:
        raise Misuse(f"{output!r} exists already", hint="name another file") from None
    except (OSError, ValueError) as error:
        raise Misuse(f"{output!r} cannot be written: {error}", hint="name another file") from error
    note(f"{found.id} is in {path}")
