"""The mind that writes code: one fresh message an iteration, and no page in it but previews."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.context.tokens import EFFECTIVE_WINDOW, of_text
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.reply import Reply
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.context import Block, Meter
from ouroboros.core.events import ContextCompacted, ErrorRaised, Event, TaskCompleted
from ouroboros.core.events.browser import BrowserChanged
from ouroboros.core.events.code import IterationStarted
from ouroboros.core.events.turn import Trigger
from ouroboros.core.ids import Ids
from ouroboros.core.limits import NO_CODE_REPLIES
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.llm.request import Request
from ouroboros.llm.stream import StreamEvent
from ouroboros.rlm import context, history
from ouroboros.rlm.context import Bounds, Page, Setting
from ouroboros.rlm.progress import line
from ouroboros.rlm.stream import with_blocks

LEAST_HISTORY = 500
_TASK_CHARACTERS = 200
NO_CODE = (
    "Your last reply held no code, so nothing was run. Write JavaScript in a ```repl block; when "
    "the task is done, call setFinal(value) in one."
)
CUT = (
    "Your last reply was cut off at the output limit, and the block it ended in was not run. "
    "Write a shorter block; keep long texts in variables."
)


class Window(Protocol):
    """What the mind is told of the browser; None while there is none.

    ``look`` compares with what was there when it was last called.
    """

    def look(self) -> Page | None: ...


async def nothing() -> str:
    """Nothing to prepare and to tell."""
    return ""


class NoWindow:
    """There is no browser."""

    def look(self) -> Page | None:
        """Nothing."""
        return None


class Reading(Struct, frozen=True, kw_only=True):
    """How small data is read instead of worked on.

    ``text`` gives the question with its data for a task, or nothing when it is to be worked on.
    """

    system: str
    text: Callable[[str], str]


class RlmMind:
    """Asks for code; done when the code calls ``setFinal``.

    A task with small data may be read plainly instead: then one reply is the answer.
    """

    def __init__(
        self,
        *,
        lineup: Lineup,
        system: str,
        bounds: Bounds,
        record: Callable[[Event], None],
        ids: Ids,
        window: Window | None = None,
        setting: Setting | None = None,
        reading: Reading | None = None,
        begin: Callable[[], None] = lambda: None,
        prepare: Callable[[], Awaitable[str]] = nothing,
    ) -> None:
        """``system`` is the same for every iteration; ``begin`` is called when a run begins.

        ``prepare`` runs before each iteration that writes code, and may have something to tell.
        """
        self._lineup, self._system, self._bounds = lineup, system, bounds
        self._record, self._ids = record, ids
        self._window, self._setting, self._begin = window or NoWindow(), setting, begin
        self._prepare = prepare
        self._reading, self._reads = reading, False
        self._turn = -1
        self._text = ""
        self._page: Page | None = None
        self._driven: list[str] = []
        self._told = ""

    @property
    def lineup(self) -> Lineup:
        """Knows the model that is asked next."""
        return self._lineup

    @property
    def speaker(self) -> Speaker:
        """The model that is asked next."""
        return self._lineup.speaker

    def reply(self, state: State) -> Reply:
        """A collector for the next reply."""
        return Reply(
            ids=self._ids,
            origin=self.speaker.model.origin,
            taken=state.call_ids,
            cost=self.speaker.cost,
        )

    @asynccontextmanager
    async def think(self, state: State) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        """Begins an iteration and asks for its code; a second try of one asks the same."""
        if self._turn != state.turn:
            await self._open(state)
        stream = self.speaker.model.stream(self.request(state))
        async with stream if self._reads else with_blocks(stream) as events:
            yield events

    def request(self, state: State) -> Request:
        """The request for the iteration that has begun."""
        tuning = self.speaker.tuning
        said = Message(
            id=f"iteration_{state.iteration}", role="user", parts=(Text(text=self._text),)
        )
        return Request(
            model=self.speaker.model.origin.model,
            system=(self._reading.system if self._reading and self._reads else self._system,),
            messages=(said,),
            max_output_tokens=tuning.max_output_tokens,
            temperature=tuning.temperature,
            effort=tuning.effort,
            service_tier=tuning.service_tier,
            window=tuning.known_window,
            cache_key=state.session,
        )

    def can_compact(self, state: State) -> bool:
        """Never: each request is made anew and is bounded."""
        del state
        return False

    def is_full(self, state: State) -> bool:
        """Never."""
        del state
        return False

    def would_fill(self, state: State, tuning: Tuning) -> bool:
        """Never."""
        del state, tuning
        return False

    def meter(self, state: State) -> Meter:
        """What fills the context: the same prompt each time, and one message of bounded size."""
        tuning = self.speaker.tuning
        text = self._text or self._message(state)
        found = (
            Block(name="system prompt", tokens=of_text(self._system)),
            Block(name="task and iterations", tokens=of_text(text)),
        )
        return Meter(
            model=self.speaker.name,
            blocks=found,
            used=sum(block.tokens for block in found),
            source="estimated",
            limit=None,
            window=int(tuning.window * EFFECTIVE_WINDOW),
            is_assumed=tuning.known_window is None,
        )

    async def compact(self, state: State, trigger: Trigger, focus: str = "") -> ContextCompacted:
        """Tells half as much of the past from now on; the history itself stays as it is.

        What was too long to be read plainly is worked on.
        """
        del focus
        self._reads = False
        before = of_text(self._text)
        half = max(LEAST_HISTORY, self._bounds.history_tokens // 2)
        self._bounds = replace(self._bounds, history_tokens=half)
        self._text = self._message(state)
        return ContextCompacted(
            old_tokens=before,
            new_tokens=of_text(self._text),
            messages_summarized=0,
            trigger=trigger,
            history=tuple(state.history),
            told=dict(state.told),
            cost=0.0,
        )

    def verdict(self, state: State) -> TaskCompleted | Message | None:
        """Ends at ``setFinal``, at the last iteration, or after three replies without code."""
        self._lineup.answered()
        is_last = self._bounds.left(state) < 1
        if state.finished_by_tool:
            reason = "limit_reached:max_iterations" if is_last else "completed"
            return TaskCompleted(reason=reason, final=state.final)
        reply = state.history[-1]
        if self._reads and reply.text.strip():
            return TaskCompleted(reason="completed", final=reply.text.strip())
        if is_last:
            final = reply.text.strip() if not reply.calls else self.partial(state)
            return TaskCompleted(reason="limit_reached:max_iterations", final=final)
        if reply.role != "assistant" or reply.calls:
            return None
        refused = state.stop_reason in {"refusal", "content_filter"}
        if state.silent >= NO_CODE_REPLIES or refused:
            return self._give_up(state, refused=refused)
        cut = state.stop_reason in {"length", "overflow"}
        return Message(
            id=self._ids.new("msg"),
            role="user",
            kind="nudge",
            parts=(Text(text=CUT if cut else NO_CODE),),
        )

    def partial(self, state: State) -> str:
        """What there is when a run ends without a final value."""
        past = history.iterations(state)
        lines = ["The run ended without a final value. What was done:"]
        lines += [line(iteration) for iteration in past]
        if state.variables:
            lines += ["Variables:", state.variables[:4_000]]
        said = state.history[-1].text.strip() if state.history else ""
        return "\n".join([*lines, *(["Last words:", said[:2_000]] if said else [])])

    def _message(self, state: State) -> str:
        text = context.message(state, self._bounds, self._page, self._setting)
        return f"{text}\n\n{self._told}" if self._told else text

    def _give_up(self, state: State, *, refused: bool) -> TaskCompleted:
        message = (
            f"the model refused ({state.stop_reason})"
            if refused
            else f"{state.silent} replies in a row held no code"
        )
        kind = "refusal" if refused else "no_code"
        self._record(ErrorRaised(fault="runtime", kind=kind, message=message))
        return TaskCompleted(reason="failed", final=self.partial(state))

    def _looked(self, number: int) -> Page | None:
        """How the browser stands, with what a person did in it in earlier iterations of the run."""
        page = self._window.look()
        if page is None:
            return None
        page = replace(page, earlier=tuple(self._driven))
        self._driven += [f"before iteration {number}: {change}" for change in page.driven]
        return page

    async def _open(self, state: State) -> None:
        number = state.iteration + 1
        if number == 1:
            self._begin()
            self._driven.clear()
        wanted = number == 1 or self._reads
        wanted = wanted and (state.goals is None or state.goals.active is None)  # code reaches it
        reading = self._reading.text(context.task_of(state)) if self._reading and wanted else ""
        self._reads = reading != ""
        self._told = "" if self._reads else await self._prepare()
        self._turn = state.turn
        self._page = self._looked(number)
        task = " ".join(context.task_of(state).split())[:_TASK_CHARACTERS]
        self._record(IterationStarted(iteration=number, task=task))
        for change in self._page.changes if self._page else ():
            tab, _, summary = change.partition(" ")
            self._record(BrowserChanged(tab=tab, summary=summary))
        self._text = reading or self._message(state)
