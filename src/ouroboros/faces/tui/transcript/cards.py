"""Calls, iterations, plans and children as rows."""

import re
from collections.abc import Iterator

from ouroboros.app.text import plain
from ouroboros.faces.tui.transcript.blocks import Call, Child, Children, Code, Iteration, Plan
from ouroboros.faces.tui.transcript.changes import change_rows
from ouroboros.faces.tui.transcript.colouring import coloured
from ouroboros.faces.tui.transcript.look import FAINT, Look, indented, mark
from ouroboros.faces.wording.rows import (
    BOLD,
    CYAN,
    GREEN,
    RED,
    YELLOW,
    Row,
    Span,
    crop,
    row,
    row_width,
    wrap,
)
from ouroboros.faces.wording.steps import summary
from ouroboros.faces.wording.text.diff import is_diff, tally
from ouroboros.faces.wording.words import count, duration, one_line

_STATUS = {"done": GREEN, "failed": RED, "denied": YELLOW, "cancelled": YELLOW}
_STEPS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
_FOLDED_CHANGE = 24
_FOLDED_OUTPUT = 4
_WHOLE = 2_000
_DEEDS = 6
_CODE = 14
_GIST = 120
_ROOMY = 60
_HEAD_COLUMNS = 84
_NOTABLE_SECONDS = 0.1
_LOOKING = frozenset({"find", "grep", "ls", "read", "repo_map", "tool_search", "view_image"})
"""What only looks is a line, unless it is unfolded."""

_COMMANDS = frozenset({"exec_command", "shell", "write_stdin"})
_HEAD = re.compile(
    r"\A(?:Chunk ID: \w+\nWall time: [\d.]+ seconds\n"
    r"(?:Process exited with code 0\n|(Process .*\n))?Original token count: \d+\n"
    r"|(?:Exit code: 0\n|(Exit code: .*\n))Wall time: [\d.]+ seconds\n)Output:\n"
)
"""What a model is told before the output of a command, of which a person needs how it ended."""


