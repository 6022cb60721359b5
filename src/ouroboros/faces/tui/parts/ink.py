"""Rows of ``wording`` as the terminal library draws them, in the colours of the theme."""

from collections.abc import Iterable

from textual.content import Content

from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Row

INKS = {
    BOLD: "bold",
    DIM: "$text-muted",
    RED: "$text-error",
    GREEN: "$text-success",
    YELLOW: "$text-warning",
    CYAN: "$text-accent",
}


def inked(rows: Iterable[Row]) -> Content:
    """The rows below each other; no text in them is ever read as markup."""
    lines = [
        Content.assemble(*((span.text, INKS.get(span.style, "")) for span in row)) for row in rows
    ]
    return Content("\n").join(lines)
