"""Gives a terminal back when we are killed ourselves while it is ours.

A small shell outlives us, as in ``safety.guard``: it remembers how the terminal was, and when its pipe
ends without a word it ends the modes that were begun and sets the terminal as it was.
"""

import contextlib
import fcntl
import os

_SCRIPT = """
trap '' HUP INT TERM TTOU TTIN TSTP
was=$(stty -g <&4) || exit
(
  read -r word <&3
  [ "$word" = left ] && exit
  printf '%b' "$RESET" >&4
  stty "$was" <&4
) &
"""


class Keeper:
    """Watches over one terminal from ``begin`` to ``release``."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._pipe: int | None = None

    def begin(self, terminal: int, reset: str) -> None:
        """Remembers how the terminal is now; takes a few milliseconds.

        Args:
            terminal: Its descriptor.
            reset: What is written to end every mode.

        Raises:
            OSError: There is no shell, or no room for a process.
        """
        reading, self._pipe = os.pipe()
        # Above the numbers that they get: taking one must not close the other.
        heard, seen = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (reading, terminal))
        nowhere = ((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2))
        try:
            first = os.posix_spawn(
                "/bin/sh",
                ["/bin/sh", "-c", _SCRIPT],
                {"PATH": os.defpath, "RESET": reset.replace("\x1b", "\\033")},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, seen, 4),
                    (os.POSIX_SPAWN_DUP2, heard, 3),
                    *nowhere,
                ],
                setsid=True,
            )
            os.waitpid(first, 0)
        finally:
            for each in (reading, heard, seen):
                os.close(each)

    def release(self) -> None:
        """The terminal was given back; the shell ends."""
        if self._pipe is not None:
            with contextlib.suppress(OSError):
                os.write(self._pipe, b"left\n")
            os.close(self._pipe)
            self._pipe = None
