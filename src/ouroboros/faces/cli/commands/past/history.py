"""`ouro history`: what was done in all sessions, call by call."""

import click

from ouroboros.faces.cli.invocation import Invocation, note, say, say_json


@click.command(name="history")
@click.option("--tool", default="", metavar="NAME", help="Only calls of this tool.")
@click.option("--session", default="", metavar="SESSION", help="Only those of one session.")
@click.option("--failed", is_flag=True, help="Only those that did not do what was asked.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines, with the results.")
@click.pass_obj
def command(
    invocation: Invocation, *, tool: str, session: str, failed: bool, limit: int, as_json: bool
) -> None:
    """List tool calls of every session, the latest first: when, where, which, and how it ended."""
    from ouroboros.app.past import sessions
    from ouroboros.faces.wording import table

    made = sessions.history(
        invocation.home(), tool=tool, session=session, failed=failed, limit=limit
    )
    if as_json:
        say_json(made)
        return
    across = table.columns()
    for each in made:
        seconds = f"{each.seconds:.1f} s"
        when = table.moment(each.started)
        cells = [when, each.session, each.tool, each.status or "open", seconds]
        for line in table.lines([*cells, each.arguments], across):
            say(line)
    if not made:
        note("no such call was made yet")
