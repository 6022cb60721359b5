"""Calls, questions and plans as rows."""

import re

from ouroboros.app.text import plain
from ouroboros.core.events import PlanStep, ToolResulted
from ouroboros.core.events.question import UserAsked
from ouroboros.core.parts import Text
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.rows import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    RED,
    YELLOW,
    Row,
    Span,
    crop,
    row,
    wrap,
)
from ouroboros.faces.wording.text.diff import diff_rows, is_diff, tally
from ouroboros.faces.wording.words import duration, one_line

_STATUS = {"done": GREEN, "failed": RED, "denied": YELLOW, "cancelled": YELLOW}
_STEPS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
_DIFF_ROWS = 80
_COMMANDS = frozenset({"exec_command", "write_stdin"})
_HEAD = re.compile(
    r"\AChunk ID: \w+\nWall time: [\d.]+ seconds\n"
    r"(?:Process exited with code 0\n|(Process .*\n))?Original token count: \d+\nOutput:\n"
)
"""What a model is told before the output of a command, of which a person needs how it ended."""


def call_rows(title: str, event: ToolResulted, size: Size) -> list[Row]:
    """A finished call: what, how, how long, and the two ends of what came out."""
    style = _STATUS.get(event.status, RED)
    detail = plain(event.detail)
    changed = f" {tally(detail)}" if is_diff(detail) else ""
    status = f"{event.status} {duration(event.seconds)}{changed}"
    room = max(size.columns - len(status) - 4, 8)
    head = crop(row(title, BOLD), room)
    rows: list[Row] = [(Span("* ", style), *head, Span("  "), Span(status, style))]
    if changed:
        body = diff_rows(detail, min(_DIFF_ROWS, size.lines * 2))
    else:
        body = _excerpt(detail or _output(event), min(max(size.lines // 6, 1), 4))
    rows.extend((Span("  "), *line) for line in body)
    if event.truncated:
        rows.append(row(f"  the model saw part of {event.original_bytes:,} bytes", DIM))
    return [crop(line, size.columns) for line in rows]


def survey_rows(event: UserAsked, size: Size) -> list[Row]:
    """What the model asks: each question with its numbered answers."""
    rows: list[Row] = []
    for question in event.questions:
        text = f"{one_line(question.question, 1_000)}"
        rows += [(Span("? ", YELLOW), *line) for line in wrap(text, size.columns - 2, BOLD)]
        for number, option in enumerate(question.options, 1):
            says = f"{number} {one_line(option.label, 200)}"
            rows += wrap(says, size.columns, CYAN, "  ")
            rows += wrap(one_line(option.description, 400), size.columns, DIM, "    ")
    several = "each in a line of its own: " if len(event.questions) > 1 else ""
    return [*rows, *wrap(f"Answer {several}a number, or your own words.", size.columns, DIM)]


def plan_rows(steps: tuple[PlanStep, ...], explanation: str, columns: int) -> list[Row]:
    """The visible plan as a checklist."""
    rows = [row("Plan", BOLD)]
    if explanation:
        rows += wrap(one_line(explanation, 400), columns, DIM, "  ")
    for step in steps:
        style = {"in_progress": CYAN, "completed": DIM}.get(step.status, "")
        first, *rest = wrap(one_line(step.step, 400), columns - 6, style)
        rows.append((Span(f"  {_STEPS[step.status]} ", style), *first))
        rows += [(Span("      "), *line) for line in rest]
    return rows


def _output(event: ToolResulted) -> str:
    pieces = [
        part.text if isinstance(part, Text) else f"[{part.media_type}]\n" for part in event.parts
    ]
    text = "".join(pieces)
    return plain(_HEAD.sub(r"\1", text) if event.name in _COMMANDS else text)


def _excerpt(text: str, ends: int) -> list[Row]:
    lines = [line.rstrip().expandtabs(4) for line in text.strip("\n").split("\n")]
    if lines == [""]:
        return []
    if len(lines) <= 2 * ends + 1:
        return [row(line, DIM) for line in lines]
    gap = row(f"… {len(lines) - 2 * ends:,} more lines", DIM)
    first = [row(line, DIM) for line in lines[:ends]]
    return [*first, gap, *(row(line, DIM) for line in lines[-ends:])]
