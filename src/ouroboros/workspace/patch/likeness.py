"""When lines of a patch and of a file count as the same, from exact to forgiving."""

from collections.abc import Callable, Sequence

_FOLDED = str.maketrans(
    dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("‘’‚‛", "'")
    | dict.fromkeys("“”„‟", '"')
    | dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
)


def seek(
    lines: Sequence[str], pattern: Sequence[str], start: int, *, at_end: bool = False
) -> int | None:
    """Where ``pattern`` stands at or after ``start``; a whole pass is made per level of likeness."""
    if not pattern:
        return start
    last = len(lines) - len(pattern)
    if last < 0:
        return None
    first = last if at_end else start
    for alike in _LEVELS:
        wanted = [alike(line) for line in pattern]
        # An exact place is mostly near; the other levels look at every line anyway.
        standing = lines if alike is _exact else [alike(line) for line in lines]
        for position in range(first, last + 1):
            end = position + len(wanted)
            if (
                standing[position] == wanted[0]
                and standing[end - 1] == wanted[-1]
                and list(standing[position:end]) == wanted
            ):
                return position
    return None


def folded(line: str) -> str:
    """A line without outer white space and typography."""
    return line.strip().translate(_FOLDED)


def _exact(line: str) -> str:
    return line


_LEVELS: tuple[Callable[[str], str], ...] = (_exact, str.rstrip, str.strip, folded)
