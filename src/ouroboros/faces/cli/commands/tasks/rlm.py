"""`ouro rlm`: a question about data of any size, without a browser."""

import click
import msgspec

from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.browsing_flags import Wanted, reading
from ouroboros.faces.cli.options.flags import Chosen, aimed, shared


@click.command("rlm")
@click.argument("question", nargs=-1)
@click.option("--plain", "way", flag_value="plain", help="Let the model read the data itself.")
@click.option("--repl", "way", flag_value="repl", help="Let it write code, however small the data.")
@reading
@aimed
@shared
@click.pass_obj
def command(invocation: Invocation, /, question: tuple[str, ...], **options: object) -> int:
    """Answer QUESTION about --data, then end.

    Small data is read by the model as it is. Large data becomes variables that the model writes code
    against; JSON, CSV, text, HTML, PDF and folders are understood. The answer goes to standard
    output, a text as it is and anything else as JSON; progress goes to standard error.

    Ends with 0 when done, 1 when it failed, 2 for a mistake in options, data or settings, 3 at a
    limit, 130 when interrupted. Calls that nobody was there to approve are refused and told at the
    end; with --strict-approvals such a run ends with 4.
    """
    from ouroboros.faces.cli.runs.rlm_run import perform

    options["way"] = options["way"] or "auto"
    chosen = msgspec.convert(options, Chosen)
    wanted = msgspec.convert(options, Wanted)
    return perform(invocation, chosen, wanted, question, browser=False)
