"""The application: transcript, cards, prompt and status line, and how they hear of each other."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, get_args, override

import anyio
import msgspec
from textual import events
from textual.app import App, ComposeResult
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.filter import NoColor
from textual.worker import WorkerFailed

from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Command, Interrupt, Mode, Queue, SetMode, Steer, Submit
from ouroboros.core.errors import OuroborosError, StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.core.state import State
from ouroboros.faces.tui.beside import Beside
from ouroboros.faces.tui.cards.slot import CardSlot
from ouroboros.faces.tui.following import Following, is_cut_off
from ouroboros.faces.tui.keys import Keys, bound
from ouroboros.faces.tui.notify import Notifier, way_of
from ouroboros.faces.tui.opening import Opening
from ouroboros.faces.tui.palette import PALETTES, chosen
from ouroboros.faces.tui.prompt.lines import Lines
from ouroboros.faces.tui.prompt.saying import Escaped, Line, Said
from ouroboros.faces.tui.prompt.widget import Prompt
from ouroboros.faces.tui.start import Left, Start
from ouroboros.faces.tui.status.bar import StatusBar
from ouroboros.faces.tui.status.watch import Watch
from ouroboros.faces.tui.terminal import Terminal
from ouroboros.faces.tui.themes import theme
from ouroboros.faces.tui.transcript.blocks import Told
from ouroboros.faces.tui.transcript.graphics import way_of as way_of_pictures
from ouroboros.faces.tui.transcript.look import Look
from ouroboros.faces.tui.transcript.marking import Marking
from ouroboros.faces.tui.transcript.moving import looked_elsewhere
from ouroboros.faces.tui.transcript.scribe import Scribe
from ouroboros.faces.tui.transcript.showing import Showing
from ouroboros.faces.tui.transcript.view import Transcript
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.app.hub import Hub, Room
    from ouroboros.faces.slashes.table import Slash

_CAREFUL: tuple[str, ...] = get_args(Mode.__value__)[:3]


class OuroApp(App[Left]):
    """One screen over one session at a time."""

    CSS = """
    Screen { background: $background; color: $foreground; layout: vertical; }
    #transcript { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False
    TITLE = "ouro"

    def __init__(self, start: Start) -> None:
        """Opens nothing yet: the first screen comes before the engine."""
        tui = start.loaded.settings.tui
        self.palette = chosen(tui.theme, start.environment)
        super().__init__(driver_class=Terminal, ansi_color=not self.palette.background)
        if self.palette.is_plain and not self.no_color:
            self._filters.append(NoColor())
        self.start, self.loaded, self.cwd = start, start.loaded, start.cwd
        self.environment: Mapping[str, str] = start.environment
        self.keys: Keys = bound(tui.keys)
        self.hub: Hub | None = None
        self.room: Room | None = None
        self.failure: BaseException | None = None
        self.drawn, self.over = anyio.Event(), anyio.Event()
        self._clock = SystemClock()
        settings = start.loaded.settings
        self._before = State(model=settings.model, mode=settings.mode, cwd=str(start.cwd))
        sides = {"always": True, "never": False}.get(tui.side_by_side)
        look = Look(columns=80, unfolded=tui.unfolded, sides=sides)
        self.transcript = Transcript(self.palette, look, self._clock.now)
        self.bar = StatusBar(self.palette, self._before)
        self.prompt = Prompt(self, id="prompt")
        self.cards = CardSlot(id="cards")
        self.beside = Beside(start.web)
        self.slashes: Mapping[str, Slash] = self.beside.slashes
        self._lines = Lines(self)
        self._marking = Marking(self.transcript, self.prompt, self.keys)
        pictures = way_of_pictures(tui.pictures, start.environment)
        self._showing = Showing(pictures, self.transcript, self._call)
        self.opening = Opening(self, start)
        self._told: list[Told] = []
        self._complained: OuroborosError | None = None
        self._listens = False
        self._unheard = ""
        self._following = Following(self)
        self.watch_line = Watch(self)
        way = way_of(tui.notifications, start.environment)
        tmux = bool(start.environment.get("TMUX"))
        self._notifier = Notifier(self._call, way, self._clock, tmux=tmux)
        self.scribe = Scribe(self.transcript)

    @property
    def state(self) -> State:
        """What is true of the session; what the settings say until there is one."""
        return self.room.state if self.room is not None else self._before

    @override
    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.cards
        yield self.prompt
        yield self.bar

    def on_mount(self) -> None:
        """Sets the colours, and lets the engine begin once this is on the screen."""
        for palette in PALETTES.values():
            self.register_theme(theme(palette))
        self.theme = self.palette.name
        self.prompt.focus()
        self.watch_line.show()
        self.call_after_refresh(self.drawn.set)

    # What others may ask for: ``host.Host``.

    def tell(self, told: Notice) -> None:
        """Shows words that are no event."""
        self._told.append(Told(text=told.text, level=told.level, hint=told.hint))
        self.transcript.add(self._told[-1])

    def leave(self, code: int = 0) -> None:
        """Ends the application; sessions are kept."""
        session = self.room.id if self.room is not None and self.room.state.turn else ""
        self.exit(Left(code, session))

    async def switch(self, session: str) -> None:
        """Shows another session in the place of this one."""
        if self.hub is not None:
            self.opened(self.hub, await self.hub.open(cwd=self.cwd, resume=session))

    def opened(self, hub: "Hub", room: "Room") -> None:
        """A session is open: shows it from its beginning."""
        if not self._listens:
            hub.listen(self._heard)
        self.hub, self.room, self._listens = hub, room, True
        self.cwd = Path(room.state.cwd)
        self.begin()
        self._told.clear()
        self.cards.sync(room.state)
        self.watch_line.begin()
        self._notifier.begin(room.state.seq)
        self._following = Following(self)
        self.run_worker(partial(self._following.follow, room), group="follow", exclusive=True)
        for warning in (*room.session.warnings, *self.keys.problems):
            self.tell(Notice(text=f"warning: {warning}", level="warning"))
        if self.start.first and not room.state.turn:
            self.send(Submit(text=self.start.first))
        for said in self.opening.heard():
            self.on_prompt_said(said)

    def send(self, command: Command) -> None:
        """Carries a wish out; what is wrong with it is shown."""
        self.run_worker(partial(self._send, command), group="send")

    async def _send(self, command: Command) -> None:
        if self.room is None:
            self.tell(Notice(text="the session is not open yet", level="warning"))
            return
        if isinstance(command, Submit):
            self._unheard = command.text
        try:
            if isinstance(self._complained, StoreFailed) or self.room.is_closing:
                await self._open_again(self.room)
            self._complained = None
            await self.room.send(command)
        except OuroborosError as problem:
            self._complain_once(problem)
            if isinstance(command, Steer | Queue):
                self.give_back(command.text)

    async def _open_again(self, room: "Room") -> None:
        """What cannot be kept any more ends a session; from the log it may go on."""
        if self.hub is not None:
            await self.hub.close(room.id)
            self._complained = None
            await self.switch(room.id)

    def give_back(self, text: str | None) -> None:
        """Words that nobody could hear, or are taken back, stand in the prompt again, unless others do."""
        if text and not self.prompt.text:
            self.prompt.set_text(text)

    def _heard(self, session: str) -> None:
        if self.room is not None and session == self.room.id:
            self.call_later(self._look_at_room, self.room)

    def _look_at_room(self, room: "Room") -> None:
        """A run began or ended, perhaps without an event that says so."""
        if room is self.room and room.problem is not None:
            self._complain_once(room.problem)
        elif room is self.room and room.is_closing:
            words = "This session was closed in another face; what you say opens it again"
            self.tell(Notice(text=words))
        self._notice_work()
        self.watch_line.show()

    def _complain_once(self, problem: OuroborosError) -> None:
        if problem is not self._complained:
            self._complained = problem
            self.complain(problem)
            self.give_back(self._unheard)
            self._unheard = ""

    def complain(self, problem: OuroborosError) -> None:
        """Shows what could not be done."""
        self.tell(Notice(text=f"error: {problem.message}", level="error", hint=problem.hint))

    # Events of the session: ``following.Shows``.

    def begin(self) -> None:
        """Shows nothing of the session any more."""
        self.transcript.empty()
        self.scribe = Scribe(self.transcript)

    def recall(self, envelope: Envelope) -> None:
        """Shows an event of the past that is on the branch which goes on."""
        self.scribe.take(envelope)
        self.prompt.take(envelope)
        if envelope.type == "user.asked":
            self.cards.take(envelope)
        self._show_picture()

    def caught_up(self) -> None:
        """All that is past is shown: what was told meanwhile comes after it."""
        for told in self._told:
            self.transcript.add(told)
        if self.room is not None:
            self.cards.sync(self.room.state)
            if is_cut_off(self.room):
                hint = "say “go on”, or what to do instead"
                self.tell(Notice(text="The program ended in the middle of this run", hint=hint))
        self.watch_line.look()
        self._notice_work()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event of the session that is shown."""
        if envelope.type == "user.message":
            self._unheard = ""
        self.scribe.take(envelope)
        self.cards.take(envelope)
        self.prompt.take(envelope)
        self.watch_line.take(envelope)
        self._notifier.take(envelope)
        self._show_picture()
        self._notice_work()

    def _notice_work(self) -> None:
        if self.room is not None:
            self.prompt.is_at_work = self.room.running

    def _show_picture(self) -> None:
        picture = self._showing.next(self.transcript.blocks)
        if picture is not None:
            columns = self.transcript.look.columns
            shown = partial(self._showing.show, picture, self.loaded.home, columns)
            self.run_worker(shown, group="pictures")

    # What the prompt says.

    def on_prompt_said(self, message: Said) -> None:
        """Words: begin a run, reach the one that is on, or wait for its end."""
        self._go_on()
        if self.room is None:
            self.opening.wait(message)
            return
        if message.how == "queue":
            self.send(Queue(text=message.text))
        elif self.room.running:
            self.send(Steer(text=message.text))
        else:
            self.send(Submit(text=message.text, media=message.media))

    def _go_on(self) -> None:
        """The person said something: what they were told before is past."""
        self.transcript.to_end()
        if self._following.is_live:
            self._told.clear()

    def on_prompt_line(self, message: Line) -> None:
        """A command, a note, or a line for the person's own shell."""
        self._go_on()
        self.run_worker(partial(self._lines.carry_out, message.text), group="lines")

    def on_prompt_escaped(self, message: Escaped) -> None:
        """Stops the run, or with a second one goes back."""
        if self.room is None:
            return
        if self.room.running:
            self.send(Interrupt())
        elif message.twice:
            from ouroboros.faces.tui.screens.rewind import RewindScreen

            self.push_screen(RewindScreen(), self.give_back)

    def on_prompt_mode_next(self) -> None:
        """The next of the careful modes."""
        now = self.state.mode
        at = _CAREFUL.index(now) if now in _CAREFUL else -1
        self.send(SetMode(mode=msgspec.convert(_CAREFUL[(at + 1) % len(_CAREFUL)], Mode)))

    @override
    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self._notifier.touch()
            if self.focused is self.prompt and self._marking.take(event):
                return
        await super().on_event(event)

    def on_app_focus(self) -> None:
        """The person looks here."""
        self._notifier.focus(here=True)

    def on_app_blur(self) -> None:
        """The person looks elsewhere."""
        self._notifier.focus(here=False)

    def _call(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)

    def on_key(self, event: events.Key) -> None:
        """Keys that the prompt has no use for."""
        action = self.keys.action(event.key, "transcript", "app")
        if action and self.act(action):
            event.stop()

    def act(self, action: str) -> bool:
        """Does what a key stands for, by the action's name; False for what is none of ours."""
        return looked_elsewhere(self.transcript, action) or self._carry_out(action)

    def _carry_out(self, action: str) -> bool:
        match action:
            case "redraw":
                self.refresh(layout=True)
            case "suspend":
                self.action_suspend_process()
            case "leave":
                self.leave()
            case "answer":
                self.cards.answer()
            case "sessions":
                self._choose_session()
            case "rooms":
                from ouroboros.faces.tui.screens.rooms import RoomsScreen

                self.push_screen(RoomsScreen(), self._chosen)
            case "help":
                from ouroboros.faces.tui.screens.help import HelpScreen

                self.push_screen(HelpScreen())
            case _:
                return False
        return True

    def _choose_session(self) -> None:
        from ouroboros.faces.tui.screens.sessions import SessionPicker

        self.push_screen(SessionPicker(), self._chosen)

    def _chosen(self, session: str | None) -> None:
        if session:
            self.run_worker(partial(self._go, session), group="switch", exclusive=True)

    async def _go(self, session: str) -> None:
        try:
            await self.switch(session)
        except OuroborosError as problem:
            self.complain(problem)

    @override
    async def action_quit(self) -> None:
        self.leave()

    def on_transcript_moved(self, message: Transcript.Moved) -> None:
        """The status line says that there is more below."""
        self.watch_line.below(0 if self.transcript.follows else message.below)

    @override
    def _handle_exception(self, error: Exception) -> None:
        lost = isinstance(error, WorkerFailed) and isinstance(error.error, NoMatches | NoScreen)
        if lost and not self.is_running:
            return  # what a job would have shown went before the job did
        # The face's border has words for it, on a terminal that is whole again.
        self.failure = self.failure or error
        self._exception = self._exception or error
        self._exception_event.set()
        self._return_code = 1
        self._close_messages_no_wait()
