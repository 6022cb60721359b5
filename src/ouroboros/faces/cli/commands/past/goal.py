"""`ouro goal`: what sessions work towards."""

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json


@click.group(cls=NearGroup, name="goal")
def command() -> None:
    """See what sessions work towards, and how far they are.

    `--goal TEXT` of `ouro run`, `ouro rlm` and `ouro browse`, and `/goal TEXT` in a chat set one.
    """


@command.command("show")
@click.argument("session", default="")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def show(invocation: Invocation, session: str, *, as_json: bool) -> None:
    """Show the goal of SESSION, by default of the latest of this folder."""
    from ouroboros.app.past import goals
    from ouroboros.app.wiring.session.past import resolve
    from ouroboros.faces.wording.goals import goal_lines

    home = invocation.home()
    found = goals.of(home, resolve(home, invocation.cwd(), session))
    if as_json:
        say_json(goals.plain(found))
        return
    if found.goals is None or found.goals.root is None:
        note(f"{found.session} has no goal")
        return
    for line in goal_lines(found.goals):
        say(line)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """List the sessions that have a goal, the latest first."""
    from ouroboros.app.past import goals
    from ouroboros.faces.wording import table
    from ouroboros.faces.wording.words import one_line

    found = goals.everywhere(invocation.home())
    if as_json:
        say_json([goals.plain(each) for each in found])
        return
    across = table.columns()
    for each in found:
        goal = each.goals.root if each.goals is not None else None
        if goal is not None:
            objective = one_line(goal.objective, 200)
            for line in table.lines([each.session, goal.status, objective], across):
                say(line)
    if not found:
        note("no session has a goal")
