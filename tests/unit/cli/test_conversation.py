"""A person at a terminal and a session that takes its time."""

import fcntl
import os
import pty
import signal
import struct
import termios
from collections.abc import Callable
from typing import Self

import anyio
import anyio.lowlevel
import pytest

from ouroboros.core.commands import Command, Resize
from ouroboros.core.events import Envelope
from ouroboros.core.state import Spent, State
from ouroboros.faces.cli.conversation import Conversation
from ouroboros.faces.cli.prompting.input import Lines
from ouroboros.faces.cli.stage import Streams, text_stage
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.wording.face import Ending
from tests.story.cli_terminal import Picture
from tests.unit.cli.render_stage import Ended, StillClock, pipe


class SlowTalk:
    """A session whose runs end, and whose commands are done, when the test says so."""

    outcome: Ending | None = None

    def __init__(self) -> None:
        self.may_end = anyio.Event()
        self.may_hear = anyio.Event()
        self.told = anyio.Event()
        self.heard: list[Command] = []

    def listen(self, sink: Callable[[Envelope], None]) -> None:
        """Has nothing to show."""

    async def warm(self) -> None:
        """Needs no warmth."""

    async def send(self, command: Command) -> None:
        self.heard.append(command)
        self.told.set()
        await self.may_hear.wait()

    async def run(self, text: str, *, typed: int | None = None) -> Ending:
        await self.may_end.wait()
        return Ended(Spent())


class Terminal:
    """The person's end of a pseudo-terminal."""

    def __init__(self) -> None:
        self.fd, self.inner = pty.openpty()
        self.resize(80, 24)
        os.set_blocking(self.fd, False)
        self.picture = Picture(80, 24)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)
        os.close(self.inner)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    async def sees(self, words: str) -> None:
        with anyio.fail_after(60):
            while words not in self.picture.text:
                await anyio.wait_readable(self.fd)
                self.picture.feed(os.read(self.fd, 65_536).decode())


def forgotten(text: str) -> None:
    del text


async def no_control(line: str, *, running: bool) -> Control:
    raise AssertionError(line)


async def test_the_end_of_a_turn_takes_no_warning_back() -> None:
    with Terminal() as terminal:
        assert await left_after_two_interrupts(terminal) == 130


def at(terminal: Terminal, talk: SlowTalk) -> Conversation:
    """A conversation at a terminal."""
    streams = Streams(
        stdin=terminal.inner,
        stdout=terminal.inner,
        stderr=terminal.inner,
        environment={"TERM": "xterm-256color", "NO_COLOR": "1"},
    )
    stage = text_stage(
        streams,
        state=State(),
        clock=StillClock(),
        history=[],
        prompt=lambda: "> ",
        listens=True,
    )
    return Conversation(talk, stage, "ses_1")


async def left_after_two_interrupts(terminal: Terminal) -> int:
    """The exit code of somebody who interrupts as a turn ends, and once more."""
    talk, codes, left = SlowTalk(), list[int](), anyio.Event()
    conversation = at(terminal, talk)

    async def chat() -> None:
        codes.append(await conversation.chat("begin", no_control, lambda text: None))
        left.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(chat)
        await terminal.sees("Ctrl-C stops")
        terminal.type("more\r")
        await talk.told.wait()
        # The turn ends while the words before are still being told.
        talk.may_end.set()
        await terminal.sees("Done after")
        signal.raise_signal(signal.SIGINT)
        await terminal.sees("Ctrl-C again, or Ctrl-D, leaves")
        talk.may_hear.set()
        await anyio.wait_all_tasks_blocked()
        signal.raise_signal(signal.SIGINT)
        with anyio.fail_after(60):
            await left.wait()
    return codes[0]


@pytest.mark.proves("D13")
@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])
async def test_the_session_is_told_how_large_the_terminal_is_if_that_is_unusual(
    columns: int, rows: int
) -> None:
    talk = SlowTalk()
    talk.may_hear.set()
    with Terminal() as terminal:
        terminal.resize(columns, rows)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(at(terminal, talk).chat, "begin", no_control, forgotten)
            await terminal.sees("Ctrl-C stops")
            await anyio.wait_all_tasks_blocked()
            first = [Resize(columns=columns, rows=rows)] if columns != 80 else []
            assert talk.heard == first
            talk.told = anyio.Event()
            terminal.resize(77, 21)
            signal.raise_signal(signal.SIGWINCH)
            signal.raise_signal(signal.SIGWINCH)
            with anyio.fail_after(60):
                await talk.told.wait()
            await anyio.wait_all_tasks_blocked()
            assert talk.heard == [*first, Resize(columns=77, rows=21)]
            tasks.cancel_scope.cancel()


class LateLines(Lines):
    """Lines of a script; those that are not there from the start come just as the first turn ends."""

    def __init__(self, fd: int, at_once: int, lines: list[str]) -> None:
        super().__init__(fd)
        self.at_once = at_once
        self.left = lines
        self.ending = anyio.Event()

    async def next(self, reader: int) -> str | None:
        if self.at_once == 0:
            await self.ending.wait()
        return self.left[0] if self.left else None

    def taken(self) -> None:
        self.left.pop(0)
        self.at_once = max(0, self.at_once - 1)


class ScriptedTalk(SlowTalk):
    """A session whose first turn ends in the very moment in which the next line is given."""

    def __init__(self, lines: LateLines) -> None:
        super().__init__()
        self.lines = lines
        self.ran: list[str] = []

    async def run(self, text: str, *, typed: int | None = None) -> Ending:
        self.ran.append(text)
        if len(self.ran) == 1:
            await anyio.wait_all_tasks_blocked()
            self.lines.ending.set()
            await anyio.lowlevel.checkpoint()
        return Ended(Spent(), "failed" if text == "fails" else "completed")


@pytest.mark.proves("V08")
@pytest.mark.parametrize(
    ("at_once", "lines"), [(2, ["1", "2", "3", "fails"]), (1, ["1", "fails"]), (1, ["fails"])]
)
async def test_what_is_said_just_as_a_turn_ends_overtakes_nothing_and_hides_no_failure(
    at_once: int, lines: list[str]
) -> None:
    stdin = os.open(os.devnull, os.O_RDONLY)
    with pipe() as (out, _):
        streams = Streams(stdin=stdin, stdout=out, stderr=out, environment={})
        stage = text_stage(
            streams, state=State(), clock=StillClock(), history=[], prompt=str, listens=True
        )
        stage.lines = late = LateLines(stdin, at_once, list(lines))
        talk = ScriptedTalk(late)
        code = await Conversation(talk, stage, "ses_1").chat("", no_control, forgotten)
    os.close(stdin)
    assert (talk.ran, code) == (lines, 1)
