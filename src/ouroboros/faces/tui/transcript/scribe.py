"""Events as blocks of a transcript: the same blocks whether they come live or from the log."""

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    PermissionAnswered,
    PermissionRequested,
    PlanUpdated,
    SessionReady,
    TaskCancelled,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.browser import TabDriven
from ouroboros.core.parts import Media, Reasoning, Text
from ouroboros.core.state import Spent
from ouroboros.faces.tui.transcript.blocks import (
    Call,
    Closing,
    Plan,
    Prose,
    Said,
    Thought,
    Told,
)
from ouroboros.faces.tui.transcript.page import Page
from ouroboros.faces.tui.transcript.steps import Steps
from ouroboros.faces.wording.notices import notice
from ouroboros.faces.wording.text.blocks import Blocks
from ouroboros.faces.wording.words import call_title, closing, one_line, ran_by_person

_LIVE = 8_000
_THOUGHT = 20_000
_UNSEEN = frozenset({"update_plan"})
"""Calls whose doing is on the screen by itself."""

_QUIET = frozenset({"queue.put", "queue.dropped", "session.ready", "user.answered"})


class Scribe:
    """Follows one session."""

    def __init__(self, page: Page) -> None:
        """Starts before the first event."""
        self._page = page
        self._calls: dict[str, Call] = {}
        self._steps = Steps(page, self._calls)
        self._blocks = Blocks()
        self._open: Prose | None = None
        self._thought: Thought | None = None
        self._plan: Plan | None = None
        self._said: list[str] = []
        self._asked: PermissionRequested | None = None
        self._spent = Spent()
        self._turns = 0
        self._began: float | None = None
        self._writes_code = False
        self._driven: dict[str, None] = {}

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        event = envelope.data
        match event:
            case ModelDelta():
                self._delta(event)
            case ToolStarted() | ToolProgress() | ToolResulted():
                self._call(event, envelope.ts)
            case UserMessage():
                self._heard(event, envelope.ts)
            case AgentMessage():
                self._message(event)
            case TurnStarted():
                self._turns += 1
                self._said = []
            case TaskCompleted() | TaskCancelled():
                self._end(event, envelope.ts)
            case SessionReady(mind=mind):
                self._writes_code = mind == "rlm"
                self._let_go(resumed=event.resumed)
            case _:
                if not self._steps.take(event, envelope.ts):
                    self._rest(event)

    def _rest(self, event: Event) -> None:
        match event:
            case PlanUpdated():
                self._replan(event)
                return
            case TabDriven():
                self._drive(event)
            case PermissionRequested():
                self._asked = event
                self._wait(event.call_id, waits=True)
            case PermissionAnswered():
                self._wait(event.call_id, waits=False, seconds=event.seconds)
                if event.allowed and event.scope == "once" and not event.input:
                    return  # the card goes on, which says as much
            case _:
                pass
        if event.type in _QUIET:
            return
        told = notice(event, asked=self._asked)
        if told is not None:
            self._page.add(Told(text=told.text, level=told.level, hint=told.hint))

    def _replan(self, event: PlanUpdated) -> None:
        if self._plan is not None:
            self._plan.is_old = True
            self._page.touch(self._plan)
        self._plan = Plan(steps=event.steps, explanation=event.explanation)
        self._page.add(self._plan)

    def _drive(self, event: TabDriven) -> None:
        if event.driver == "person":
            self._driven[event.tab] = None
        elif event.why != "closed":
            self._driven.pop(event.tab, None)

    def _let_go(self, *, resumed: bool) -> None:
        """A program that ended takes its tabs with it, also where nobody could say so."""
        if resumed and self._driven:
            tabs = one_line(", ".join(self._driven), 120)
            self._page.add(Told(text=f"Nobody drives {tabs} any more: the program had ended"))
        self._driven.clear()

    def _wait(self, call_id: str, *, waits: bool, seconds: float = 0.0) -> None:
        call = self._calls.get(call_id)
        if call is not None:
            call.waits = waits
            call.since += seconds  # it did not run while it waited
            self._page.touch(call)

    def _heard(self, event: UserMessage, now: float) -> None:
        message = event.message
        if message.kind != "plain" or message.role != "user":
            return
        pictures = tuple(
            part.name or part.media_type for part in message.parts if isinstance(part, Media)
        )
        if not (message.text.strip() or pictures):
            return
        if not event.steered:
            self._began, self._turns, self._spent, self._plan = now, 0, Spent(), None
            self._steps.begin()
        self._page.add(Said(text=message.text, steered=event.steered, pictures=pictures))

    def _delta(self, event: ModelDelta) -> None:
        match event.kind:
            case "reasoning":
                self._think(event)
            case "text" if self._writes_code:
                self._steps.write("" if event.phase == "start" else event.text)
            case "text":
                self._stream(event)
            case _:
                pass

    def _stream(self, event: ModelDelta) -> None:
        if event.phase == "start":
            self._close_text()
        if event.text:
            self._said.append(event.text)
            for block in self._blocks.feed(event.text):
                self._finish(block)
            self._show_open()
        if event.phase == "end":
            self._close_text()

    def _show_open(self) -> None:
        text = self._blocks.open
        if self._open is None and text.strip():
            self._open = Prose(text=text, is_open=True)
            self._page.add(self._open)
        elif self._open is not None:
            self._open.text = text
            self._page.touch(self._open)

    def _finish(self, text: str) -> None:
        """A block will change no more: the open one becomes it."""
        if self._open is None:
            self._page.add(Prose(text=text))
            return
        self._open.text, self._open.is_open = text, False
        self._page.touch(self._open)
        self._open = None

    def _close_text(self) -> None:
        for block in self._blocks.close():
            self._finish(block)
        if self._open is not None:
            self._open.is_open = False
            self._page.touch(self._open)
            self._open = None

    def _think(self, event: ModelDelta) -> None:
        if event.phase == "end":
            self._close_thought()
            return
        if self._thought is None and event.text.strip():
            self._thought = Thought(is_open=True)
            self._page.add(self._thought)
        if self._thought is not None and len(self._thought.text) < _THOUGHT:
            self._thought.text += event.text
            self._page.touch(self._thought)

    def _close_thought(self) -> None:
        if self._thought is not None:
            self._thought.is_open = False
            self._page.touch(self._thought)
        self._thought = None

    def _message(self, event: AgentMessage) -> None:
        self._close_text()
        self._close_thought()
        self._spent.add(event.usage, event.cost)
        text = event.message.text
        if self._writes_code:
            self._steps.say(text)
        if not self._said and not self._writes_code:
            thought = "\n".join(
                part.text for part in event.message.parts if isinstance(part, Reasoning)
            )
            if thought.strip() and not event.partial:
                self._page.add(Thought(text=thought[:_THOUGHT]))
        if text.strip() and not self._writes_code and self._is_new(text):
            self._said = [text]
            self._page.add(Prose(text=text))
        if event.partial and text and not event.message.calls:
            self._page.add(Told(text="(cut off here)"))

    def _is_new(self, text: str) -> bool:
        return not "".join(self._said).strip().endswith(text.strip())

    def _is_answer(self, event: TaskCompleted) -> bool:
        """Whether its last words are to be shown: a failed mind that writes code gave none."""
        if self._writes_code and event.reason == "failed":
            return False
        return bool(event.final.strip()) and self._is_new(event.final)

    def _call(self, event: ToolStarted | ToolProgress | ToolResulted, now: float) -> None:
        match event:
            case ToolStarted():
                self._start(event, now)
            case ToolProgress(call_id=call_id, text=text):
                call = self._calls.get(call_id)
                if call is not None:
                    call.live = (call.live + text)[-_LIVE:]
                    self._page.touch(call)
            case ToolResulted():
                self._result(event)

    def _start(self, event: ToolStarted, now: float) -> None:
        if self._is_line(event):
            self._steps.started(event)
            return
        call = Call(
            id=event.call_id,
            name=event.name,
            title=call_title(event),
            arguments=event.arguments,
            since=now,
        )
        self._calls[call.id] = call
        if call.name not in _UNSEEN:
            self._page.add(call)

    def _is_line(self, event: ToolStarted | ToolResulted) -> bool:
        """Whether it is a line of another card; what the person ran themselves never is."""
        return not ran_by_person(event.call_id) and self._steps.owns(event.name, event.within)

    def _result(self, event: ToolResulted) -> None:
        call = self._calls.pop(event.call_id, None)
        if call is None and self._is_line(event):
            self._steps.resulted(event)
            return
        is_late = call is None or (call.name in _UNSEEN and event.status != "done")
        if call is None:
            title = one_line(event.title or event.name)
            call = Call(id=event.call_id, name=event.name, title=title)
        call.status, call.seconds, call.waits = event.status, event.seconds, False
        call.output = "".join(part.text for part in event.parts if isinstance(part, Text))
        call.pictures = tuple(
            part.name or part.media_type for part in event.parts if isinstance(part, Media)
        )
        call.detail, call.live = event.detail, ""
        call.cut_bytes = event.original_bytes if event.truncated else 0
        if is_late:
            self._page.add(call)
        else:
            self._page.touch(call)

    def _end(self, event: TaskCompleted | TaskCancelled, now: float) -> None:
        self._close_text()
        self._close_thought()
        self._steps.end(now)
        for call in self._calls.values():
            call.status, call.waits = "cancelled", False
            self._page.touch(call)
        self._calls.clear()
        reason = event.reason if isinstance(event, TaskCompleted) else "cancelled"
        if isinstance(event, TaskCompleted) and self._is_answer(event):
            self._page.add(Prose(text=event.final))
        seconds = now - self._began if self._began is not None else 0.0
        text = closing(reason, self._turns, self._spent, seconds)
        self._page.add(Closing(text=text, failed=reason == "failed"))
        self._said, self._began = [], None
