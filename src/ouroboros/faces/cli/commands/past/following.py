"""`ouro sessions follow`: reads a session along that another process has open."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.invocation import Invocation, note

if TYPE_CHECKING:
    from ouroboros.core.events import Envelope
    from ouroboros.faces.cli.render.machine import StreamFace
    from ouroboros.faces.cli.render.plain import PlainFace


_LEAVING_SECONDS = 1.0


@click.command("follow")
@click.argument("session")
@click.option("--all", "whole", is_flag=True, help="From the first event on, not the latest turn.")
@click.option("--json", "as_json", is_flag=True, help="Print every event as a line of JSON.")
@click.pass_obj
def follow(invocation: Invocation, session: str, *, whole: bool, as_json: bool) -> None:
    """Show what happens in SESSION, which may be open elsewhere, until Ctrl-C.

    Nothing can be said or answered here.
    """
    read_along(invocation.home(), session, whole=whole, as_json=as_json)


def read_along(home: Path, session: str, *, whole: bool = False, as_json: bool = False) -> None:
    """Shows a session until Ctrl-C; raises as ``sessions.find``."""
    import anyio

    from ouroboros.app.past import following, sessions
    from ouroboros.core.errors import unwrapped

    found = sessions.find(home, session)
    after = 0 if whole else following.latest_turn(home, found.id)
    note(f"following {found.id}, which is {found.status}; Ctrl-C ends")
    try:
        anyio.run(partial(_read_along, home, found.id, after, as_json=as_json))
    except ExceptionGroup as group:
        raise unwrapped(group) from group


async def _read_along(home: Path, session: str, after: int, *, as_json: bool) -> None:
    from contextlib import aclosing

    import anyio

    from ouroboros.app.past.following import follow
    from ouroboros.core.clock import SystemClock
    from ouroboros.faces.cli.render.machine import StreamFace
    from ouroboros.faces.cli.render.outlet import Outlet
    from ouroboros.faces.cli.render.plain import PlainFace
    from ouroboros.faces.cli.render.screen import Size

    out, err = Outlet(1), Outlet(2)
    plain = PlainFace(out, err, clock=SystemClock(), size=Size.of(1), streaming=True)
    face = StreamFace(out, err) if as_json else plain
    async with (
        anyio.create_task_group() as tasks,
        aclosing(follow(home, session, after=after)) as batches,
    ):
        tasks.start_soon(out.drain)
        tasks.start_soon(err.drain)
        try:
            async for batch in batches:
                for envelope in batch:
                    _show(face, envelope)
                await out.flush()
                await err.flush()
                if out.broken:
                    break
        finally:
            # Ctrl-C comes to a reader who has seen the answer, and not yet what stands before it.
            with anyio.CancelScope(shield=True), anyio.move_on_after(_LEAVING_SECONDS):
                await err.flush()
                await out.flush()
        tasks.cancel_scope.cancel()


def _show(face: "StreamFace | PlainFace", envelope: "Envelope") -> None:
    """One event; what the person said elsewhere is not on this screen yet."""
    from ouroboros.core.events import UserMessage
    from ouroboros.faces.cli.render.plain import PlainFace
    from ouroboros.faces.wording.face import Notice
    from ouroboros.faces.wording.words import one_line

    match envelope.data:
        case UserMessage(message=message, steered=False) if message.kind == "plain" and isinstance(
            face, PlainFace
        ):
            face.tell(Notice(text=f"> {one_line(message.text, 600)}"))
        case _:
            face.take(envelope)
