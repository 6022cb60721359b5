"""`paws run`: a goal for an agent, or for several of whom the best is taken."""

from pathlib import Path

import click
import msgspec

from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.flags import Chosen, asking
from ouroboros.faces.cli.runs.best_of import Order, contested


@click.command("run")
@click.option("--goal", metavar="TEXT", default="", help="What is to be done.")
@click.option("--agent", "name", metavar="NAME", default="default", help="Who does it.")
@click.option("--session", "words", metavar="ID", default="", help="Work in this work session.")
@click.option(
    "--context",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A bundle of files to begin with, from `paws cats`.",
)
@click.option(
    "--plan", type=click.Path(path_type=Path), metavar="FILE", help="A plan of work to follow."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@contested
@asking
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    goal: str,
    name: str,
    words: str,
    *,
    context: Path | None,
    plan: Path | None,
    as_json: bool,
    count: int | None,
    verify: str,
    verify_timeout: float | None,
    at_once: int | None,
    base: str,
    **options: object,
) -> int:
    """Have a goal reached in a work session, apart from your own files.

    With --best-of it is done several times at once, and the answers are ranked: by --verify, by the
    size of the change, by cost. Nobody is asked anything then. Each answer stays in its session.
    """
    contest = Order(
        count=count, verify=verify, verify_timeout=verify_timeout, at_once=at_once, base=base
    )
    contest.refuse_alone()
    if count is not None:
        from ouroboros.faces.cli.runs import best_of

        if context or plan or words or name != "default":
            raise click.UsageError("--best-of goes with --goal alone, in new sessions")
        if not goal.strip():
            raise click.UsageError("say what is to be done: --goal TEXT")
        chosen = msgspec.convert(options, Chosen)
        return best_of.carry_out(invocation, goal, contest, chosen, as_json=as_json)
    from ouroboros.faces.cli.commands.paws.agent import given, with_agents
    from ouroboros.faces.cli.runs import agent_run

    if not (goal.strip() or context or plan):
        raise click.UsageError("say what is to be done: --goal TEXT, --context FILE or --plan FILE")
    order = agent_run.Order(
        name=name, session=words, goal=goal, context=context, plan=plan, options=given(options)
    )
    return with_agents(
        invocation, lambda agents: agent_run.carry_out(agents, order, as_json=as_json)
    )
