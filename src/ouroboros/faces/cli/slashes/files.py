"""``/rewind``, ``/undo``, ``/redo`` and ``/checkpoints``: files and turns as they were."""

from functools import partial

from anyio import to_thread

from ouroboros.core.commands import Foreign, Redo, Restore, Rewind, Undo
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.conversation import Control
from ouroboros.faces.cli.slashes.table import Seat

_WHAT = frozenset({"files", "conversation", "both", "diff"})
_DECISIONS: dict[str, Foreign] = {"overwrite": "overwrite", "keep": "keep"}


async def rewind(seat: Seat, rest: str) -> Control:
    """Lists the turns, or goes back to before one."""
    number, what, decision = _wish(rest)
    if not number:
        seat.say(*await to_thread.run_sync(partial(_listed, seat)))
        return "stay"

    if what == "diff":
        seat.say(*await to_thread.run_sync(partial(_previewed, seat, number)))
        return "stay"

    async def job() -> None:
        point = await to_thread.run_sync(partial(_point, seat, number))
        if what != "conversation":
            await seat.session.send(Restore(message_id=point, foreign=decision))
        if what != "files":
            await seat.session.send(Rewind(message_id=point))

    return job


async def undo(seat: Seat, rest: str) -> Control:
    """Takes the latest turns back, with what they did to files."""
    number, _, decision = _wish(rest)

    async def job() -> None:
        await seat.session.send(Undo(turns=int(number or "1"), foreign=decision))

    return job


async def redo(seat: Seat, rest: str) -> Control:
    """Has again what was taken back last."""
    _, _, decision = _wish(rest)

    async def job() -> None:
        await seat.session.send(Redo(foreign=decision))

    return job


async def checkpoints(seat: Seat, rest: str) -> Control:
    """Lists the checkpoints, or brings the files of one back."""
    verb, _, more = rest.partition(" ")
    if verb == "restore" and more:
        name, _, said = more.strip().partition(" ")

        async def job() -> None:
            decision = _DECISIONS.get(said.strip(), "ask")
            await seat.session.send(Restore(checkpoint=name, foreign=decision))

        return job
    if rest:
        raise Misuse(
            "/checkpoints takes nothing, or `restore NAME`", hint="for example: /checkpoints"
        )
    seat.say(*await to_thread.run_sync(partial(_kept, seat)))
    return "stay"


def _wish(rest: str) -> tuple[str, str, Foreign]:
    """The number of a turn, what goes back, and what becomes of others' changes."""
    number, what = "", "both"
    decision: Foreign = "ask"
    for word in rest.split():
        if word.isdecimal() and 0 < int(word) < 1_000_000:
            number = word
        elif word in _WHAT:
            what = word
        elif word in _DECISIONS:
            decision = _DECISIONS[word]
        else:
            raise Misuse(
                f"{word[:40]!r} is not understood",
                hint="for example: /rewind 2 files, /undo 2, /rewind 1 both overwrite",
            )
    return number, what, decision


def _listed(seat: Seat) -> list[str]:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.faces.cli.points import point_lines

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    return point_lines(records.points()) or ["nothing was said yet"]


def _point(seat: Seat, number: str) -> str:
    turns = seat.session.state.tree.turns()
    if int(number) > len(turns):
        there = "is one turn" if len(turns) == 1 else f"are {len(turns)} turns"
        raise Misuse(f"there is no turn {number} to go back to", hint=f"there {there}")
    return turns[int(number) - 1]


def _previewed(seat: Seat, number: str) -> list[str]:
    from ouroboros.app.rewind.offline import Records

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    target = records.target(_point(seat, number))
    if target is None:
        return ["no file was written since"]
    preview = records.preview(target)
    others = [f"changed since by somebody else: {path}" for path in preview.foreign]
    return [preview.diff.rstrip() or "no file is different", *others]


def _kept(seat: Seat) -> list[str]:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.faces.cli.points import kept_lines

    records = Records(seat.loaded.home, seat.session.id, seat.loaded.settings)
    return kept_lines(records.kept()) or ["no checkpoint was made yet"]
