"""A unified diff as coloured lines; the signs alone carry the meaning without colour."""

import re

from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, GREEN, RED, Row, row

_HUNK = re.compile(r"^@@ ", re.MULTILINE)


def is_diff(text: str) -> bool:
    """Whether the text is a unified diff."""
    return text.startswith(("--- ", "diff ", "@@ ")) or bool(
        _HUNK.search(text) and "\n+++ " in text
    )


def diff_rows(text: str, limit: int, *, more: str = "") -> list[Row]:
    """The diff, cut in the middle of nothing: its first lines and how many follow.

    ``more`` says where those are.
    """
    lines = text.rstrip("\n").split("\n")
    rows = [row(line.expandtabs(4), _style(line)) for line in lines[:limit]]
    if len(lines) > limit:
        rows.append(row(f"… {len(lines) - limit:,} more lines{more}", DIM))
    return rows


def from_change(text: str) -> str:
    """The diff from its first line that changes, without its head and what stands before."""
    lines = text.split("\n")
    hunk = next((at for at, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    first = next((at for at in range(hunk, len(lines)) if lines[at][:1] in {"+", "-"}), None)
    return text if first is None else "\n".join(lines[first:])


def tally(text: str) -> str:
    """How many lines a diff adds and takes away, as ``+3 -1``."""
    lines = text.split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
    return f"+{added} -{removed}"


def _style(line: str) -> str:
    if line.startswith(("+++ ", "--- ", "diff ")):
        return BOLD
    return {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1], "")
