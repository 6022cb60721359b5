"""A program on a real pseudo-terminal, and what a person would see on it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata
from pathlib import Path
from typing import Self

from tests import forked

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([@-~])")
DEADLINE_SECONDS = 60.0


class Picture:
    """The part of a terminal that the program uses: text, wrapping, moving up and right, erasing.

    Raises on any other sequence, so that an unexpected one fails a test.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns = columns
        self.lines = lines
        self.rows: list[list[str]] = [[]]
        self.y = 0
        self.x = 0
        self.styles: set[str] = set()
        self.modes: set[str] = set()
        self._rest = ""

    def feed(self, text: str) -> None:
        text = self._rest + text
        self._rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
                continue
            found = _SEQUENCE.match(text, at)
            if found is None:
                if len(text) - at > 16:
                    raise AssertionError(f"unexpected sequence {text[at : at + 16]!r}")
                self._rest = text[at:]
                return
            self._do(found[1], found[2])
            at = found.end()

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def _put(self, character: str) -> None:
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.y += 1
            if self.y == len(self.rows):
                self.rows.append([])
        elif character < " " or "\x7f" <= character < "\xa0":
            raise AssertionError(f"unexpected control character {character!r}")
        else:
            cells = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.x + cells > self.columns:
                self.x = 0
                self._put("\n")
            row = self.rows[self.y]
            row.extend(" " * (self.x + cells - len(row)))
            row[self.x : self.x + cells] = [character, ""][:cells]
            self.x += cells

    def _do(self, parameters: str, final: str) -> None:
        match final:
            case "A":
                self.y -= int(parameters or 1)
                assert self.y >= 0, "moved above the first row"
            case "C":
                self.x += int(parameters or 1)
            case "J":
                assert not parameters
                del self.rows[self.y + 1 :]
                del self.rows[self.y][self.x :]
            case "m":
                self.styles.add(parameters)
            case "h" | "l":
                assert parameters in {"?25", "?2004"}, parameters
                changed = "hidden" if parameters == "?25" else "paste"
                if (final == "h") == (changed == "paste"):
                    self.modes.add(changed)
                else:
                    self.modes.discard(changed)
            case _:
                raise AssertionError(f"unexpected sequence ESC [ {parameters}{final}")


class Program:
    """``ouro`` on a terminal of its own."""

    def __init__(
        self,
        arguments: list[str],
        *,
        cwd: Path,
        columns: int = 80,
        lines: int = 24,
        environment: dict[str, str] | None = None,
        program: list[str] | None = None,
    ) -> None:
        self.picture = Picture(columns, lines)
        self.raw = ""
        self._fd, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        self.process = forked.Popen(
            program or [sys.executable, "-m", "ouroboros", *arguments],
            cwd=cwd,
            env=variables,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            terminal=True,
        )
        os.close(inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._fd)

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def resize(self, columns: int, lines: int) -> None:
        """Changes the size, as a person does with a window."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def sees(self, words: str, *, times: int = 1) -> str:
        """Waits until the words are on the terminal, as often as that."""
        words = words.rstrip()
        deadline = time.monotonic() + DEADLINE_SECONDS
        while self.picture.text.count(words) < times:
            if not self._read(deadline):
                raise AssertionError(f"never saw {words!r} in:\n{self.picture.text}")
        return self.picture.text

    def ends(self) -> int:
        """Waits for the end; gives the exit code."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while self._read(deadline):
            pass
        return self.process.wait(timeout=max(deadline - time.monotonic(), 0.1))

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._fd], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return False
        try:
            content = os.read(self._fd, 65536)
        except OSError:  # the other end is closed
            return False
        text = content.decode("utf-8", "replace")
        self.raw += text
        self.picture.feed(text)
        return bool(content)
