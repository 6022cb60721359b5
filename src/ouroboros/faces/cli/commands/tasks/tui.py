"""`ouro tui`, and `ouro` alone: the whole screen."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen, resumed, shared, with_browser
from ouroboros.faces.cli.runs.taping import equip
from ouroboros.faces.cli.stage import Streams
from ouroboros.faces.wording.words import going_on

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hub import Hub, Outfit
    from ouroboros.faces.slashes.control import Entrance
    from ouroboros.faces.tui.start import Start


@click.command("tui")
@click.argument("task", nargs=-1)
@with_browser
@shared
@click.pass_context
def command(context: click.Context, /, task: tuple[str, ...], **options: object) -> int:
    """Work together on the whole screen; `ouro` alone does the same.

    TASK is what to begin with. Where the cursor cannot be moved it is `ouro chat`.
    """
    invocation = context.find_object(Invocation)
    if invocation is None:
        raise TypeError("a command is run below the root")
    streams = Streams.of_process(invocation.environment)
    if not (streams.types and streams.moves):
        from ouroboros.faces.cli.commands.tasks.chat import command as chat

        given = {**options, "non_interactive": False, "read_only": False}
        result: object = context.invoke(chat, task=task, **given)
        return result if isinstance(result, int) else 0
    start = _start(invocation, task, msgspec.convert(options, Chosen))
    from ouroboros.faces.tui.door import show

    left = show(start, interrupts.run)
    if left.session:
        note(going_on(left.session, "tui"))
    return left.code


def _start(invocation: Invocation, task: tuple[str, ...], chosen: Chosen) -> "Start":
    from ouroboros.faces.tui.start import Start

    cwd: Path = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)

    def outfit() -> "Outfit":
        from ouroboros.app.hub import Outfit

        return Outfit(
            environment=invocation.environment,
            cwd=cwd,
            profile=invocation.profile,
            flags=chosen.settings(),
            tap=equipment.tap,
        )

    return Start(
        loaded=equipment.loaded,
        environment=equipment.environment,
        cwd=cwd,
        outfit=outfit,
        web=partial(page, equipment.loaded),
        resume=resumed(chosen, equipment.loaded.home, cwd, person=True),
        latest=chosen.latest,
        at=chosen.at,
        browser=chosen.browser,
        first=" ".join(task).encode("utf-8", "replace").decode(),
    )


@asynccontextmanager
async def page(loaded: "Loaded", hub: "Hub") -> "AsyncGenerator[Entrance]":
    """Serves a page over the sessions of the screen; a port that is taken is no reason not to."""
    await to_thread.run_sync(import_module, "ouroboros.faces.web.application")
    from ouroboros.app.hub.standing import alone
    from ouroboros.faces.web.door import served
    from ouroboros.faces.web.listening import listening

    async with AsyncExitStack() as stack:
        place = await to_thread.run_sync(stack.enter_context, alone(loaded.home))
        try:
            listeners = listening(loaded.settings.server.port)
        except Misuse:
            listeners = listening(0)
        plate = await stack.enter_async_context(served(hub.outfit, *listeners, rooms=hub))
        place(plate.address)
        yield plate
