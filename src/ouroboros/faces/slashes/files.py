"""``/rewind``, ``/undo``, ``/redo`` and ``/checkpoints``: files and turns as they were."""

from functools import partial

from anyio import to_thread

from ouroboros.core.commands import Foreign, Redo, Restore, Rewind, Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.state import State
from ouroboros.faces.slashes.branches import tell_place
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import Seat, number
from ouroboros.faces.wording.words import one_line

_WHAT = frozenset({"files", "conversation", "both", "diff"})
_DECISIONS: dict[str, Foreign] = {"overwrite": "overwrite", "keep": "keep"}


async def rewind(seat: Seat, rest: str) -> Control:
    """Lists the turns, or goes back to before one."""
    turn, what, decision = _wish(rest, parts=_WHAT)
    if not turn:
        await seat.session.settle()
        seat.say(*await to_thread.run_sync(partial(_listed, seat)))
        return "stay"

    if what == "diff":
        await seat.session.settle()
        seat.say(*await to_thread.run_sync(partial(_previewed, seat, turn)))
        return "stay"

    async def job() -> None:
        depth = seat.loaded.settings.checkpoints.undo_depth
        for wish in going_back(seat.session.state, turn, what, decision, depth=depth):
            await _sent(seat, f"/rewind {rest}", wish)
        if what != "files":
            tell_place(seat)

    return job


def going_back(
    state: State, turn: int, what: str, decision: Foreign, *, depth: int
) -> tuple[Undo | Restore | Rewind, ...]:
    """What brings ``files``, the ``conversation`` or ``both`` back to before a turn; 1 is the latest.

    ``depth`` turns can be had again by ``/redo``; going back further cannot.

    Raises:
        Misuse: There are not so many turns.
    """
    turns = state.tree.turns()
    if turn > len(turns):
        there = "is one turn" if len(turns) == 1 else f"are {len(turns)} turns"
        raise Misuse(f"there is no turn {turn} to go back to", hint=f"there {there}")
    already = sum(undone.turns for undone in state.files.undone)
    if what == "both" and already + turn <= depth:
        return (Undo(turns=turn, foreign=decision),)
    files = Restore(message_id=turns[turn - 1], foreign=decision)
    words = Rewind(message_id=turns[turn - 1])
    return (*([] if what == "conversation" else [files]), *([] if what == "files" else [words]))


async def undo(seat: Seat, rest: str) -> Control:
    """Takes the latest turns back, with what they did to files."""
    turns, _, decision = _wish(rest, example="/undo, /undo 2, /undo 1 keep")

    async def job() -> None:
        await _sent(seat, f"/undo {rest}", Undo(turns=turns or 1, foreign=decision))
        tell_place(seat)

    return job


async def redo(seat: Seat, rest: str) -> Control:
    """Has again what was taken back last."""
    _, _, decision = _wish(rest, counts=False, example="/redo, /redo keep, /redo overwrite")

    async def job() -> None:
        await _sent(seat, f"/redo {rest}", Redo(foreign=decision))
        tell_place(seat)

    return job


async def checkpoints(seat: Seat, rest: str) -> Control:
    """Lists the checkpoints, or brings the files of one back."""
    verb, _, more = rest.partition(" ")
    if verb == "restore" and more:
        name, _, said = more.strip().partition(" ")
        again = f"/checkpoints restore {one_line(name, 40)} keep"
        _, _, decision = _wish(said, counts=False, example=again)

        async def job() -> None:
            await _sent(seat, f"/checkpoints {rest}", Restore(checkpoint=name, foreign=decision))

        return job
    if rest:
        raise Misuse(
            "/checkpoints takes nothing, or `restore NAME`",
            hint="for example: /checkpoints restore 650b1511ba18",
        )
    await seat.session.settle()
    seat.say(*await to_thread.run_sync(partial(_kept, seat)))
    return "stay"


async def _sent(seat: Seat, line: str, command: Restore | Rewind | Undo | Redo) -> None:
    """Carries it out; where a decision is wanted the person is told the whole line to type."""
    try:
        await seat.session.send(command)
    except Misuse as problem:
        from ouroboros.app.rewind.journey import ForeignEdits

        if not isinstance(problem, ForeignEdits):
            raise
        line = one_line(line.strip())
        hint = (
            f"`{line} overwrite` brings them back too, and what is new goes; "
            f"`{line} keep` leaves them"
        )
        raise Misuse(problem.message, hint=hint) from problem


def _wish(
    rest: str,
    *,
    counts: bool = True,
    parts: frozenset[str] = frozenset(),
    example: str = "/rewind 2, /rewind 2 files, /rewind 1 both overwrite",
) -> tuple[int, str, Foreign]:
    """The number of a turn or 0, what goes back, and what becomes of others' changes.

    A word that the command cannot do is refused: ``/undo files`` would take words back, too.
    """
    turn, what = 0, "both"
    decision: Foreign = "ask"
    for word in rest.split():
        if counts and (found := number(word)):
            turn = found
        elif word in parts:
            what = word
        elif word in _DECISIONS:
            decision = _DECISIONS[word]
        else:
            raise Misuse(f"{word[:40]!r} is not understood", hint=f"for example: {example}")
    return turn, what, decision


def _listed(seat: Seat) -> list[str]:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.faces.wording.points import point_lines

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    return point_lines(records.points()) or ["nothing was said yet"]


def _point(seat: Seat, turn: int) -> str:
    turns = seat.session.state.tree.turns()
    if turn > len(turns):
        there = "is one turn" if len(turns) == 1 else f"are {len(turns)} turns"
        raise Misuse(f"there is no turn {turn} to go back to", hint=f"there {there}")
    return turns[turn - 1]


def _previewed(seat: Seat, turn: int) -> list[str]:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.faces.wording.points import foreign_line

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    target = records.target(_point(seat, turn))
    if target is None:
        return ["no file was written since"]
    ways, depth = records.previews(target), seat.loaded.settings.checkpoints.undo_depth
    (wish, *_) = going_back(seat.session.state, turn, "both", "ask", depth=depth)
    preview = ways.undo if isinstance(wish, Undo) else ways.restore
    others = [foreign_line(preview, path) for path in preview.foreign]
    left = [f"stays as it is: {path}: {why}" for path, why in preview.left.items()]
    return [preview.diff.rstrip() or "no file is different", *others, *left]


def _kept(seat: Seat) -> list[str]:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.faces.wording.points import kept_lines

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    return kept_lines(records.kept()) or ["no checkpoint was made yet"]
