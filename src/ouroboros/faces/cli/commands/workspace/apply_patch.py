"""`ouro apply-patch`: apply a patch to files, without a model."""

import sys

import click

from ouroboros.faces.cli.invocation import Invocation, note, say


@click.command("apply-patch", context_settings={"ignore_unknown_options": True})
@click.argument("patch", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(invocation: Invocation, patch: tuple[str, ...]) -> int:
    """Apply PATCH, or the one on standard input, to files below the current folder.

    Ends with 0 when it was applied, 1 when it is broken or does not fit (hunks before the one that
    failed stay applied), 2 when it was called wrongly.
    """
    from ouroboros.app.offline.patch import apply

    outcome = apply(patch, _standard_input, invocation.cwd())
    if outcome.stdout:
        say(outcome.stdout.removesuffix("\n"))
    if outcome.stderr:
        note(outcome.stderr.removesuffix("\n"))
    return outcome.exit_code


def _standard_input() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin is not None else b""
