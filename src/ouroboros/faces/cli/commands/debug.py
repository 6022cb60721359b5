"""`ouro debug`: look inside recorded model streams."""

import sys
from pathlib import Path

import click

from ouroboros.faces.cli.groups import NearGroup


@click.group(cls=NearGroup, name="debug")
def command() -> None:
    """Look inside recorded model streams."""


@command.command("stream")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def stream(files: tuple[str, ...]) -> int:
    """Print what each recorded exchange says, one JSON line for each FILE."""
    from ouroboros.app.offline import debug_stream

    def write(text: str) -> None:
        sys.stdout.write(f"{text}\n")

    return debug_stream([Path(name) for name in files], write)
