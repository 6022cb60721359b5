"""``/context``, ``/init``, ``#`` and ``/note``: what the model is given to read, and what it will be."""

from typing import get_args

import msgspec
from anyio import to_thread

from ouroboros.app import notes
from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control, Say
from ouroboros.faces.slashes.table import Seat
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.meter import meter_lines
from ouroboros.faces.wording.words import one_line

PLACES: tuple[notes.Place, ...] = get_args(notes.Place.__value__)
_WAITING, _PLACE = "note", "note place"


async def context(seat: Seat, rest: str) -> Control:
    """Shows what fills the context."""
    meter = seat.session.meter()
    if rest == "--json":
        seat.say(msgspec.json.encode(meter).decode())
    elif rest:
        raise Misuse(f"/context takes --json or nothing, not {rest[:40]!r}")
    else:
        seat.say(*meter_lines(meter))
    return "stay"


async def init(seat: Seat, rest: str) -> Control:
    """Lets the model write the project's instruction file."""
    if rest not in {"", "improve"}:
        raise Misuse(f"/init takes improve or nothing, not {rest[:40]!r}")

    def task() -> str:
        return notes.first_instructions(seat.cwd, improve=rest == "improve")

    return Say(text=await to_thread.run_sync(task))


async def note(seat: Seat, rest: str) -> Control:
    """Chooses the file of this chat's notes, and writes the line that waits, or the given one."""
    place, _, text = rest.partition(" ")
    if place not in PLACES:
        _ask(seat)
        return "stay"
    seat.memory[_PLACE] = place
    waiting = text.strip() or seat.memory.pop(_WAITING, "")
    if waiting:
        await _write(seat, waiting, place)
    else:
        seat.say(f"notes of this chat are kept {notes.MEANINGS[place]}")
    return "stay"


async def note_line(seat: Seat, rest: str) -> Control:
    """Writes a line to the notes; the first one of a chat asks where."""
    place = seat.memory.get(_PLACE) or seat.loaded.settings.context.notes
    if place in PLACES and rest:
        await _write(seat, rest, place)
        return "stay"
    seat.memory[_WAITING] = rest
    _ask(seat)
    return "stay"


def _ask(seat: Seat) -> None:
    waiting = one_line(seat.memory.get(_WAITING, ""), 60)
    about = f"Where is {waiting!r} to be kept?" if waiting else "Where are notes to be kept?"
    home = seat.loaded.home
    lines = [
        f"/note {place:<8} {notes.MEANINGS[place]} ({notes.file_of(place, seat.cwd, home)})"
        for place in PLACES
    ]
    seat.say(about, *lines)


async def _write(seat: Seat, text: str, place: notes.Place) -> None:
    settings, home = seat.loaded.settings, seat.loaded.home
    limit = settings.context.instruction_bytes

    def write() -> notes.Added:
        return notes.add(text, place, seat.cwd, home, limit=limit)

    added = await to_thread.run_sync(write)
    seat.say(f"Noted in {added.file}: {one_line(added.line, 200)}; told with your next words")
    if added.warning:
        seat.face.tell(Notice(text=f"warning: {added.warning}", level="warning"))
