"""The tool-calling mind: builds requests from the state and judges replies."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING

from ouroboros.agent.context import tokens
from ouroboros.agent.context.cut import Around, Flush, Nobody, keep_nothing
from ouroboros.agent.context.messages import Builder
from ouroboros.agent.prompts import Piece, Prompts
from ouroboros.agent.speaking.cut_watch import CutWatch
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.reply import Reply
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.events import ContextCompacted, TaskCompleted
from ouroboros.core.events.turn import Trigger
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text, ToolSpec
from ouroboros.core.state import State
from ouroboros.llm.request import Request
from ouroboros.llm.stream import StreamEvent

if TYPE_CHECKING:
    from ouroboros.agent.compacting import Compactor
    from ouroboros.core.context import Meter

MAX_NUDGES = 2
EMPTY_REPLY = "Your last reply was empty. Go on with the task, or say that it is done."
CUT_REPLY = (
    "Your last reply was cut off at the output limit. Go on in smaller steps: shorter texts, "
    "smaller edits, one call at a time."
)


def has_replies(state: State) -> bool:
    """The model said something since the last summary; without that nothing can be summarised."""
    return any(message.role == "assistant" for message in reversed(state.history))


class ToolMind:
    """Asks a model with tools; done when a reply makes no call."""

    def __init__(
        self,
        *,
        lineup: Lineup,
        prompts: Prompts,
        system: tuple[Piece, ...],
        tools: Callable[[], tuple[ToolSpec, ...]],
        ids: Ids,
        context: Callable[[State], tuple[Message, dict[str, str]] | None],
        around: Around | None = None,
        flush: Flush = keep_nothing,
    ) -> None:
        """``context`` gives what the model must be told anew after a compaction in mid-task.

        ``around`` hears of every compaction and may stop it; ``flush`` keeps what is worth keeping
        of the messages that go.
        """
        self._lineup = lineup
        self._prompts, self._system, self._tools = prompts, system, tools
        self._ids, self._context = ids, context
        self._around, self._flush = around or Nobody(), flush
        self._builder = Builder()
        self._cut_watch = CutWatch()
        self._nudges = 0

    @property
    def lineup(self) -> Lineup:
        """Knows the model that is asked next."""
        return self._lineup

    @property
    def speaker(self) -> Speaker:
        """The model that is asked next."""
        return self.lineup.speaker

    def reply(self, state: State) -> Reply:
        """A collector for the next reply."""
        return Reply(
            ids=self._ids,
            origin=self.speaker.model.origin,
            taken=state.call_ids,
            cost=self.speaker.cost,
            notice=partial(self._cut_watch.notice, sent=self._sent(state)),
        )

    def think(self, state: State) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Asks the model for the next reply."""
        return self.speaker.model.stream(self.request(state))

    def request(self, state: State) -> Request:
        """The next request."""
        return self.speaker.request(
            tuple(piece.text for piece in self._system),
            self._builder.build(state, self.speaker.tuning.most_images),
            self._tools(),
            choice="auto",
            cache_key=state.session,
        )

    def is_full(self, state: State) -> bool:
        """The next request would pass the limit, and there is something to summarise."""
        return self.would_fill(state, self.speaker.tuning)

    def can_compact(self, state: State) -> bool:
        """There is something to summarise."""
        return has_replies(state)

    def would_fill(self, state: State, tuning: Tuning) -> bool:
        """The same for a model with another tuning."""
        if not has_replies(state):
            return False
        overhead = self._overhead()
        return self._used(state, tuning, overhead) >= self._limit(state, tuning, overhead)

    def meter(self, state: State) -> "Meter":
        """What fills the context."""
        from ouroboros.agent.context import meter  # most runs are never asked
        from ouroboros.core.context import Meter

        tuning, overhead = self.speaker.tuning, self._overhead()
        used = self._used(state, tuning, overhead)
        found = meter.blocks(
            (piece.text for piece in self._system),
            self._tools(),
            self._builder.build(state, tuning.most_images),
            used,
        )
        return Meter(
            model=self.speaker.name,
            blocks=found,
            used=used,
            source="estimated" if state.measured_tokens is None else "reported",
            limit=self._limit(state, tuning, overhead),
            window=int(tuning.window * tokens.EFFECTIVE_WINDOW),
            is_assumed=tuning.known_window is None,
        )

    def _compactor(self) -> "Compactor":
        from ouroboros.agent.compacting import Compactor  # most runs stay short

        return Compactor(
            lineup=self._lineup,
            builder=self._builder,
            prompts=self._prompts,
            system=tuple(piece.text for piece in self._system),
            tools=self._tools,
            ids=self._ids,
            context=self._context,
            around=self._around,
            flush=self._flush,
        )

    def _used(self, state: State, tuning: Tuning, overhead: int) -> int:
        used = tokens.used(state, overhead) - self._builder.relief(state, tuning.most_images)
        if tuning.cuts_silently:  # its report may count a cut history
            used = max(used, tokens.least(state, overhead))
        return used

    async def compact(self, state: State, trigger: Trigger, focus: str = "") -> ContextCompacted:
        """Lets the model summarise; without a model's summary, keeps what is on record."""
        return await self._compactor().compact(state, trigger, focus)

    def verdict(self, state: State) -> TaskCompleted | Message | None:
        """Ends when nothing is left to do; nudges an empty or cut reply, twice at most."""
        self.lineup.answered()
        last = state.history[-1]
        if state.finished_by_tool:
            return TaskCompleted(reason="completed", final=state.final)
        cut = state.stop_reason in {"length", "overflow"}
        if last.role != "assistant" or last.calls or state.stop_reason == "pause":
            self._nudges = 0
            # A call that was cut off has no result that could say so.
            return self._nudge(CUT_REPLY) if last.calls and cut else None
        if (cut or not last.text.strip()) and self._nudges < MAX_NUDGES:
            self._nudges += 1
            return self._nudge(CUT_REPLY if cut else EMPTY_REPLY)
        self._nudges = 0
        if cut:
            return TaskCompleted(reason="limit_reached:max_output_tokens", final=state.final)
        refused = state.stop_reason in {"refusal", "content_filter"}
        return TaskCompleted(reason="failed" if refused else "completed", final=state.final)

    def _nudge(self, text: str) -> Message:
        return Message(id=self._ids.new("msg"), role="user", kind="nudge", parts=(Text(text=text),))

    def _limit(self, state: State, tuning: Tuning, overhead: int) -> int:
        """Tokens at which the history is summarised."""
        limit = tokens.limit(tuning.window, tuning.threshold, tuning.fixed_limit)
        if tuning.scope == "total":
            return limit
        whole = int(tuning.window * tokens.EFFECTIVE_WINDOW)
        return min(whole, limit + tokens.prefix(state, overhead))

    def _overhead(self) -> int:
        """Tokens of the system prompt and the tools."""
        return tokens.overhead_of((piece.text for piece in self._system), self._tools())

    def _sent(self, state: State) -> int:
        """Tokens that the vendor must count in the next request; 0 where nothing is suspected."""
        if not self.speaker.tuning.cuts_silently:
            return 0
        return tokens.least(state, self._overhead())
