"""`ouro debug`: look inside what goes to models and what comes back."""

import sys
from functools import partial
from pathlib import Path

import click
import msgspec

from ouroboros.faces.cli.asking import is_person_there
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json
from ouroboros.faces.cli.options.flags import Chosen, asking


@click.group(cls=NearGroup, name="debug")
def command() -> None:
    """Look inside what goes to models and what comes back."""


def _write(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(f"{text}\n")


@command.command("stream", short_help="Decode recorded exchanges.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def stream(files: tuple[str, ...]) -> int:
    """Print what each recorded exchange says, one JSON line for each FILE."""
    from ouroboros.app.offline.stream import debug_stream

    return debug_stream([Path(name) for name in files], _write)


@command.command("error", short_help="Classify recorded errors.")
@click.argument("file", metavar="FILE")
def error(file: str) -> int:
    """Print what each error of a table is, one JSON line for each row of FILE.

    FILE is a JSON list of {vendor, protocol, status, headers, body}.
    """
    from ouroboros.app.offline.error import debug_error

    return debug_error(Path(file), _write)


@command.command("prepare", short_help="Print a request, send nothing.")
@click.argument("task", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@asking
@click.pass_obj
def prepare(
    invocation: Invocation, /, task: tuple[str, ...], *, as_json: bool, **options: object
) -> int:
    """Print the request that TASK would begin with, and send nothing.

    Where the key would go stands [key]. What the connection itself adds is not shown.
    """
    import anyio

    from ouroboros.app.offline.prepare import prepared

    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    loaded = invocation.load(chosen.settings(), cwd)
    asked = partial(
        prepared, loaded, invocation.environment, cwd, " ".join(task), attended=is_person_there()
    )
    found = anyio.run(asked)
    if found.lacks:
        note(f"no key is set for {found.lacks}; [key] stands where it would go")
    if as_json:
        say_json(found.exchange)
    else:
        say(found.text)
    return 0
