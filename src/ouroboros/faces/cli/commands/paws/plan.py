"""`ouro plan`: rehearse a task and write down what would be done."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json
from ouroboros.faces.cli.options.flags import Chosen
from ouroboros.faces.cli.runs.taping import equip

if TYPE_CHECKING:
    from ouroboros.app.paws.planning.document import Plan


@click.command("plan")
@click.argument("goal", nargs=-1, required=True)
@click.option("--agent", metavar="NAME", default="", help="Plan as this agent would work.")
@click.option("-o", "--output", metavar="FILE", default="", help="Write the plan there.")
@click.option("--context", metavar="FILE", default="", help="A bundle the model reads first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say each step.")
@click.option("--model", metavar="PROVIDER/NAME", help="The model to plan with.")
@click.option("--max-turns", type=click.IntRange(min=1), help="Stop after so many turns.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Stop at so many US dollars.")
@click.option("-C", "--cwd", metavar="DIR", default="", help="Plan for this folder.")
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    goal: tuple[str, ...],
    agent: str,
    output: str,
    context: str,
    *,
    as_json: bool,
    quiet: bool,
    model: str | None,
    max_turns: int | None,
    max_cost: float | None,
    cwd: str,
) -> int:
    """Rehearse GOAL and write down what would be done; no file is changed, no command changes any.

    What is read is real, and shows what was planned before. `ouro run --plan FILE` carries it out.
    """
    words = " ".join(goal).strip()
    if not words:
        raise Misuse("there is no goal", hint="say in words what is to be done")
    folder = invocation.cwd(cwd)
    place = Path(output) if output and output != "-" else None
    if place is not None and not place.absolute().parent.is_dir():
        raise Misuse(
            f"{str(place.parent)!r} is not a folder", hint="name a file in an existing one"
        )
    chosen = Chosen(model=model, max_turns=max_turns, max_cost=max_cost, cwd=cwd)
    equipment = equip(invocation, chosen, folder)

    from ouroboros.app.paws.planning.document import written
    from ouroboros.app.paws.planning.files import keep, text_of
    from ouroboros.app.paws.planning.running import Wish, planned
    from ouroboros.core.clock import SystemClock
    from ouroboros.faces.cli import interrupts

    text = text_of(context) if context else ""

    async def main() -> "Plan":
        return await planned(
            Wish(goal=words, cwd=folder, agent=agent, context=text),
            equipment.engine,
            equipment.loaded.settings,
            environment=equipment.environment,
            home=equipment.loaded.home,
            clock=SystemClock(),
            tell=(lambda _: None) if quiet else note,
        )

    plan = interrupts.run(main)
    if as_json:
        say_json(plan)
    elif place is None:
        say(written(plan).removesuffix("\n"))
    if place is not None:
        keep(plan, place)
        note(f"{len(plan.steps)} steps in {len(plan.phases)} phases: {place}")
    return 0
