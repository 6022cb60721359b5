"""A run on a terminal that can move its cursor: streamed Markdown, cards, a status line."""

from collections.abc import Callable

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.app.text import plain
from ouroboros.core.clock import Clock
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    PermissionRequested,
    PlanUpdated,
    TaskCancelled,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.question import UserAsked
from ouroboros.core.state import State
from ouroboros.faces.cli.render.approvals import question_rows
from ouroboros.faces.cli.render.cards import call_rows, plan_rows, survey_rows
from ouroboros.faces.cli.render.live import Cursor, Live
from ouroboros.faces.cli.render.screen import Screen, Size
from ouroboros.faces.wording.face import Ending, Notice
from ouroboros.faces.wording.notices import notice
from ouroboros.faces.wording.rows import (
    BOLD,
    CYAN,
    DIM,
    RED,
    YELLOW,
    Row,
    Span,
    row,
    tail,
    wrap,
)
from ouroboros.faces.wording.text.blocks import Blocks
from ouroboros.faces.wording.text.markdown import markdown_rows, warm
from ouroboros.faces.wording.words import (
    call_title,
    closing,
    count,
    duration,
    going_on,
    one_line,
)

_FRAME_SECONDS = 0.04
_TICK_SECONDS = 0.1
_DRAWN_OPEN = 2_000
_THOUGHT = 400
_SPINNER = "|/-\\"
_LEVELS = {"info": DIM, "warning": YELLOW, "error": RED}


class Foot(Struct, frozen=True, kw_only=True):
    """What stands below everything: a question's answers, or the line being typed."""

    rows: tuple[Row, ...] = ()
    cursor: Cursor | None = None


class _Running(Struct, kw_only=True):
    title: str
    since: float
    last: str = ""


