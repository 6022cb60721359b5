"""A run as plain text: for pipes, and for terminals that cannot move their cursor."""

from ouroboros.app.text import plain
from ouroboros.core.clock import Clock
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    ModelDelta,
    PermissionRequested,
    PlanUpdated,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.question import UserAsked
from ouroboros.faces.cli.render.approvals import question_rows
from ouroboros.faces.cli.render.cards import call_rows, plan_rows, survey_rows
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.asked import choices
from ouroboros.faces.wording.face import Ending, Notice
from ouroboros.faces.wording.notices import notice
from ouroboros.faces.wording.rows import Row, join
from ouroboros.faces.wording.words import call_title, closing, going_on, one_line


class PlainFace:
    """The answer goes to ``out``, all else to ``err``; with ``streaming`` words come as they are said.

    No escape sequence is ever written.
    """

    def __init__(
        self, out: Outlet, err: Outlet, *, clock: Clock, size: Size, streaming: bool
    ) -> None:
        """Writes nothing yet."""
        self._out = out
        self._err = err
        self._clock = clock
        self._size = size
        self._streaming = streaming
        self._titles: dict[str, str] = {}
        self._asked: PermissionRequested | None = None
        self._said: list[str] = []
        self._aside = ""
        self._since = clock.monotonic()
        self._open_line = False

    def begin(self, since: float) -> None:
        """A run started at this time."""
        self._since = since
        self._said = []

    def rest(self) -> None:
        """Nothing runs any more."""
        self._end_line()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        event = envelope.data
        match event:
            case ModelDelta():
                self._take_delta(event)
            case AgentMessage():
                self._take_message(event)
            case ToolStarted():
                self._say_aside()
                self._titles[event.call_id] = call_title(event)
            case ToolResulted():
                title = self._titles.pop(event.call_id, "") or one_line(event.title or event.name)
                self._note(call_rows(title, event, self._size))
            case PermissionRequested():
                self._asked = event
            case UserAsked():
                self._note(survey_rows(event, self._size))
            case PlanUpdated():
                self._note(plan_rows(event.steps, event.explanation, self._size.columns))
            case _:
                told = notice(event, asked=self._asked)
                if told:
                    self.tell(told)

    def tell(self, told: Notice) -> None:
        """Writes a notice and its hint."""
        self._end_line()
        self._err.write(told.text + "\n")
        if told.hint:
            self._err.write(f"hint: {told.hint}\n")

    def ask(self, event: PermissionRequested, *, whole: bool = False) -> None:
        """Writes a question's card, bounded or whole."""
        self._note(question_rows(event, self._size, whole=whole))
        remember = "r remember, " if choices(event) else ""
        self.prompt(f"y yes, n no [why], a yes for the session, {remember}e INPUT, i whole input: ")

    def prompt(self, text: str) -> None:
        """Writes words after which the person types, without a line end."""
        self._end_line()
        self._err.write(text)

    def finish(self, ending: Ending, session: str) -> None:
        """Writes the answer if it was not streamed, then how the run ended."""
        self._end_line()
        said = "".join(self._said) if self._streaming else ""
        if ending.final.strip() and said.strip() != ending.final.strip():
            self._out.write(plain(ending.final).rstrip("\n") + "\n")
        seconds = self._clock.monotonic() - self._since
        line = closing(ending.reason, ending.turns, ending.spent, seconds)
        self._err.write(line + "\n")
        if session:
            self._err.write(going_on(session) + "\n")

    def _take_delta(self, event: ModelDelta) -> None:
        if event.phase == "start" and event.part == 0:
            self._said, self._aside = [], ""
        if event.kind != "text":
            return
        if event.phase == "start":
            self._end_line()
        self._said.append(event.text)
        if not self._streaming:
            return
        if event.text:
            self._out.write(plain(event.text))
            self._open_line = not event.text.endswith("\n")
        if event.phase == "end":
            self._end_line()

    def _take_message(self, event: AgentMessage) -> None:
        text = event.message.text
        self._end_line()
        if self._streaming:
            if not "".join(self._said).strip().endswith(text.strip()):
                self._said = [text]
                self._out.write(plain(text).rstrip("\n") + "\n")
            return
        if event.message.calls:
            self._said = [text.removeprefix(self._aside)]
            self._say_aside()
        if not event.partial:
            self._aside = ""

    def _say_aside(self) -> None:
        """A reply that calls tools is not the answer: where only that is data, it goes beside."""
        text = "".join(self._said)
        if self._streaming or not text.strip():
            return
        self._err.write(plain(text).rstrip("\n") + "\n")
        self._aside += text
        self._said = []

    def _note(self, rows: list[Row]) -> None:
        self._end_line()
        self._err.write(join(rows, colour=False))

    def _end_line(self) -> None:
        if self._open_line:
            self._out.write("\n")
            self._open_line = False
