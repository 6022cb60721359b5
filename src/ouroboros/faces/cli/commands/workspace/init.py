"""`ouro init`: the first instruction file of a project, written by the model."""

import click
import msgspec

from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.flags import Chosen, shared


@click.command("init")
@click.option("--improve", is_flag=True, help="Let the model change the file that is there.")
@click.option("--non-interactive", is_flag=True, help="Never ask; what needs approval is denied.")
@shared
@click.pass_obj
def command(
    invocation: Invocation, /, *, improve: bool, non_interactive: bool, **options: object
) -> int:
    """Write AGENTS.md: what agents have to know of this project.

    The model reads the project and writes the file as it does everything else: by tools, within the
    mode. A file that is there stays as it is without --improve.

    Ends as `ouro run` does; with 2 where there is such a file.
    """
    from ouroboros.app.notes import first_instructions
    from ouroboros.faces.cli.commands.tasks.run import perform
    from ouroboros.faces.cli.stage import Streams

    chosen = msgspec.convert(options, Chosen)
    streams = Streams.of_process(invocation.environment)

    def task() -> str:
        return first_instructions(invocation.cwd(chosen.cwd), improve=improve)

    return perform(invocation, chosen, streams, "text", task=task, silent=non_interactive)
