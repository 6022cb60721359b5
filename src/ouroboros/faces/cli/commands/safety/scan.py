"""`ouro scan`: secrets, and hidden orders, in files or in lines of JSON."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import note, say, say_each, say_json

if TYPE_CHECKING:
    from ouroboros.app.offline.scan import Hit, What


@click.group(cls=NearGroup, name="scan")
def command() -> None:
    """Look for secrets, or for orders to a model, in files.

    Ends with 1 when something was found in FILE..., with 2 when something could not be read.
    With --jsonl each line has its answer, and the end is 0 unless a line could not be read.
    """


@command.command("secrets")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--jsonl", is_flag=True, help="Read {text} a line; answer {findings, redacted} a line."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def secrets(files: tuple[str, ...], *, jsonl: bool, as_json: bool) -> int:
    """Name the place and kind of every secret.

    "-" reads standard input. The secret itself is never printed.
    """
    return _scan("secrets", files, jsonl=jsonl, as_json=as_json)


@command.command("injection")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--jsonl", is_flag=True, help="Read {text} a line; answer {flags} a line.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def injection(files: tuple[str, ...], *, jsonl: bool, as_json: bool) -> int:
    """Name what looks like orders to a model.

    Each is a line with file, line and flag. A flag is advice: text about such orders may earn one, and clever orders may earn none.
    """
    return _scan("injection", files, jsonl=jsonl, as_json=as_json)


def _scan(what: "What", files: tuple[str, ...], *, jsonl: bool, as_json: bool) -> int:
    from ouroboros.app.offline import scan

    if jsonl:
        if files:
            raise Misuse("--jsonl reads standard input and takes no FILE")
        lines: Iterable[bytes] = sys.stdin.buffer if sys.stdin is not None else ()
        return 2 if say_each(scan.answers(what, lines)) else 0
    if not files:
        raise Misuse(
            "no FILE was given", hint='"-" reads standard input; --jsonl reads lines of JSON'
        )
    hits: list[Hit] = []
    unread = 0
    for name in files:
        try:
            if name == "-":
                data = sys.stdin.buffer.read() if sys.stdin is not None else b""
                text = data.decode("utf-8", "replace")
                hits += scan.found_in(what, "-", text)
            else:
                hits += scan.hits(what, Path(name))
        except (OSError, Misuse) as failed:
            unread += 1
            note(f"{name}: {failed.strerror if isinstance(failed, OSError) else failed.message}")
    if as_json:
        say_json(hits)
    else:
        for hit in hits:
            say(f"{hit.file}:{hit.line}:{hit.column}: {hit.kind}")
    return 2 if unread else 1 if hits else 0
