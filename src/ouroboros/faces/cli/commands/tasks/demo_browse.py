"""`ouro demo browse`: a job in three tabs of a real browser, with a script in the place of the model."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.app.settings import Browser, Settings
from ouroboros.faces.cli.invocation import Invocation, note

if TYPE_CHECKING:
    from ouroboros.faces.cli.stage import Streams


@click.command("browse")
@click.option("--headed", is_flag=True, help="Show the browser's window.")
@click.pass_obj
def command(invocation: Invocation, /, *, headed: bool) -> int:
    """Compare prices in three shops, order the cheapest, download the invoice.

    The shops are small servers on this machine. Ends with 0 when the order and the invoice are right.
    """
    from ouroboros.app.demo import browse as demo_browse
    from ouroboros.app.demo.site.server import open_shops
    from ouroboros.faces.cli.runs.browser_ready import ready
    from ouroboros.faces.cli.stage import Streams

    note(demo_browse.NOTICE)
    streams = Streams.of_process(invocation.environment)
    browser = Browser(headless=not headed, profile="")
    ready(browser, invocation.environment, invocation.home(), person=streams.converses)
    with tempfile.TemporaryDirectory(prefix="ouro-demo-") as name, open_shops() as shops:
        folder = Path(name)
        settings = Settings(
            model=demo_browse.script(folder, shops), mode="full-auto", browser=browser
        )
        task = demo_browse.prompt(shops)
        note(f"The task: {task}\n")
        code, final = _play(invocation, settings, streams, folder, task)
        wrong = demo_browse.checked(final, shops, folder / "home" / "artifacts") if not code else ""
    if code or wrong:
        note(f"error: {wrong or 'the run did not come to its end'}")
        return code or 1
    note("Checked apart from the agent: the cheapest was ordered, and the invoice is its own.")
    return 0


def _play(
    invocation: Invocation, settings: Settings, streams: "Streams", folder: Path, task: str
) -> tuple[int, str]:
    from ouroboros.faces.cli import interrupts

    async def main() -> tuple[int, str]:
        from ouroboros.app.ouroboros import Ouroboros
        from ouroboros.faces.cli.conversation import Conversation
        from ouroboros.faces.cli.runs.delivery import Handing
        from ouroboros.faces.cli.stage import open_stage
        from ouroboros.faces.wording.steps import Bounds, Steps

        engine = Ouroboros(settings, home=folder / "home", environment=invocation.environment)
        async with engine.open(cwd=folder, mind="rlm", browser=True) as session:
            stage = open_stage(streams, "text", session.state, interactive=False)
            handing = Handing(
                stage.face,
                stage.out.write,
                file=None,
                terminal=streams.screen.terminal,
                moves=streams.moves,
            )
            bounds = Bounds(
                iterations=settings.rlm.max_iterations, child=settings.rlm.child_iterations
            )
            stage.face = Steps(handing, session.state, bounds)
            code = await Conversation(session, stage, "").once(task)
            return code, session.state.final

    return interrupts.run(main)
