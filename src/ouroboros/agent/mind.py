"""The tool-calling mind: builds requests from the state and judges replies."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Literal

from ouroboros.agent.context import compaction, tokens
from ouroboros.agent.context.messages import Builder
from ouroboros.agent.prompts import Piece, Prompts
from ouroboros.agent.speaking.cut_watch import CutWatch
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.reply import Reply
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.errors import ModelFailed
from ouroboros.core.events import ContextCompacted, TaskCompleted
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text, ToolSpec
from ouroboros.core.state import State
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished, StreamEvent

MAX_NUDGES = 2
NO_SUMMARY_KINDS = frozenset({"content_policy", "invalid_request", "unknown"})
"""The model cannot summarise this history however often it is asked; anything else may pass."""
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
    ) -> None:
        """``context`` gives what the model must be told anew after a compaction in mid-task."""
        self._lineup = lineup
        self._prompts, self._system, self._tools = prompts, system, tools
        self._ids, self._context = ids, context
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
        return self._request(state, self._messages(state), self._tools(), choice="auto")

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
        used = tokens.used(state, overhead) - self._builder.relief(state, tuning.most_images)
        if tuning.cuts_silently:  # its report may count a cut history
            used = max(used, tokens.least(state, overhead))
        return used >= tokens.limit(tuning.window, tuning.threshold, tuning.fixed_limit)

    async def compact(
        self,
        state: State,
        trigger: Literal["proactive", "reactive", "manual"],
        focus: str = "",
    ) -> ContextCompacted:
        """Lets the model summarise; without a model's summary, keeps what is on record."""
        images = self._builder.relief(state, self.speaker.tuning.most_images)
        before = tokens.used(state, 0) - images
        finished = await self._summarise(state, focus)
        words = "".join(p.text for p in finished.parts if isinstance(p, Text)) if finished else ""
        text = words.strip() or compaction.fallback_summary(state)
        summary = Message(
            id=self._ids.new("msg"),
            role="user",
            kind="summary",
            parts=(Text(text=f"{self._prompts['summary'].text}\n\n{text}"),),
        )
        told = None if trigger == "manual" else self._context(state)
        old = state.history
        if trigger == "reactive":
            old = compaction.without_broken_reply(old)
        history = compaction.replacement(
            old, summary, told[0] if told else None, self.speaker.tuning.keep
        )
        after = sum(tokens.of_exchange(message, state) for message in history)
        usage = finished.usage if finished else None
        return ContextCompacted(
            old_tokens=before,
            new_tokens=after,
            messages_summarized=max(0, len(state.history) - self.speaker.tuning.keep.messages),
            trigger=trigger,
            history=history,
            told=told[1] if told else {},
            usage=usage,
            cost=self.speaker.cost(usage) if usage else (None if finished else 0.0),
        )

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

    async def _summarise(self, state: State, focus: str) -> Finished | None:
        asked = self._prompts["compact"].text + (
            f"\n\nPay most attention to: {focus}" if focus else ""
        )
        messages = self._messages(state)
        question = Message(id=self._ids.new("msg"), role="user", parts=(Text(text=asked),))
        while messages:
            try:
                return await self._ask(state, (*messages, question))
            except ModelFailed as failed:
                if failed.failure.kind in NO_SUMMARY_KINDS:
                    return None
                if failed.failure.kind != "context_overflow":
                    # Nobody saw the summary, so another model may be asked for it.
                    raise ModelFailed(failed.failure, hint=failed.hint) from failed
                # A long history loses a tenth at a time, so that this ends in few requests.
                for _ in range(max(1, len(messages) // 10)):
                    messages = compaction.oldest_dropped(messages)
        return None

    async def _ask(self, state: State, messages: tuple[Message, ...]) -> Finished | None:
        # Anthropic refuses a history with calls in it when no tools are named.
        tools = self._tools() if self.speaker.model.origin.protocol == "anthropic-messages" else ()
        request = self._request(state, messages, tools, choice="none")
        async with self.speaker.model.stream(request) as stream:
            async for event in stream:
                if isinstance(event, Finished):
                    return event
        return None

    def _messages(self, state: State) -> tuple[Message, ...]:
        return self._builder.build(state, self.speaker.tuning.most_images)

    def _overhead(self) -> int:
        """Tokens of the system prompt and the tools."""
        words = [piece.text for piece in self._system]
        words += [tool.schema + tool.description for tool in self._tools()]
        return sum(map(tokens.of_text, words))

    def _sent(self, state: State) -> int:
        """Tokens that the vendor must count in the next request; 0 where nothing is suspected."""
        if not self.speaker.tuning.cuts_silently:
            return 0
        return tokens.least(state, self._overhead())

    def _request(
        self,
        state: State,
        messages: tuple[Message, ...],
        tools: tuple[ToolSpec, ...],
        *,
        choice: Literal["auto", "none"],
    ) -> Request:
        tuning = self.speaker.tuning
        return Request(
            model=self.speaker.model.origin.model,
            system=tuple(piece.text for piece in self._system),
            messages=messages,
            tools=tools,
            tool_choice=choice,
            max_output_tokens=tuning.max_output_tokens,
            temperature=tuning.temperature,
            effort=tuning.effort,
            service_tier=tuning.service_tier,
            window=tuning.known_window,
            cache_key=state.session,
            web_search=tuning.web_search if choice == "auto" else "off",
        )
