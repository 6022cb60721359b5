"""Taking turns back and having them again: each kind of thing by a handler of its own."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from ouroboros.core.commands import Branch, Command, Foreign, Rollback
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events.checkpoint import TurnRedone, TurnUndone
from ouroboros.core.state import State
from ouroboros.core.state.files import Undone


class Span(Struct, frozen=True, kw_only=True):
    """Turns that are taken back or had again.

    Attributes:
        turns: How many.
        message_id: The words that began the first of them; empty when they are had again.
        head: Where the conversation stood before they were taken back.
        start: The checkpoint of the files as they were then; empty where none were changed.
        foreign: What becomes of files that somebody else changed since.
    """

    turns: int
    message_id: str = ""
    head: str = ""
    start: str = ""
    foreign: Foreign = "ask"


class Handler(Protocol):
    """Knows how to take back one kind of thing.

    Contract: ``check`` raises before anything is done by anybody; ``revert`` and ``reapply`` say
    whether there was anything to do, and raise ``OuroborosError`` or ``OSError`` when they could not.
    """

    name: str

    async def check(self, span: Span) -> None: ...
    async def revert(self, span: Span) -> bool: ...
    async def reapply(self, span: Span) -> bool: ...


class Report(Struct, kw_only=True):
    """What became of it, by kinds of things."""

    done: list[str] = []
    failed: list[str] = []


class History:
    """The conversation; its nodes stay, the head moves."""

    name = "history"

    def __init__(self, send: Callable[[Command], Awaitable[None]]) -> None:
        """``send`` carries out a command of the session."""
        self._send = send

    async def check(self, span: Span) -> None:
        """Nothing stands in its way."""
        del span

    async def revert(self, span: Span) -> bool:
        """Leaves the turns."""
        await self._send(Rollback(turns=span.turns))
        return True

    async def reapply(self, span: Span) -> bool:
        """Goes on from where it stood."""
        await self._send(Branch(message_id=span.head))
        return True


def span_back(state: State, turns: int, depth: int, foreign: Foreign) -> Span:
    """The latest turns.

    Raises:
        Misuse: There are not so many, or not so many can be taken back.
    """
    said = state.tree.turns()
    already = sum(undone.turns for undone in state.files.undone)
    if turns > len(said):
        there = "is one turn" if len(said) == 1 else f"are {len(said)} turns"
        raise Misuse(f"cannot take back {turns} turns", hint=f"there {there} here")
    if already + turns > depth:
        raise Misuse(
            f"only the latest {depth} turns can be taken back",
            hint="/rewind goes back further; checkpoints.undo_depth says how many",
        )
    return Span(turns=turns, message_id=said[turns - 1], head=state.tree.head, foreign=foreign)


def span_on(state: State, foreign: Foreign) -> Span:
    """What was taken back last; raises ``Misuse`` where there is nothing."""
    if not state.files.undone:
        starts = [kept.checkpoint for kept in state.files.kept if kept.kind == "rewind"]
        way = "a new turn lets go of what was taken back; /tree and /branch lead to any message"
        if starts:
            way += f"; `/checkpoints restore {starts[-1][:12]}` has the files of before going back"
        raise Misuse("there is nothing to have again", hint=way)
    undone: Undone = state.files.undone[-1]
    return Span(turns=undone.turns, head=undone.head, start=undone.start, foreign=foreign)


async def revert(handlers: Sequence[Handler], span: Span) -> Report:
    """Takes a span back, the last kind of thing first; one that fails does not stop the others."""
    for handler in handlers:
        await handler.check(span)
    return await _each([(each.name, each.revert) for each in reversed(handlers)], span)


async def reapply(handlers: Sequence[Handler], span: Span) -> Report:
    """Has a span again, the first kind of thing first."""
    for handler in handlers:
        await handler.check(span)
    return await _each([(each.name, each.reapply) for each in handlers], span)


async def _each(
    jobs: Sequence[tuple[str, Callable[[Span], Awaitable[bool]]]], span: Span
) -> Report:
    report = Report()
    for name, job in jobs:
        try:
            if await job(span):
                report.done.append(name)
        except OuroborosError as failed:
            report.failed.append(f"{name}: {failed.message}")
        except OSError as failed:
            report.failed.append(f"{name}: {failed.strerror or failed}")
    return report


def undone_event(span: Span, start: str, report: Report) -> TurnUndone:
    """What goes on record of turns that were taken back."""
    return TurnUndone(
        turns=span.turns,
        head=span.head,
        start=start,
        done=tuple(report.done),
        failed=tuple(report.failed),
    )


def redone_event(span: Span, report: Report) -> TurnRedone:
    """What goes on record of turns that were had again."""
    return TurnRedone(turns=span.turns, done=tuple(report.done), failed=tuple(report.failed))
