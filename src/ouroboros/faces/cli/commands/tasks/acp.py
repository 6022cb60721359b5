"""`ouro acp`: the agent of an editor."""

import os
from typing import TYPE_CHECKING

import click
import msgspec

from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.invocation import Invocation
from ouroboros.faces.cli.options.flags import Chosen, asking

if TYPE_CHECKING:
    from ouroboros.app.hub import Outfit


@click.command("acp")
@asking
@click.pass_obj
def command(invocation: Invocation, /, **options: object) -> int:
    """Be the agent of an editor that speaks the Agent Client Protocol.

    The editor starts this and speaks on standard input and output, JSON-RPC by line; it names the folders. What
    else is to be told goes to standard error.
    """
    from ouroboros.app.hub import Outfit

    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    invocation.load(chosen.settings(), cwd)
    outfit = Outfit(
        environment=invocation.environment,
        cwd=cwd,
        profile=invocation.profile,
        flags=chosen.settings(),
    )
    # Whatever else is printed by this process is no frame.
    frames = os.dup(1)
    os.dup2(2, 1)
    return interrupts.run(lambda: _serve(outfit, frames))


async def _serve(outfit: "Outfit", frames: int) -> int:
    from anyio import create_task_group

    from ouroboros.app.hub import hub
    from ouroboros.faces.acp.door import serve
    from ouroboros.faces.cli.render.outlet import Outlet

    async with create_task_group() as tasks:
        tasks.start_soon(interrupts.watch, interrupts.at_once, tasks.cancel_scope.cancel)
        async with hub(outfit) as opened:
            await serve(opened, 0, Outlet(frames))
        tasks.cancel_scope.cancel()
    return 0
