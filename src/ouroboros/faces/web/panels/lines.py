"""Lines that are for us and not for the model: commands after a slash, notes, the person's own shell."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.hub import Room
from ouroboros.core.commands import Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.faces.slashes.control import Control, Say
from ouroboros.faces.slashes.table import NEW, SLASHES, Seat, carry_out, split
from ouroboros.faces.web import frames
from ouroboros.faces.web.panels.asking import loaded, quickly, session_of
from ouroboros.faces.web.routing import Described, Refused, described, read, reply
from ouroboros.faces.web.site import Site
from ouroboros.faces.wording.face import Ending, Level, Notice

_HOME = "home"


class Command(Struct, frozen=True, kw_only=True):
    """A command as it is listed; one that ``waits`` is refused during a run."""

    name: str
    usage: str
    meaning: str
    waits: bool


class Slashes(Struct, frozen=True, kw_only=True):
    """Every command that there is after a slash."""

    commands: tuple[Command, ...]


class Line(Struct, frozen=True, kw_only=True):
    """A line as it was typed: ``/note user Use tabs``, ``! git status``, ``# Use tabs``."""

    line: Annotated[str, Meta(max_length=100_000)]


class Told(Struct, frozen=True, kw_only=True):
    """What a command says; it is no event, and kept nowhere."""

    text: str
    level: Level
    hint: str


class Carried(Struct, frozen=True, kw_only=True):
    """What came of a line.

    Attributes:
        next: The session to go on with; ``new`` for one that is to begin, ``home`` for none.
    """

    told: tuple[Told, ...]
    next: str = ""


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described("GET", "/slashes", seat.all, "The commands after a slash.", answer=Slashes),
        described(
            "POST",
            "/sessions/{session}/lines",
            seat.line,
            "Carry out a line that begins with a slash, `!` or `# `; 409 where it does not fit the moment.",
            body=Line,
            answer=Carried,
        ),
    ]


class LineFace:
    """What commands tell goes back with the answer, or later by the stream; the rest is shown by the events."""

    def __init__(self, late: Callable[[frames.Told], None]) -> None:
        """``late`` shows what is told when the answer is gone."""
        self._told: list[Told] = []
        self._late, self._is_answered = late, False

    def answer(self) -> tuple[Told, ...]:
        """What was told so far; from now on it is late."""
        self._is_answered = True
        return tuple(self._told)

    def begin(self) -> None:
        """Shown by the events."""

    def rest(self) -> None:
        """Shown by the events."""

    def take(self, envelope: Envelope) -> None:
        """Shown by whoever follows the session."""

    def tell(self, told: Notice) -> None:
        """Keeps it for the answer, or shows it."""
        if self._is_answered:
            self._late(frames.Told(text=told.text, level=told.level, hint=told.hint))
        else:
            self._told.append(Told(text=told.text, level=told.level, hint=told.hint))

    def finish(self, ending: Ending, session: str) -> None:
        """Shown by the events."""


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._memory: dict[str, dict[str, str]] = {}

    async def all(self, request: Request) -> Response:
        del request
        rows = (
            Command(name=name, usage=each.usage, meaning=each.meaning, waits=each.waits)
            for name, each in SLASHES.items()
        )
        return reply(Slashes(commands=tuple(rows)))

    async def line(self, request: Request) -> Response:
        line = (await read(request, Line)).line.strip()
        if not line.startswith(("/", "!", "# ")):
            raise Refused(400, "this is no command", hint="a line begins with a slash, ! or #")
        room = await self._site.room(session_of(request))
        face = LineFace(partial(self._site.asides.tell, room.id))
        try:
            then = await self._carried(room, face, line)
        except Misuse as problem:
            raise Refused(409, problem.message, hint=problem.hint) from problem
        return reply(Carried(told=face.answer(), next=then))

    async def _carried(self, room: Room, face: LineFace, line: str) -> str:
        site, cwd = self._site, Path(room.state.cwd)
        seat = Seat(
            session=room.session,
            face=face,
            loaded=await quickly(lambda: loaded(site, cwd)),
            cwd=cwd,
            memory=self._noted(room.id),
            environment=site.outfit.environment,
            stop_key="Esc",
        )
        name, rest = split(line)
        return await self._done(room, seat, await carry_out(seat, name, rest, running=room.running))

    async def _done(self, room: Room, seat: Seat, control: Control) -> str:
        match control:
            case "stay":
                return ""
            case "leave":
                return "new" if seat.next == NEW else seat.next or _HOME
            case Say(text=text):
                await room.send(Submit(text=text))
            case job:
                await room.work(job)
        return ""

    def _noted(self, session: str) -> dict[str, str]:
        """What commands of a session note for later ones, for as long as it is open."""
        rooms = {room.id for room in self._site.hub.rooms()}
        for gone in self._memory.keys() - rooms:
            del self._memory[gone]
        return self._memory.setdefault(session, {})
