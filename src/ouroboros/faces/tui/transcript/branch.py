"""Which events of a session belong to the branch that goes on; pure."""

from collections.abc import Iterator, Sequence

from ouroboros.core.events import Envelope
from ouroboros.core.events.session import (
    SessionBranched,
    SessionForked,
    SessionImported,
    SessionRolledBack,
)
from ouroboros.core.state.tree import Tree


def on_branch(events: Sequence[Envelope], tree: Tree) -> Iterator[Envelope]:
    """Those of all events so far that a person who follows the branch to the head has seen."""
    spans = _spans([each.seq for each in events if _moves(each)], tree)
    for each in events:
        if any(first <= each.seq <= last for first, last in spans):
            yield each


def _moves(envelope: Envelope) -> bool:
    """Whether the conversation goes on from elsewhere with it."""
    match envelope.data:
        case SessionBranched() | SessionRolledBack() | SessionImported():
            return True
        case SessionForked(child=child):
            return child == envelope.session
        case _:
            return False


def _spans(starts: list[int], tree: Tree) -> list[tuple[float, float]]:
    """First and last number of each part of the log, the latest first."""
    at, last = tree.head, float("inf")
    start = starts[-1] if starts else 0
    spans: list[tuple[float, float]] = []
    while True:
        spans.append((start, last))
        while at and tree.nodes[at].seq >= start:
            at = tree.nodes[at].parent
        if not start:
            return spans
        if not at:
            first = min((node.seq for node in tree.nodes.values()), default=start)
            return [*spans, (0, first - 1)]
        node = tree.nodes[at]
        last = node.until or node.seq
        start = max((each for each in starts if each <= node.seq), default=0)
