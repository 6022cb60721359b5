"""Blocks as rows: pure, so that a picture of a block depends on the block and the look alone."""

from typing import assert_never

from ouroboros.app.text import plain
from ouroboros.faces.tui.transcript.blocks import (
    Block,
    Call,
    Children,
    Closing,
    Iteration,
    Picture,
    Plan,
    Prose,
    Said,
    Thought,
    Told,
    is_unfolded,
)
from ouroboros.faces.tui.transcript.cards import (
    call_rows,
    children_rows,
    iteration_rows,
    plan_rows,
)
from ouroboros.faces.tui.transcript.graphics import placed
from ouroboros.faces.tui.transcript.look import FAINT, Look, filled, indented, mark
from ouroboros.faces.wording.rows import BOLD, RED, YELLOW, Row, Span, row, wrap
from ouroboros.faces.wording.text.markdown import markdown_rows
from ouroboros.faces.wording.words import count, one_line

_DRAWN_OPEN = 12_000
_SAID_ROWS = 12
_LEVELS = {"info": FAINT, "warning": YELLOW, "error": RED}
_SIGNS = {"info": "  ", "warning": "! ", "error": "x "}


def rows_of(block: Block, look: Look) -> list[Row]:
    """The rows of a block, with nothing in them that a terminal would obey."""
    rows = [_harmless(each) for each in _rows(block, look)]
    if isinstance(block, Picture) and block.number and block.columns <= look.columns - 2:
        cells = placed(block.number, block.columns, block.rows)
        rows = [*indented(cells, "  "), *rows]
    return rows


def _harmless(line: Row) -> Row:
    """The row as it is, or made safe: whatever a block forgot ends here."""
    if all(span.text.isascii() and span.text.isprintable() for span in line):
        return line
    return tuple(
        Span(plain(span.text).replace("\n", " ").replace("\t", " "), span.style) for span in line
    )


def _rows(block: Block, look: Look) -> list[Row]:
    unfolded = is_unfolded(block, look.unfolded)
    match block:
        case Said():
            return _said(block, look, unfolded)
        case Prose():
            return _prose(block, look)
        case Thought():
            return _thought(block, look, unfolded)
        case Told():
            return _told(block, look)
        case Closing(text=text, failed=failed):
            return wrap(one_line(text, 600), look.columns, RED if failed else FAINT, "  ")
        case Picture(name=name, path=path, bytes=size):
            words = f"[image] {one_line(name, 120)}, {size:,} bytes: {one_line(path, 300)}"
            return wrap(words, look.columns, FAINT, "  ")
        case _:
            return _card(block, look, unfolded)


def _card(block: Call | Plan | Iteration | Children, look: Look, unfolded: bool) -> list[Row]:
    match block:
        case Call():
            return call_rows(block, look, unfolded)
        case Plan():
            return plan_rows(block, look, unfolded)
        case Iteration():
            return iteration_rows(block, look, unfolded)
        case Children():
            return children_rows(block, look, unfolded)
        case _:
            assert_never(block)


def guess(block: Block, columns: int) -> int:
    """About how many rows a block takes, without laying it out."""
    match block:
        case Said(text=text) | Prose(text=text):
            lines = text.count("\n") + 1
            return max(lines, len(text) // max(min(columns, 100) - 4, 8) + 1)
        case Call(detail=detail):
            return 1 + min(detail.count("\n"), 24) if detail else 3
        case Plan(steps=steps, is_old=is_old):
            return 1 if is_old else len(steps) + 1
        case Iteration(blocks=blocks):
            return 2 + sum(each.code.count("\n") + 3 for each in blocks)
        case _:
            return 1


def _said(block: Said, look: Look, unfolded: bool) -> list[Row]:
    columns = max(look.columns - 3, 4)
    rows = wrap(plain(block.text).rstrip(), columns, f"{BOLD};said")
    if len(rows) > _SAID_ROWS and not unfolded:
        more = row(f"… {count(len(rows) - _SAID_ROWS, 'more row')}", f"{FAINT};said")
        rows = [*rows[:_SAID_ROWS], more]
    rows += [row(f"[image] {one_line(name, 80)}", f"{FAINT};said") for name in block.pictures]
    if block.steered:
        rows.append(row("while it runs", f"{FAINT};said"))
    bar = Span("▌ ", "accent;said")
    return [filled((bar, *each), look.columns, "said") for each in rows]


def _prose(block: Prose, look: Look) -> list[Row]:
    columns = max(look.columns - 4, 8)
    if block.is_open and len(block.text) > _DRAWN_OPEN:
        rows = wrap(plain(block.text), min(columns, 100))
    else:
        rows = markdown_rows(block.text, columns, colours=look.colours)
    return indented(rows, "  ")


def _thought(block: Thought, look: Look, unfolded: bool) -> list[Row]:
    head = mark(unfolded)
    if not unfolded:
        words = block.text[-300:] if block.is_open else block.text
        word = "Thinking" if block.is_open else "Thought"
        text = one_line(words, max(look.columns - len(word) - 6, 8))
        return [(Span(head, FAINT), Span(f"{word}: {text}", f"{FAINT};3"))]
    rows = wrap(plain(block.text).strip(), max(look.columns - 4, 8), f"{FAINT};3")
    return [(Span(f"{head}Thought", FAINT),), *indented(rows, "    ")]


def _told(block: Told, look: Look) -> list[Row]:
    style = _LEVELS[block.level]
    room = max(look.columns - 2, 8)
    rows = wrap(plain(block.text), room, style)
    first, *rest = [(Span(_SIGNS[block.level], style), *each) for each in rows[:1]]
    shown = [first, *rest, *indented(rows[1:], "  ")]
    if block.hint:
        shown += indented(wrap(f"hint: {plain(block.hint)}", room), "  ")
    return shown