class TerminalFace:
    """Shows events as they come; ``animate`` redraws while its task runs.

    Events are only taken in by ``take``; the work of drawing, and the import of what draws
    Markdown, happens in ``animate``, after the loop had its turn.
    """

    def __init__(
        self, live: Live, screen: Screen, *, state: State, clock: Clock, size: Callable[[], Size]
    ) -> None:
        """``state`` is the session's and only read."""
        self.foot: Callable[[Size], Foot] = lambda _size: Foot()
        self._live = live
        self._screen = screen
        self._state = state
        self._clock = clock
        self._size = size
        self._changed = anyio.Event()
        self._queue: list[str | list[Row]] = []
        self._kind = ""
        self._blocks = Blocks()
        self._heard = False
        self._warm = False
        self._thinking = ""
        self._thought = ""
        self._calls: dict[str, _Running] = {}
        self._asked: PermissionRequested | None = None
        self._since: float | None = None
        self._said: list[str] = []
        self._frame = 0

    @property
    def columns(self) -> int:
        """Cells across."""
        return self._size().columns

    def begin(self) -> None:
        """A run starts: the clock of its status line too."""
        self._since = self._clock.monotonic()
        self._said = []
        self.touch()

    def rest(self) -> None:
        """Nothing runs any more: no status line."""
        self._since = None
        self._calls.clear()
        self._said = []
        self.touch()

    def touch(self) -> None:
        """Something changed that should be drawn."""
        self._changed.set()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        event = envelope.data
        match event:
            case ModelDelta():
                self._take_delta(event)
            case AgentMessage():
                self._take_message(event)
            case ToolStarted() | ToolProgress() | ToolResulted():
                self._take_call(event)
            case _:
                self._take_rest(event)
        self.touch()

    def echo(self, text: str) -> None:
        """Repeats what was typed, as the line it was typed into is gone."""
        self.put("typed", wrap(plain(f"> {text}"), self.columns, BOLD))

    def put(self, kind: str, rows: list[Row]) -> None:
        """Adds finished rows; another kind than before is set apart by an empty row."""
        if self._kind and (kind != self._kind or kind == "text"):
            self._queue.append([()])
        self._kind = kind
        self._queue.append(rows)
        self.touch()

    def tell(self, told: Notice) -> None:
        """Adds a notice and its hint."""
        style = _LEVELS[told.level]
        columns = self._size().columns
        rows = wrap(told.text, columns, style)
        if told.hint:
            rows += wrap(f"hint: {told.hint}", columns)
        self.put("notice", rows)

    def finish(self, ending: Ending, session: str) -> None:
        """Closes a run: what was not said yet, the price of it, how to go on."""
        self._close_text()
        if self._is_new(ending.final):
            self._say(ending.final)
        seconds = self._clock.monotonic() - (self._since or self._clock.monotonic())
        text = closing(ending.reason, ending.turns, ending.spent, seconds)
        columns = self._size().columns
        style = RED if ending.reason == "failed" else DIM
        rows = wrap(text, columns, style)
        if session:
            rows += wrap(going_on(session), columns, DIM)
        self.put("closing", rows)
        self.rest()

    async def animate(self) -> None:
        """Redraws when something changed, and now and then while a run is on."""
        while True:
            with anyio.move_on_after(_TICK_SECONDS if self._since is not None else None):
                await self._changed.wait()
            self._changed = anyio.Event()
            if self._heard and not self._warm:
                await anyio.to_thread.run_sync(warm, abandon_on_cancel=True)
                self._warm = True
            self.draw()
            await anyio.sleep(_FRAME_SECONDS)

    def draw(self) -> None:
        """Brings the terminal up to date."""
        size = self._size()
        finished = [line for item in self._queue for line in self._drawn(item, size)]
        self._queue = []
        foot = self.foot(size)
        head = self._head(size, max(size.lines - 2 - len(foot.rows), 1))
        cursor = foot.cursor
        if cursor is not None:
            cursor = Cursor(cursor.row + len(head), min(cursor.column, size.columns - 1))
        self._live.paint(finished, [*head, *foot.rows], size.columns, cursor)

    def close(self) -> None:
        """Draws what is left and gives the terminal back."""
        self._since = None
        self._close_text()
        self.foot = lambda _size: Foot()
        self.draw()

    def ask(self, event: PermissionRequested, *, whole: bool = False) -> None:
        """Shows a question's card, bounded or whole."""
        self.put("question", question_rows(event, self._size(), whole=whole))

    def _drawn(self, item: str | list[Row], size: Size) -> list[Row]:
        if isinstance(item, list):
            return item
        return markdown_rows(item, size.columns, colours=self._screen.colours)

    def _is_new(self, text: str) -> bool:
        return not "".join(self._said).strip().endswith(text.strip())

    def _say(self, text: str) -> None:
        self._heard = True
        self.put("text", [])
        self._queue.append(text)

    def _take_delta(self, event: ModelDelta) -> None:
        if event.phase == "start" and event.part == 0:
            self._said = []
        if event.kind == "reasoning":
            if event.phase == "end":
                self._close_thought()
            self._thought = "" if event.phase == "start" else self._thought
            if len(self._thought) < _THOUGHT:
                self._thought += event.text
            self._thinking = (self._thinking + event.text)[-_THOUGHT:]
            return
        if event.kind != "text":
            return
        self._heard = True
        if event.phase == "start":
            self._close_text()
        for block in self._blocks.feed(event.text):
            self._say(block)
        self._said.append(event.text)
        if event.phase == "end":
            self._close_text()

    def _close_text(self) -> None:
        for block in self._blocks.close():
            self._say(block)

    def _close_thought(self) -> None:
        thought = one_line(self._thought, _THOUGHT)
        self._thinking = self._thought = ""
        if thought:
            rows = wrap(f"Thought: {thought}", self._size().columns, DIM)
            self.put("thought", rows[:2])

    def _take_message(self, event: AgentMessage) -> None:
        self._close_text()
        self._thinking = ""
        if self._is_new(event.message.text):
            self._said = [event.message.text]
            self._say(event.message.text)
        if event.partial and event.message.text and not event.message.calls:
            self.put("notice", [row("(cut off here)", DIM)])

    def _take_call(self, event: ToolStarted | ToolProgress | ToolResulted) -> None:
        now = self._clock.monotonic()
        match event:
            case ToolStarted():
                self._calls[event.call_id] = _Running(title=call_title(event), since=now)
            case ToolProgress():
                running = self._calls.get(event.call_id)
                if running and event.text.strip():
                    running.last = event.text[-400:].strip().rpartition("\n")[2]
            case ToolResulted():
                running = self._calls.pop(event.call_id, None)
                title = running.title if running else one_line(event.title or event.name)
                self.put("call", call_rows(title, event, self._size()))

    def _take_rest(self, event: Event) -> None:
        match event:
            case PermissionRequested():
                self._asked = event
            case UserAsked():
                self.put("question", survey_rows(event, self._size()))
            case PlanUpdated():
                rows = plan_rows(event.steps, event.explanation, self._size().columns)
                self.put("plan", rows)
            case TaskCompleted() | TaskCancelled():
                self._close_text()
                self._calls.clear()
                self._thinking = ""
            case _:
                told = notice(event, asked=self._asked)
                if told:
                    self.tell(told)

    def _head(self, size: Size, limit: int) -> list[Row]:
        if self._since is None:
            return []
        rows: list[Row] = []
        if self._thinking:
            thought = one_line(self._thinking, _THOUGHT)
            rows += wrap(thought, size.columns - 1, DIM)[-2:]
        rows += self._open_rows(size, limit)
        for running in self._calls.values():
            rows += self._call_rows(running)
        if rows:
            rows = [(), *rows[-(limit - 2) :]] if limit > 2 else []
        return [*rows, self._status()]

    def _open_rows(self, size: Size, limit: int) -> list[Row]:
        text = self._blocks.open_tail(size.columns * size.lines)
        if not text.strip():
            return []
        if self._warm and len(text) <= _DRAWN_OPEN:
            return markdown_rows(text, size.columns - 1, colours=self._screen.colours)
        return wrap(plain(tail(text, size.columns, limit)), size.columns - 1)

    def _call_rows(self, running: _Running) -> list[Row]:
        seconds = duration(self._clock.monotonic() - running.since)
        rows: list[Row] = [
            (Span("> ", CYAN), Span(running.title, BOLD), Span(f"  {seconds}", DIM)),
        ]
        if running.last:
            rows.append(row(f"  {one_line(running.last)}", DIM))
        return rows

    def _status(self) -> Row:
        self._frame += 1
        seconds = duration(self._clock.monotonic() - (self._since or 0.0))
        word = "Waiting for you" if self._state.approvals else "Working"
        spent = self._state.spent
        used = f", {count(spent.tokens, 'token')}" if spent.tokens else ""
        if spent.cache_hit_rate is not None:
            used += f" ({spent.cache_hit_rate:.0%} cached)"
        spin = _SPINNER[self._frame % len(_SPINNER)]
        return (Span(f"{spin} ", CYAN), Span(f"{word} {seconds}{used}, Ctrl-C stops", DIM))
