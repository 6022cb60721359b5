"""`ouro web`: the Command Center in the browser."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.invocation import Invocation, note, say
from ouroboros.faces.cli.options.flags import Chosen, asking

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from ouroboros.app.hub import Outfit
    from ouroboros.faces.web.door import Doorplate


class Showing(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed, and whether a browser is opened."""

    opens: bool
    bare: bool


@click.command("web")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Listen at this port of 127.0.0.1; 0 takes a free one.",
)
@click.option("--ipv6", is_flag=True, help="Listen at [::1] too.")
@click.option("--open", "opens", is_flag=True, help="Show it in the browser.")
@click.option(
    "--headless-token", is_flag=True, help="Print PORT TOKEN and nothing else, for a program."
)
@asking
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    *,
    port: int | None,
    ipv6: bool,
    opens: bool,
    headless_token: bool,
    **options: object,
) -> int:
    """Work in a page of your browser, until Ctrl-C.

    Only this machine reaches it, and only with the token that is printed. Runs go on while no page is open.
    """
    from ouroboros.app.hub import Outfit
    from ouroboros.app.hub.standing import alone
    from ouroboros.faces.web.listening import listening

    chosen = msgspec.convert(options, Chosen)
    cwd = invocation.cwd(chosen.cwd)
    loaded = invocation.load(chosen.settings(), cwd)
    outfit = Outfit(
        environment=invocation.environment,
        cwd=cwd,
        profile=invocation.profile,
        flags=chosen.settings(),
    )
    showing = Showing(opens=opens, bare=headless_token)
    with alone(loaded.home) as place:
        wanted = loaded.settings.server.port if port is None else port
        listeners = listening(wanted, six=ipv6)
        return interrupts.run(partial(_serve, outfit, listeners, place, showing, loaded.home))


async def _serve(
    outfit: "Outfit",
    listeners: "list[socket.socket]",
    place: "Callable[[str], None]",
    showing: Showing,
    home: "Path",
) -> int:
    from ouroboros.faces.web.door import served

    async with served(outfit, *listeners) as plate:
        place(plate.address)
        _show(outfit, plate, showing, home)
        await interrupts.watch(interrupts.at_once, lambda: None)
        if not showing.bare:
            note("stopping; sessions are kept")
    return 0


def _show(outfit: "Outfit", plate: "Doorplate", showing: Showing, home: "Path") -> None:
    from ouroboros.app.providers.logins import open_privately

    say(f"{plate.port} {plate.token}" if showing.bare else plate.entrance)
    if sys.stdout is not None:
        sys.stdout.flush()
    if not showing.bare:
        note("only this machine reaches it; Ctrl-C stops, sessions are kept")
    if showing.opens and not open_privately(plate.once(), outfit.environment, home):
        note("there is no browser to show it in; open the address above")
