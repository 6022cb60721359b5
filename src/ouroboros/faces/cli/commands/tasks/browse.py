"""`ouro browse`: a task in a real browser."""

import click
import msgspec

from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.browsing_flags import Wanted, browsing
from ouroboros.faces.cli.options.flags import Chosen, aimed, shared


@click.command("browse")
@click.argument("task", nargs=-1)
@browsing
@aimed
@shared
@click.pass_obj
def command(invocation: Invocation, /, task: tuple[str, ...], **options: object) -> int:
    """Do TASK in a browser, then end.

    The model writes code against tabs and --data, and sees what kind of thing came out, never the
    pages themselves. The result goes to standard output, a text as it is and anything else as JSON;
    progress goes to standard error.

    Ends with 0 when done, 1 when it failed, 2 for a mistake in options or settings, 3 at a limit,
    69 without a browser, 130 when interrupted. Calls that nobody was there to approve are refused and
    told at the end; with --strict-approvals such a run ends with 4.
    """
    from ouroboros.faces.cli.runs.rlm_run import perform

    chosen = msgspec.convert(options, Chosen)
    wanted = msgspec.convert(options, Wanted)
    return perform(invocation, chosen, wanted, task, browser=True)
