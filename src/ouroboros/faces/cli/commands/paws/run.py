"""`paws run`: a goal for an agent, or for several of whom the best is taken."""

from pathlib import Path

import click

from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.flags import asking
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

    With --best-of it is done several times at once, each by a program of its own, and the answers are
    ranked: by --verify, by the size of the change, by cost. Nobody is asked anything then. Each answer
    stays in its session, and its changes are a bundle.
    """
    contest = Order(
        count=count, verify=verify, verify_timeout=verify_timeout, at_once=at_once, base=base
    )
    contest.refuse_alone()
    if count is not None and words:
        raise click.UsageError("--best-of starts sessions of its own")
    if not (goal.strip() or context or plan):
        raise click.UsageError("say what is to be done: --goal TEXT, --context FILE or --plan FILE")
    from ouroboros.faces.cli.commands.paws.agent import given, with_agents
    from ouroboros.faces.cli.runs import agent_run, best_of

    where = str(options.get("cwd") or "")
    goal = goal.encode("utf-8", "replace").decode()
    if count is not None:
        from ouroboros.app.paws.agents.agents import Wish

        task = Wish(goal=goal, context=context, plan=plan, options=given(options))
        return with_agents(
            invocation,
            lambda agents: best_of.carry_out(agents, name, task, contest, as_json=as_json),
            where,
        )
    order = agent_run.Order(
        name=name, session=words, goal=goal, context=context, plan=plan, options=given(options)
    )
    return with_agents(
        invocation, lambda agents: agent_run.carry_out(agents, order, as_json=as_json), where
    )
