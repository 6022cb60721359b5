"""`ouro web`: the Command Center in the browser."""

from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.invocation import Invocation, note, say
from ouroboros.faces.cli.options.flags import Chosen, asking
from ouroboros.faces.cli.runs.taping import equip

if TYPE_CHECKING:
    from ouroboros.app.hub import Outfit


@click.command("web")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Listen here; 0: a free one."
)
@click.option("--open", "opens", is_flag=True, help="Show it in the browser.")
@click.option("--headless-token", is_flag=True, help="Print nothing but the token, for a program.")
@asking
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    *,
    port: int,
    opens: bool,
    headless_token: bool,
    **options: object,
) -> int:
    """Work in a page of your browser, until Ctrl-C.

    Only this machine can reach it, and only with the token that is printed once.
    """
    from ouroboros.app.hub import Outfit

    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    equipment = equip(invocation, chosen, cwd)
    outfit = Outfit(
        environment=invocation.environment,
        cwd=cwd,
        profile=invocation.profile,
        flags=chosen.settings(),
        tap=equipment.tap,
    )
    return interrupts.run(partial(_serve, outfit, port, opens=opens, bare=headless_token))


async def _serve(outfit: "Outfit", port: int, *, opens: bool, bare: bool) -> int:
    import anyio

    from ouroboros.app.providers.logins import open_page
    from ouroboros.faces.web.door import served

    async with served(outfit, port=port) as plate:
        if bare:
            say(f"{plate.port} {plate.token}")
        else:
            say(plate.entrance)
            note("serving this machine only; Ctrl-C stops, sessions are kept")
        if opens and not open_page(plate.entrance, outfit.environment):
            note("no browser to show it in: open the address above")
        stopped = anyio.Event()

        async def stop(name: str) -> bool:
            del name
            stopped.set()
            return False

        await interrupts.watch(stop, stopped.set)
    return 0
