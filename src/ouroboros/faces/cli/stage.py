"""Which face a run gets, from where its input and output lead."""

import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.errors import OuroborosError
from ouroboros.core.state import State
from ouroboros.faces.cli.render.late import LateFace
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.cli.render.screen import Screen, Size
from ouroboros.faces.wording.face import Face

if TYPE_CHECKING:
    from ouroboros.faces.cli.prompting.desk import Desk
    from ouroboros.faces.cli.prompting.input import Lines
    from ouroboros.faces.cli.prompting.keys import Key
    from ouroboros.faces.cli.prompting.line import Line
    from ouroboros.faces.cli.render.terminal import TerminalFace

type Output = Literal["text", "json", "stream-json"]


class Streams(Struct, frozen=True, kw_only=True):
    """The three files a program is started with, and what the environment says of them."""

    stdin: int
    stdout: int
    stderr: int
    environment: dict[str, str]
    encoding: str = "utf-8"

    @classmethod
    def of_process(cls, environment: dict[str, str]) -> "Streams":
        """This process's own; what was closed leads to nowhere, so that no file takes its number.

        Raises:
            OuroborosError: Standard output is closed.
        """
        if sys.stdout is None:
            raise OuroborosError(
                "standard output is closed, so there is nowhere to write the answer",
                hint="redirect it to a file or to /dev/null",
            )
        for number, stream in ((0, sys.stdin), (2, sys.stderr)):
            if stream is None:
                _occupy(number)
        return cls(
            stdin=0,
            stdout=1,
            stderr=2,
            environment=environment,
            encoding=sys.stdout.encoding or "utf-8",
        )

    @property
    def types(self) -> bool:
        """A person types."""
        return os.isatty(self.stdin)

    @property
    def converses(self) -> bool:
        """A person types and sees what is asked; not so for a job in the background."""
        return self.types and (self.moves or os.isatty(self.stderr)) and _is_in_front(self.stdin)

    @property
    def moves(self) -> bool:
        """Standard output is a terminal whose cursor can be moved."""
        return self.screen.cursor

    @property
    def screen(self) -> Screen:
        """What standard output can show."""
        return Screen.of(self.stdout, self.environment, self.encoding)


class Stage(Struct, kw_only=True):
    """A face with the ways in and out it needs.

    Attributes:
        desk: None when nobody types.
        terminal: The face again, when it is one that must be animated.
        keys: The desk is fed single keys rather than lines.
        typed: A person types, while things happen; otherwise lines come from a file or a pipe.
        invite: Shows that a task may be typed, where no line is drawn.
        attach: Puts names in the place of pictures that are pasted.
        complete: Ends a name that was begun.
        lines: What is read of the input where it is not read key by key.
    """

    face: Face
    out: Outlet
    err: Outlet
    stdin: int
    desk: "Desk | None" = None
    terminal: "TerminalFace | None" = None
    keys: bool = False
    typed: bool = False
    invite: Callable[[], None] | None = None
    attach: "Callable[[Key], Awaitable[Key]] | None" = None
    complete: "Callable[[Line], Awaitable[None]] | None" = None
    lines: "Lines | None" = None

    @property
    def outlets(self) -> tuple[Outlet, ...]:
        """Each way out once."""
        return (self.out,) if self.out is self.err else (self.out, self.err)


def machine_stage(streams: Streams, output: Literal["json", "stream-json"]) -> Stage:
    """A stage for programs: nobody is asked."""
    from ouroboros.faces.cli.render.machine import ReportFace, StreamFace

    out, err = _outlets(streams)
    face = ReportFace(out, err) if output == "json" else StreamFace(out, err)
    return Stage(face=face, out=out, err=err, stdin=streams.stdin)


def open_stage(streams: Streams, output: Output, state: State, *, interactive: bool) -> Stage:
    """The stage of one task, in the form that was asked for."""
    if output != "text":
        return machine_stage(streams, output)
    return text_stage(
        streams,
        state=state,
        clock=SystemClock(),
        history=[],
        prompt=lambda: "> ",
        listens=interactive,
    )


def text_stage(
    streams: Streams,
    *,
    state: State,
    clock: Clock,
    history: list[str],
    prompt: Callable[[], str],
    listens: bool,
) -> Stage:
    """A stage for people; ``listens`` when what they type matters."""
    out, err = _outlets(streams)
    if streams.moves:
        terminal = _terminal_face(streams, out, state, clock)
        stage = Stage(face=terminal, out=out, err=err, stdin=streams.stdin, terminal=terminal)
        stage.typed = streams.types
        if listens:
            from ouroboros.faces.cli.prompting.desk import Desk

            stage.desk = Desk(terminal, clock, history, prompt)
            stage.keys = streams.types
            terminal.foot = stage.desk.foot if stage.keys else terminal.foot
        return stage
    size = Size.of(streams.stdout if streams.screen.terminal else streams.stderr)
    face = LateFace(out, err, clock=clock, size=size, streaming=streams.screen.terminal)
    stage = Stage(face=face, out=out, err=err, stdin=streams.stdin, typed=streams.types)
    if listens:
        from ouroboros.faces.cli.prompting.desk import Desk

        stage.desk = Desk(face, clock, history, prompt)
        stage.invite = (lambda: face.prompt(prompt())) if streams.types else None
    return stage


def _terminal_face(streams: Streams, out: Outlet, state: State, clock: Clock) -> "TerminalFace":
    from ouroboros.faces.cli.render.live import Live
    from ouroboros.faces.cli.render.terminal import TerminalFace

    screen = streams.screen
    live = Live(out, colour=screen.colour)
    return TerminalFace(
        live, screen, state=state, clock=clock, size=lambda: Size.of(streams.stdout)
    )


def _outlets(streams: Streams) -> tuple[Outlet, Outlet]:
    out = Outlet(streams.stdout, encoding=streams.encoding)
    together = (
        os.isatty(streams.stdout)
        and os.isatty(streams.stderr)
        and os.path.samestat(os.fstat(streams.stdout), os.fstat(streams.stderr))
    )
    return out, out if together else Outlet(streams.stderr)


def _is_in_front(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        # Not our controlling terminal: nothing will stop us for reading it.
        return True


def _occupy(number: int) -> None:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
