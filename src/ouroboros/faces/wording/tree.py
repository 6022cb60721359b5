"""The tree of a session as lines: what follows one another stands below it, other ways are indented."""

from collections.abc import Sequence

from ouroboros.app.past.tree import Twig
from ouroboros.faces.wording.words import one_line

_WORDS = 100
_DEEPEST = 20
_SPEAKERS = {"user": "you", "assistant": "it"}


def tree_lines(twigs: Sequence[Twig]) -> list[str]:
    """A line for each message: ``>`` where the conversation goes on, ``*`` on the way there."""
    return [line for _, line in rows_of(twigs)]


def rows_of(twigs: Sequence[Twig]) -> list[tuple[Twig, str]]:
    """The same lines, each with its message."""
    children: dict[str, list[Twig]] = {}
    for twig in twigs:
        children.setdefault(twig.parent, []).append(twig)
    lines: list[tuple[Twig, str]] = []
    waiting = [(twig, 0) for twig in reversed(children.get("", []))]
    while waiting:
        twig, depth = waiting.pop()
        lines.append((twig, _line(twig, depth)))
        after = children.get(twig.id, [])
        deeper = min(depth + 1, _DEEPEST) if len(after) > 1 else depth
        waiting += [(each, deeper) for each in reversed(after)]
    return lines


def place(twig: Twig) -> str:
    """A message by its number, who said it and its first words."""
    return f"{twig.number}, {_said(twig)}"


def _line(twig: Twig, depth: int) -> str:
    mark = ">" if twig.is_head else "*" if twig.is_active else " "
    return f"{mark} {twig.number:>3} {'  ' * depth}{_said(twig)}"


def _said(twig: Twig) -> str:
    who = "summary" if twig.kind == "summary" else _SPEAKERS[twig.role]
    calls = [f"[{', '.join(map(one_line, twig.calls))}]"] if twig.calls else []
    return " ".join([f"{who}:", *filter(None, [one_line(twig.text, _WORDS)]), *calls])
