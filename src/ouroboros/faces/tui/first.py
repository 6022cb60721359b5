"""The first screen, before any library that draws is loaded: what is typed from here on is kept."""

import os
import termios
from collections.abc import Generator
from contextlib import contextmanager, suppress

from ouroboros.app.terminal import kept
from ouroboros.core.state import State
from ouroboros.faces.tui.palette import Palette, chosen
from ouroboros.faces.tui.start import Start
from ouroboros.faces.tui.status.branch import branch
from ouroboros.faces.tui.status.line import Facts, line
from ouroboros.faces.wording.rows import row, row_width

_INPUT, _OUTPUT = 0, 1
_KEYS, _LOCAL = 0, 3
ENTER = "\x1b[?1049h"
"""Begins the screen that leaves the shell's as it was."""

LEAVE = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2048l"
    "\x1b[?1004l\x1b[<u\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"
)
"""What ends every mode that the application may have begun; harmless where none is on."""


@contextmanager
def first_screen(start: Start) -> Generator[None]:
    """Draws it at once; at the end, however that comes, the terminal is as it was."""
    with kept(_INPUT, LEAVE):
        before = _quietened()
        _write(ENTER + "\x1b[?25l" + picture(start, *_size()))
        try:
            yield
        finally:
            _write(LEAVE)
            if before is not None:
                with suppress(termios.error):
                    termios.tcsetattr(_INPUT, termios.TCSADRAIN, before)


def picture(start: Start, columns: int, lines: int) -> str:
    """An empty transcript, the prompt and the status line, as a terminal reads them."""
    settings = start.loaded.settings
    palette = chosen(settings.tui.theme, start.environment)
    state = State(model=settings.model, mode=settings.mode, cwd=str(start.cwd))
    status = line(state, Facts(branch=branch(start.cwd)), columns)
    drawn = [_row(row(text), columns) for text in ("─" * columns, ">")]
    drawn.append(_row(status, columns))
    colours = _ground(palette, start.environment)
    blank = f"{colours}\x1b[2J"
    placed = "".join(f"\x1b[{lines - len(drawn) + at};1H{text}" for at, text in enumerate(drawn, 1))
    return f"{blank}{placed}\x1b[0m\x1b[{max(lines - 1, 1)};3H"


def _row(spans: tuple[tuple[str, str], ...], columns: int) -> str:
    text = "".join(words for words, _ in spans)
    return text + " " * max(columns - row_width(row(text)), 0)


def _ground(palette: Palette, environment: dict[str, str]) -> str:
    if not palette.background or environment.get("COLORTERM") not in {"truecolor", "24bit"}:
        return ""
    return "".join(
        f"\x1b[{kind};2;{int(colour[1:3], 16)};{int(colour[3:5], 16)};{int(colour[5:7], 16)}m"
        for kind, colour in ((48, palette.background), (38, palette.foreground))
    )


def _size() -> tuple[int, int]:
    try:
        size = os.get_terminal_size(_OUTPUT)
    except OSError:
        return 80, 24
    return max(size.columns, 1), max(size.lines, 1)


def _quietened() -> "list[int | list[bytes | int]] | None":
    """Lets keys wait unseen until somebody reads them; gives what the terminal was like."""
    try:
        before = termios.tcgetattr(_INPUT)
        changed = termios.tcgetattr(_INPUT)
        changed[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        changed[_KEYS] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
        termios.tcsetattr(_INPUT, termios.TCSANOW, changed)
    except termios.error:
        return None
    return before


def _write(text: str) -> None:
    with suppress(OSError):
        rest = text.encode("utf-8", "replace")
        while rest:
            rest = rest[os.write(_OUTPUT, rest) :]
