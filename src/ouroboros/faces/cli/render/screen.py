"""What the place that is written to can show."""

import os
from collections.abc import Mapping

from msgspec import Struct

_FALLBACK = (80, 24)
_NARROWEST = 20


class Screen(Struct, frozen=True, kw_only=True):
    """The abilities of an output.

    Attributes:
        terminal: A person looks at it as it is written.
        cursor: The cursor may be moved; false for ``TERM=dumb`` and pipes.
        colour: Escape sequences for colour are wanted.
        unicode: More than ASCII arrives unharmed.
    """

    terminal: bool
    cursor: bool
    colour: bool
    unicode: bool
    colours: int = 16

    @classmethod
    def of(cls, fd: int, environment: Mapping[str, str], encoding: str) -> "Screen":
        """Looks at an open file and at ``NO_COLOR``, ``TERM`` and ``COLORTERM``."""
        terminal = os.isatty(fd)
        name = environment.get("TERM", "")
        cursor = terminal and name not in {"", "dumb", "unknown"}
        rich = environment.get("COLORTERM", "") in {"truecolor", "24bit"} or "256color" in name
        return cls(
            terminal=terminal,
            cursor=cursor,
            colour=cursor and not environment.get("NO_COLOR"),
            unicode=encoding.lower().replace("-", "") == "utf8",
            colours=256 if rich else 16,
        )


class Size(Struct, frozen=True, kw_only=True):
    """Columns and lines of a terminal."""

    columns: int
    lines: int

    @classmethod
    def of(cls, fd: int) -> "Size":
        """Asks the terminal, which may have been resized; 80 x 24 if it does not know."""
        try:
            columns, lines = os.get_terminal_size(fd)
        except OSError:
            columns, lines = _FALLBACK
        columns, lines = columns or _FALLBACK[0], lines or _FALLBACK[1]
        return cls(columns=max(columns, _NARROWEST), lines=max(lines, 4))


USUAL = Size(columns=_FALLBACK[0], lines=_FALLBACK[1])
"""What terminals are taken for."""
