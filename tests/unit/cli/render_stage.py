"""A terminal in memory: the real faces write through the real outlet into a pipe."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio

from ouroboros.core.clock import Clock
from ouroboros.core.events import Envelope
from ouroboros.core.state import Spent, State, fold
from ouroboros.faces.cli.render.late import LateFace
from ouroboros.faces.cli.render.live import Live
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.cli.render.screen import Screen, Size
from ouroboros.faces.cli.render.terminal import TerminalFace
from tests.story.cli_terminal import Picture


class StillClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class Ended:
    """How the recorded run ended."""

    def __init__(self, spent: Spent, reason: str = "completed", final: str = "") -> None:
        self.reason = reason
        self.final = final
        self.turns = 2
        self.spent = spent
        self.exit_code = 0 if reason == "completed" else 1


@contextmanager
def pipe() -> Generator[tuple[int, Callable[[], str]]]:
    """A file descriptor to write to, and what was written."""
    path = os.memfd_create("written")
    try:
        yield path, lambda: os.pread(path, 10_000_000, 0).decode()
    finally:
        os.close(path)


async def carried(outlet: Outlet) -> None:
    """Carries out what waits in the outlet."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outlet.drain)
        await outlet.flush()
        tasks.cancel_scope.cancel()


async def on_terminal(
    events: list[Envelope], *, columns: int, lines: int = 24, colour: bool, each: bool = True
) -> tuple[Picture, str]:
    """What a run looks like on a terminal, drawn after each event, and the bytes of it."""
    size = Size(columns=columns, lines=lines)
    state = State()
    clock: Clock = StillClock()
    with pipe() as (fd, written):
        outlet = Outlet(fd)
        screen = Screen(terminal=True, cursor=True, colour=colour, unicode=True)
        live = Live(outlet, colour=colour)
        face = TerminalFace(live, screen, state=state, clock=clock, size=lambda: size)
        face.begin()
        for envelope in events:
            state.apply(envelope)
            face.take(envelope)
            if each:
                face.draw()
        face.finish(Ended(state.spent, state.ended or "completed", state.final), state.session)
        face.close()
        await carried(outlet)
        text = written()
    picture = Picture(columns, lines)
    picture.feed(text.replace("\n", "\r\n"))
    return picture, text


async def in_pipes(
    events: list[Envelope], *, streaming: bool = False, columns: int = 80
) -> tuple[str, str]:
    """What standard output and standard error hold after a run without a terminal."""
    state = fold(events)
    with pipe() as (out_fd, out_written), pipe() as (err_fd, err_written):
        out, err = Outlet(out_fd), Outlet(err_fd)
        size = Size(columns=columns, lines=24)
        face = LateFace(out, err, clock=StillClock(), size=size, streaming=streaming)
        face.begin()
        for envelope in events:
            face.take(envelope)
        face.finish(Ended(state.spent, state.ended or "completed", state.final), state.session)
        await carried(out)
        await carried(err)
        return out_written(), err_written()
