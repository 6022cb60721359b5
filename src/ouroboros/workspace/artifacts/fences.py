"""Fences of blocks: one that is longer than any run of backticks within; pure."""

import re

LEAST = 3

_RUNS = re.compile(rb"`{3,}")


def longest_run(data: bytes) -> int:
    """The longest run of backticks, where it has at least three; else 0."""
    return max(map(len, _RUNS.findall(data))) if b"```" in data else 0


def fence_for(data: bytes) -> bytes:
    """A fence that nothing in ``data`` can close."""
    return b"`" * max(LEAST, longest_run(data) + 1)


def closing(fence: bytes) -> re.Pattern[bytes]:
    """Finds the line that closes a block which was opened by ``fence``."""
    return re.compile(rb"^%b{%d,}[ \t]*\r?$" % (fence[:1], len(fence)), re.MULTILINE)
