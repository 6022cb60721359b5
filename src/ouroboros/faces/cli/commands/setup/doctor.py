"""`ouro doctor`: check this machine and print fixes."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.invocation import Invocation, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.checks import Check


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> int:
    """Check what a run needs; ends with 1 if something needed is missing."""
    import shutil

    import anyio

    from ouroboros.app import doctor

    terminal = doctor.Terminal(
        is_terminal=sys.stdout is not None and sys.stdout.isatty(),
        columns=shutil.get_terminal_size().columns,
        encoding=getattr(sys.stdout, "encoding", None) or "unknown",
    )
    checks = anyio.run(
        doctor.examine, invocation.environment, invocation.cwd(), invocation.home(), terminal
    )
    say_checks(checks, as_json=as_json)
    return int(doctor.has_failed(checks))


def say_checks(checks: Sequence["Check"], *, as_json: bool) -> None:
    """Each finding on a line, and below it what to do; or all of them as JSON."""
    if as_json:
        say_json(checks)
    for check in () if as_json else checks:
        say(f"{check.verdict}: {check.name}: {check.said}")
        if check.fix:
            say(f"  fix: {check.fix}")
