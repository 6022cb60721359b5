"""Lines that are for us and not for the model: commands, notes, the person's own shell."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from anyio import to_thread
from textual.screen import Screen

from ouroboros.core.commands import Command, Submit
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.slashes.control import Say, Web
from ouroboros.faces.slashes.table import NEW, Seat, canonical, heard
from ouroboros.faces.tui.host import Host
from ouroboros.faces.wording.face import Ending, Notice

if TYPE_CHECKING:
    from ouroboros.core.events import Envelope

_WITHOUT_SESSION = frozenset({"help", "quit", "sessions", "resume"})


class Seated(Host, Protocol):
    """The application, as commands need it."""

    @property
    def beside(self) -> Web:
        """The page that may be served beside this screen."""
        ...

    def give_back(self, text: str | None) -> None:
        """Words stand in the prompt again, unless others do."""
        ...

    def send(self, command: Command) -> None:
        """Carries a wish out; what is wrong with it is shown."""
        ...

    async def push_screen_wait[Result](self, screen: Screen[Result]) -> Result:
        """Shows a screen until it is left."""
        ...


class _Face:
    """What commands tell goes to the conversation; all else is shown anyway."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def begin(self) -> None:
        """Shown by the events."""

    def rest(self) -> None:
        """Shown by the events."""

    def take(self, envelope: "Envelope") -> None:
        """Shown by whoever follows the session."""

    def tell(self, told: Notice) -> None:
        """Shows it."""
        self._host.tell(told)

    def finish(self, ending: Ending, session: str) -> None:
        """Shown by the events."""


class Lines:
    """Carries lines out for one application; what they note for later ones is here."""

    def __init__(self, app: Seated) -> None:
        """Nothing was noted yet."""
        self._app = app
        self._memory: dict[str, str] = {}

    async def carry_out(self, line: str) -> None:
        """Does what a line says; what is wrong with it is shown, and nothing else happens.

        Where a command alone has a screen of its own, that is opened.
        """
        try:
            if not await self._on_screen(line.strip()):
                await self._hear(line)
        except OuroborosError as problem:
            self._complain(problem)

    async def _on_screen(self, line: str) -> bool:
        name = canonical(line)
        rest = line.partition(" ")[2].strip()
        if name == "quit":
            self._app.leave()
            return True
        if self._app.room is None and name not in _WITHOUT_SESSION:
            raise Misuse("the session is not open yet", hint="try again in a moment")
        show = None if rest else _SCREENS.get(name)
        if show is None:
            return False
        await show(self._app)
        return True

    async def _hear(self, line: str) -> None:
        app, room = self._app, self._app.room
        if room is None:
            raise Misuse("the session is not open yet", hint="try again in a moment")
        seat = Seat(
            session=room.session,
            face=_Face(app),
            loaded=app.loaded,
            cwd=app.cwd,
            memory=self._memory,
            environment=app.environment,
            stop_key=app.keys.shown("stop") or "Esc",
            web=app.beside if "web" in app.slashes else None,
        )
        control = await heard(seat, line, running=room.running)
        if isinstance(control, Say):
            app.send(Submit(text=control.text))
        elif callable(control):
            await control()
        elif control == "leave" and seat.next:
            await app.switch("" if seat.next == NEW else seat.next)
        elif control == "leave":
            app.leave()

    def _complain(self, problem: OuroborosError) -> None:
        text = f"error: {problem.message}"
        self._app.tell(Notice(text=text, level="error", hint=problem.hint))


async def _help(app: Seated) -> None:
    from ouroboros.faces.tui.screens.help import HelpScreen

    await app.push_screen_wait(HelpScreen())


async def _resume(app: Seated) -> None:
    from ouroboros.faces.tui.screens.sessions import SessionPicker

    await _to(app, await app.push_screen_wait(SessionPicker()))


async def _tree(app: Seated) -> None:
    from ouroboros.faces.tui.screens.tree import TreeScreen

    await _to(app, await app.push_screen_wait(TreeScreen()))


async def _rewind(app: Seated) -> None:
    from ouroboros.faces.tui.screens.rewind import RewindScreen

    room = app.room
    if room is not None and room.running:
        hint = f"{app.keys.shown('stop') or 'Esc'} stops it"
        raise Misuse("/rewind has to wait until the turn ends", hint=hint)
    app.give_back(await app.push_screen_wait(RewindScreen()))


async def _model(app: Seated) -> None:
    from ouroboros.faces.tui.screens.models import ModelPicker

    await app.push_screen_wait(ModelPicker())


async def _context(app: Seated) -> None:
    from ouroboros.faces.tui.screens.rooms import ContextScreen

    await app.push_screen_wait(ContextScreen())


async def _diff(app: Seated) -> None:
    from ouroboros.app.past import sessions
    from ouroboros.faces.tui.screens.diff import DiffScreen

    room = app.room
    assert room is not None
    await room.session.settle()
    found = await to_thread.run_sync(sessions.latest_diff, app.loaded.home, room.id)
    if found.strip():
        await app.push_screen_wait(DiffScreen(found, "What the latest turn changed"))
    else:
        app.tell(Notice(text="no tool changed a file in the latest turn"))


async def _to(app: Seated, session: str | None) -> None:
    if session:
        await app.switch(session)


_SCREENS: dict[str, Callable[[Seated], Awaitable[None]]] = {
    "help": _help,
    "sessions": _resume,
    "resume": _resume,
    "tree": _tree,
    "rewind": _rewind,
    "model": _model,
    "context": _context,
    "diff": _diff,
}
