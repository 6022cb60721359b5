"""A history is summarised: by which model, with what it is asked, and what stands there afterwards."""

from collections.abc import Callable

from anyio import move_on_after

from ouroboros.agent.context import compaction, tokens
from ouroboros.agent.context.cut import FLUSH_SECONDS, Around, Cut, Flush
from ouroboros.agent.context.messages import Builder, exchange
from ouroboros.agent.prompts import Prompts
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.turn import Trigger
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text, ToolSpec
from ouroboros.core.state import State
from ouroboros.llm.stream import Finished

NO_SUMMARY_KINDS = frozenset({"content_policy", "invalid_request", "unknown"})
"""The model cannot summarise this history however often it is asked; anything else may pass."""


class Compactor:
    """Makes summaries for one mind."""

    def __init__(
        self,
        *,
        lineup: Lineup,
        builder: Builder,
        prompts: Prompts,
        system: tuple[str, ...],
        tools: Callable[[], tuple[ToolSpec, ...]],
        ids: Ids,
        context: Callable[[State], tuple[Message, dict[str, str]] | None],
        around: Around,
        flush: Flush,
    ) -> None:
        """All as the mind has it."""
        self._lineup, self._builder, self._prompts = lineup, builder, prompts
        self._system, self._tools, self._ids = system, tools, ids
        self._context, self._around, self._flush = context, around, flush

    async def compact(self, state: State, trigger: Trigger, focus: str) -> ContextCompacted:
        """The history that takes the place of the one so far.

        Raises:
            ModelFailed: No model gave a summary and it is worth trying again, or a hook stopped it;
                nothing has changed.
        """
        keep = compaction.with_open_calls(state, self._lineup.speaker.tuning.keep)
        most_images = self._lineup.speaker.tuning.most_images
        overhead = tokens.overhead_of(self._system, self._tools())
        before = tokens.used(state, overhead) - self._builder.relief(state, most_images)
        cut = self._cut(state, trigger, focus, keep, before)
        why = await self._around.before(cut)
        if why:
            message = f"a hook stopped the summary of the conversation: {why}"
            raise ModelFailed(Failure(kind="cancelled", message=message))
        with move_on_after(FLUSH_SECONDS):
            await self._flush(cut)
        finished, speaker = await self._summarised(state, focus)
        summary = self._summary(state, finished, focus)
        told = None if trigger == "manual" else self._context(state)
        old = state.history
        if trigger == "reactive":
            old = compaction.without_broken_reply(old)
        history = compaction.replacement(old, summary, told[0] if told else None, keep)
        usage = finished.usage if finished else None
        left = sum(tokens.of_exchange(message, state) for message in history)
        done = ContextCompacted(
            old_tokens=before,
            new_tokens=overhead + left,
            messages_summarized=max(0, len(state.history) - keep.messages),
            trigger=trigger,
            history=history,
            told=told[1] if told else {},
            usage=usage,
            cost=speaker.cost(usage) if usage else (None if finished else 0.0),
        )
        await self._around.after(cut, done)
        return done

    def _cut(
        self, state: State, trigger: Trigger, focus: str, keep: compaction.Keep, before: int
    ) -> Cut:
        kept = compaction.replacement(state.history, compaction.LEFT_OUT, None, keep)
        stays = {message.id: message for message in kept}
        goes = [message for message in state.history if stays.get(message.id) != message]
        return Cut(
            session=state.session,
            trigger=trigger,
            focus=focus,
            goes=tuple(part for message in goes for part in exchange(message, state)),
            tokens=before,
        )

    def _summary(self, state: State, finished: Finished | None, focus: str) -> Message:
        words = "".join(p.text for p in finished.parts if isinstance(p, Text)) if finished else ""
        text = words.strip() or compaction.fallback_summary(state)
        said = "\n".join(filter(None, (self._prompts["summary"].text, compaction.wish(focus))))
        return Message(
            id=self._ids.new("msg"),
            role="user",
            kind="summary",
            parts=(Text(text=f"{said}\n\n{text}"),),
        )

    async def _summarised(self, state: State, focus: str) -> tuple[Finished | None, Speaker]:
        """What was said, and by whom; a model that hands over goes first, for it can read all."""
        speaker, old = self._lineup.speaker, self._lineup.summariser
        if old is not speaker:
            try:
                return await self._asked(state, focus, old), old
            except ModelFailed:
                pass  # the one that takes over may still manage
        return await self._asked(state, focus, speaker), speaker

    async def _asked(self, state: State, focus: str, speaker: Speaker) -> Finished | None:
        wish = compaction.wish(focus) or (focus and f"Pay most attention to: {focus}")
        asked = "\n\n".join(filter(None, (self._prompts["compact"].text, wish)))
        messages = self._builder.build(state, self._lineup.speaker.tuning.most_images)
        question = Message(id=self._ids.new("msg"), role="user", parts=(Text(text=asked),))
        while messages:
            try:
                return await self._ask(state, (*messages, question), speaker)
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

    async def _ask(
        self, state: State, messages: tuple[Message, ...], speaker: Speaker
    ) -> Finished | None:
        # Anthropic refuses a history with calls in it when no tools are named.
        tools = self._tools() if speaker.model.origin.protocol == "anthropic-messages" else ()
        request = speaker.request(
            self._system, messages, tools, choice="none", cache_key=state.session
        )
        async with speaker.model.stream(request) as stream:
            async for event in stream:
                if isinstance(event, Finished):
                    return event
        return None
