"""Files and hunks as rows; pure."""

from collections.abc import Sequence
from functools import lru_cache

from ouroboros.app.paws.dogs.choosing import Offer
from ouroboros.app.text import plain
from ouroboros.faces.tui.review.marks import Marks, Verdict
from ouroboros.faces.tui.transcript.changes import change_rows
from ouroboros.faces.tui.transcript.look import FAINT, Look, filled
from ouroboros.faces.wording.rows import BOLD, GREEN, RED, YELLOW, Row, Span, row, row_width, width
from ouroboros.faces.wording.words import one_line

_ALL = 1_000_000
_LAID_OUT = 1_024
_CURRENT = "7"
_LETTERS = {"add": "A", "change": "M", "delete": "D", "rename": "R"}
_STYLES = {"a": GREEN, "r": RED, "~": YELLOW}
_SAID = {"accept": "a", "reject": "r", "": " "}


def file_rows(offers: Sequence[Offer], marks: Marks, current: int, columns: int) -> list[Row]:
    """A line for each file: the verdict, what becomes of it, its name, lines that come and go.

    A ``!`` stands before what steers later runs.
    """
    return [
        _file_row(offer, marks.sign(number), columns, is_current=number == current)
        for number, offer in enumerate(offers)
    ]


def change_of(
    offer: Offer, said: Sequence[Verdict], current: int | None, columns: int, *, sides: bool
) -> tuple[list[Row], list[int]]:
    """The hunks of a file, and the row on which each part begins."""
    rows: list[Row] = [row(f"steers later runs: {offer.steers}", YELLOW)] if offer.steers else []
    rows += [row(_told(offer), FAINT)] if offer.why_whole or offer.is_merged else []
    places: list[int] = []
    count = len(offer.hunks)
    for number, hunk in enumerate(offer.hunks):
        part = 0 if offer.why_whole else number
        places.append(len(rows))
        sign = _SAID[said[part]]
        style = f"{BOLD};{_CURRENT}" if part == current else _STYLES.get(sign, BOLD)
        rows.append(row(f"[{sign}] hunk {number + 1} of {count}", style))
        rows += _hunk_rows(one_line(offer.path, _ALL), hunk, columns, sides)
    return rows, places


@lru_cache(_LAID_OUT)
def _hunk_rows(name: str, hunk: str, columns: int, sides: bool) -> tuple[Row, ...]:
    """The lines of a hunk, kept for the next key."""
    text = f"--- a/{name}\n+++ b/{name}\n{plain(hunk)}"
    return tuple(change_rows(text, Look(columns=columns, sides=sides), _ALL)[1:])


def _file_row(offer: Offer, sign: str, columns: int, *, is_current: bool) -> Row:
    counts = f" +{offer.added} -{offer.removed}" if offer.hunks else ""
    head = f"[{sign}] {_LETTERS.get(offer.action, '?')} {'! ' if offer.steers else ''}"
    name = one_line(plain(f"{offer.was} -> {offer.path}" if offer.was else offer.path), _ALL)
    room = max(columns - len(head) - len(counts), 4)
    while width(name) > room:
        name = f"…{name[2:]}"  # the end of a path says more than its beginning
    style = _CURRENT if is_current else YELLOW if offer.steers else ""
    spans = (
        Span(head, _CURRENT if is_current else _STYLES.get(sign, "")),
        Span(name, style),
        Span(" " * max(columns - row_width(row(name)) - len(head) - len(counts), 0), style),
        Span(counts, style),
    )
    return filled(spans, columns, style)


def _told(offer: Offer) -> str:
    words = [f"taken or left as a whole: {offer.why_whole}"] if offer.why_whole else []
    words += ["joined with what was changed since the model saw it"] if offer.is_merged else []
    return "; ".join(words)