def call_rows(call: Call, look: Look, unfolded: bool) -> list[Row]:
    """A call: what, how, how long; below that what it changed, wrote or did."""
    style = _STATUS.get(call.status, CYAN if not call.status else RED)
    detail = plain(call.detail)
    changed = f" {tally(detail)}" if is_diff(detail) else ""
    rows = [_head(look, unfolded, call.title, f"{_state(call, look)}{changed}", style)]
    inner = _narrower(look)
    if changed:
        body = change_rows(detail, inner, _WHOLE if unfolded else _FOLDED_CHANGE)
    elif not call.status:
        body = _tail(plain(call.live), inner, 40 if unfolded else _FOLDED_OUTPUT)
    elif call.status == "done" and call.name in _LOOKING and not unfolded:
        body = []
    else:
        text = detail or _output(call)
        body = _whole(text, inner) if unfolded else _excerpt(text, _FOLDED_OUTPUT // 2, inner)
    deeds = _deeds(call.deeds, unfolded)
    pictures = [row(f"[image] {one_line(name, 120)}", FAINT) for name in call.pictures]
    if unfolded and call.arguments.strip() not in {"", "{}"} and not changed:
        deeds = [*wrap(plain(call.arguments), inner.columns, FAINT), *deeds]
    if call.cut_bytes:
        pictures.append(row(f"the model saw part of {call.cut_bytes:,} bytes", FAINT))
    return [*rows, *_below(look, [*deeds, *body, *pictures])]


def iteration_rows(card: Iteration, look: Look, unfolded: bool) -> list[Row]:
    """An iteration: its blocks of code, what kind of thing came out, what it did."""
    bad = sum(block.ok is False for block in card.blocks)
    seconds = card.seconds if card.is_over else max(look.now - card.since, 0.0)
    style = RED if bad else GREEN if card.is_over else CYAN
    facts = [count(len(card.blocks), "block")] if card.blocks and look.columns >= _ROOMY else []
    facts += [f"{bad:,} failed"] if bad else []
    state = ", ".join([*facts, duration(seconds)])
    rows = [_head(look, unfolded, f"Iteration {card.number}", state, style, said=_gist(card))]
    inner = _narrower(look)
    body: list[Row] = []
    if card.live:
        body += _tail(plain(card.live), inner, 40 if unfolded else _FOLDED_OUTPUT)
    deeds = _deeds(card.deeds, unfolded)
    if card.is_over and not unfolded:
        came = [line for block in card.blocks for line in _outcome(block, inner)]
        return [*rows, *_below(look, [*deeds, *came])]
    for block in card.blocks:
        body += _code_rows(block, inner, unfolded)
    return [*rows, *_below(look, [*body, *deeds])]


def _gist(card: Iteration) -> str:
    """What an iteration was for, on one line: the model's words, else the first thing that it did."""
    if card.said or card.live:
        return card.said
    lines = (line.strip() for block in card.blocks for line in block.code.split("\n"))
    code = (line for line in lines if line and not line.startswith("//"))
    return one_line(plain(next(iter(card.deeds), "") or next(code, "")), _GIST)


def plan_rows(plan: Plan, look: Look, unfolded: bool) -> list[Row]:
    """The checklist; one that a newer one has replaced is a line."""
    done = sum(step.status == "completed" for step in plan.steps)
    title = f"{mark(unfolded or not plan.is_old)}Plan"
    head: Row = (Span(title, BOLD), Span(f"  {done} of {len(plan.steps)} done", FAINT))
    if plan.is_old and not unfolded:
        return [head]
    rows: list[Row] = [head]
    if plan.explanation:
        rows += wrap(one_line(plan.explanation, 400), look.columns, FAINT, "  ")
    for step in plan.steps:
        style = {"in_progress": CYAN, "completed": FAINT}.get(step.status, "")
        first, *rest = wrap(one_line(step.step, 400), max(look.columns - 6, 8), style)
        rows.append((Span(f"  {_STEPS[step.status]} ", style), *first))
        rows += indented(rest, "      ")
    return rows


def children_rows(card: Children, look: Look, unfolded: bool) -> list[Row]:
    """The tree of runs; leaves that are done are only counted unless unfolded."""
    working = sum(not child.reason for child in card.runs.values())
    state = f"{working} at work" if working else "done"
    rows = [
        _head(look, unfolded, count(len(card.runs), "child run"), state, CYAN if working else GREEN)
    ]
    shown = list(_tree(card.runs, "", 0, unfolded))
    body = [_child_row(child, depth, look) for depth, child in shown]
    hidden = len(card.runs) - len(shown)
    if hidden:
        body.append(row(f"{hidden:,} more that are done", FAINT))
    return [*rows, *_below(look, body)]


def _tree(
    runs: dict[str, Child], parent: str, depth: int, unfolded: bool
) -> Iterator[tuple[int, Child]]:
    for child in runs.values():
        if child.parent != parent or depth > 20:
            continue
        if unfolded or child.kind == "run" or not child.reason:
            yield depth, child
        yield from _tree(runs, child.id, depth + 1, unfolded)


def _child_row(child: Child, depth: int, look: Look) -> Row:
    how = child.reason or (f"iteration {child.iteration}" if child.iteration else "reading")
    seconds = child.seconds if child.reason else max(look.now - child.since, 0.0)
    style = FAINT if child.reason == "completed" else YELLOW if child.reason else CYAN
    status = f"{how} {duration(seconds)}"
    room = max(look.columns - 2 * depth - len(status) - 4, 8)
    words = crop(row(child.task), room)
    return (Span("  " * depth), *words, Span(f"  {status}", style))


def _head(
    look: Look, unfolded: bool, title: str, status: str, style: str, *, said: str = ""
) -> Row:
    """A card's first row: what it is, and at the right how it stands."""
    room = max(look.columns - len(status) - 4, 6)
    told = (Span(f"  {said}", FAINT),) if said else ()
    words = crop((*row(title, BOLD), *told), min(room, _HEAD_COLUMNS))
    space = max(min(look.columns, 100) - row_width(words) - len(status) - 2, 2)
    head = (Span(mark(unfolded), style), *words, Span(" " * space), Span(status, style))
    return crop(head, look.columns)


def _state(call: Call, look: Look) -> str:
    if call.status:
        return f"{call.status} {duration(call.seconds)}"
    if call.waits:
        return "waits for you"
    return f"running {duration(max(look.now - call.since, 0.0))}"


def _narrower(look: Look) -> Look:
    return Look(
        columns=max(look.columns - 4, 8),
        colours=look.colours,
        unfolded=look.unfolded,
        sides=look.sides,
        now=look.now,
    )


def _below(look: Look, rows: list[Row]) -> list[Row]:
    return [crop((Span("  │ ", FAINT), *each), look.columns) for each in rows]


def _deeds(deeds: list[str], unfolded: bool) -> list[Row]:
    shown = deeds if unfolded else deeds[-_DEEDS:]
    rows = [row(deed, FAINT) for deed in shown]
    if len(shown) < len(deeds):
        rows.insert(0, row(f"… {len(deeds) - len(shown):,} before", FAINT))
    return rows


def _code_rows(block: Code, look: Look, unfolded: bool) -> list[Row]:
    lines = plain(block.code).expandtabs(4).rstrip().split("\n")
    limit = _WHOLE if unfolded else _CODE
    rows = coloured(lines[:limit], "block.js")
    if len(lines) > limit:
        rows.append(row(f"… {len(lines) - limit:,} more lines", FAINT))
    rows += _outcome(block, look)
    if block.ok is not None and unfolded and block.metadata:
        rows += wrap(plain(block.metadata), look.columns, FAINT, "  ")[:_WHOLE]
    return rows


def _outcome(block: Code, look: Look) -> list[Row]:
    if block.ok is None:
        return []
    said = f"{'=' if block.ok else '!'} {summary(plain(block.metadata))}"
    took = f"  {duration(block.seconds)}" if block.seconds >= _NOTABLE_SECONDS else ""
    return wrap(said + took, look.columns, GREEN if block.ok else RED)


def _output(call: Call) -> str:
    text = _HEAD.sub(r"\1\2", call.output) if call.name in _COMMANDS else call.output
    return plain(text)


def _lines(text: str) -> list[str]:
    return [line.rstrip().expandtabs(4) for line in text.strip("\n").split("\n")]


def _tail(text: str, look: Look, limit: int) -> list[Row]:
    lines = [line for line in _lines(text) if line]
    return [row(line[: look.columns * 2], FAINT) for line in lines[-limit:]]


def _whole(text: str, look: Look) -> list[Row]:
    lines = _lines(text)
    if lines == [""]:
        return []
    rows = [each for line in lines[:_WHOLE] for each in wrap(line, look.columns, FAINT)]
    if len(lines) > _WHOLE:
        rows.append(row(f"… {len(lines) - _WHOLE:,} more lines", FAINT))
    return rows


def _excerpt(text: str, ends: int, look: Look) -> list[Row]:
    lines = _lines(text)
    if lines == [""]:
        return []
    if len(lines) == 1:
        return wrap(lines[0], look.columns, FAINT)[: 2 * ends]
    if len(lines) <= 2 * ends + 1:
        return [row(line, FAINT) for line in lines]
    gap = row(f"… {len(lines) - 2 * ends:,} more lines", FAINT)
    return [
        *(row(line, FAINT) for line in lines[:ends]),
        gap,
        *(row(line, FAINT) for line in lines[-ends:]),
    ]
