"""A question to the person: what is asked, what it would do, and what may be answered."""

from ouroboros.app.text import plain, spelled
from ouroboros.core.events import PermissionRequested
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.asked import FOR, IN, Choice, action_of, choices, grant_of
from ouroboros.faces.wording.rows import BOLD, CYAN, DIM, RED, YELLOW, Row, Span, crop, row, wrap
from ouroboros.faces.wording.text.diff import diff_rows, from_change, is_diff
from ouroboros.faces.wording.words import one_line

_MORE = "; i shows all"


def question_rows(event: PermissionRequested, size: Size, *, whole: bool = False) -> list[Row]:
    """The readable action, why it is asked, what it may do, and the exact input or the diff of it."""
    rows = [
        (Span("? ", YELLOW), *line)
        for line in wrap(f"Allow: {action_of(event)}", size.columns - 2, BOLD)
    ]
    if event.warning:
        rows += wrap(one_line(f"Warning: {event.warning}", 400), size.columns, RED, "  ")
    if event.reason and event.reason != event.warning:
        rows += wrap(one_line(event.reason, 600), size.columns, DIM, "  ")
    limit = max(size.lines - 8, 3)
    if event.detail and not whole:
        detail = plain(event.detail)
        if is_diff(detail):
            shown = "\n".join(detail.split("\n")[2:])  # the action names the file
            if shown.count("\n") > limit:
                shown = from_change(detail)
            changed = [crop(line, size.columns - 2) for line in diff_rows(shown, limit, more=_MORE)]
            return [*rows, *((Span("  "), *line) for line in changed)]
        exact = wrap(detail, size.columns, "", "  | ")
    elif event.about and not whole:
        seen = "\n".join(plain(spelled(each)) for each in event.about)
        exact = wrap(seen, size.columns, "", "  | ")
    else:
        exact = wrap(plain(spelled(event.input)), size.columns, "", "  | ")
    if whole or len(exact) <= limit:
        return rows + exact
    more = row(f"  … {len(exact) - limit:,} more rows; i shows all", DIM)
    return [*rows, *exact[:limit], more]


def choice_rows(event: PermissionRequested, size: Size) -> list[Row]:
    """The answers to a question, and what "always" would cover."""
    covers = grant_of(event)
    grant = f" ({covers})" if covers else ""
    text = "y yes   n no   "
    text += f"a always in this session{grant}   " if "session" in event.scopes else ""
    text += "r remember in a file   " if choices(event) else ""
    text += "" if event.fixed else "e edit   "
    text += "i whole input"
    return wrap(text, size.columns - 1, CYAN, "  ")  # the last column of the foot stays empty


def remember_rows(found: tuple[Choice, ...], size: Size) -> list[Row]:
    """What can be written down, a letter each: whole where there is room, else a row each."""
    texts = [f"{one.letter} {FOR[one.scope]}: {one_line(one.words, 120)}" for one in found]
    rows = [line for text in texts for line in wrap(text, size.columns - 1, CYAN, "  ")]
    limit = max(size.lines // 2, 2) - 1
    if len(rows) > limit:
        short = [f"  {one.letter} {IN[one.scope]}: {one_line(one.words)}" for one in found]
        rows = [crop(row(text, CYAN), size.columns - 1) for text in short]
    if len(rows) > limit:
        letters = ", ".join(one.letter for one in found[limit - 1 :])
        rows = [*rows[: limit - 1], row(f"  also {letters}", CYAN)]
    return [*rows, row("  Esc back", DIM)]
