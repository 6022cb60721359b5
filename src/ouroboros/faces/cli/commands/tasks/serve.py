"""`ouro serve`: sessions over a local socket, for programs."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from ouroboros.core.errors import unwrapped
from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.invocation import Invocation, note
from ouroboros.faces.cli.options.flags import Chosen, asking
from ouroboros.faces.cli.runs.taping import equip

if TYPE_CHECKING:
    from ouroboros.app.ouroboros import Session


@click.command("serve")
@click.option("--socket", "path", type=click.Path(path_type=Path), required=True, metavar="PATH")
@asking
@click.pass_obj
def command(invocation: Invocation, /, path: Path, **options: object) -> int:
    """Serve sessions at a socket of your own, until Ctrl-C.

    Messages are lines of JSON: `{"type": "init"}` opens a session, `{"type": "chat", "message": "..."}` says
    something; branch, get_history, get_tree, load_repo, approve_tool and reject_tool do what their names say.
    """
    import anyio

    from ouroboros.faces.ipc.server import serve

    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)
    engine = equipment.engine()

    def opening(session: str) -> "AbstractAsyncContextManager[Session]":
        return engine.open(cwd=cwd, resume=session, interactive=True, chosen=equipment.chosen)

    async def load(owner: str, repo: str) -> str:
        from ouroboros.app.repos.bringing import Asked, Repos

        repos = Repos(
            equipment.loaded.settings,
            home=equipment.loaded.home,
            cwd=cwd,
            environment=invocation.environment,
        )
        return (await repos.add(Asked(source=f"{owner}/{repo}"))).path

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(interrupts.watch, interrupts.at_once, tasks.cancel_scope.cancel)
            await serve(path, opening, load=load)

    note(f"listening at {path}")
    try:
        interrupts.run(main)
    except ExceptionGroup as group:
        raise unwrapped(group) from group
    return 0
