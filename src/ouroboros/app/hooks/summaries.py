"""The hooks around summaries: they may stop one, and keep what it is about to replace."""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from ouroboros.agent.context.cut import Cut
from ouroboros.app.hooks.calls import Calls
from ouroboros.app.hooks.facts import Facts
from ouroboros.core.events import ContextCompacted
from ouroboros.core.parts import Message, ToolResult
from ouroboros.plugins.hooks.merging import Merged
from ouroboros.plugins.hooks.moments import Moment
from ouroboros.plugins.hooks.running import Hooks


class Summaries:
    """Tells the hooks of summaries."""

    def __init__(self, hooks: Hooks, facts: Facts, calls: Calls) -> None:
        """``calls`` hands on what the model is to be told."""
        self._hooks, self._facts, self._calls = hooks, facts, calls

    async def before(self, cut: Cut) -> str:
        """Why the history must not be summarised; empty when it may."""
        return (await self._fire("PreCompact", cut)).stopped

    async def flush(self, cut: Cut) -> None:
        """Hands over the messages that go, so that a hook may keep what is worth keeping of them."""
        found = await self._fire("MemoryFlush", cut, partial(_going, cut))
        self._calls.note(replace(found, stopped=""))

    async def after(self, cut: Cut, done: ContextCompacted) -> None:
        """It was summarised."""
        del done
        self._calls.note(await self._fire("PostCompact", cut))

    async def _fire(
        self, moment: Moment, cut: Cut, more: Callable[[], dict[str, object]] = dict
    ) -> Merged:
        trigger = "manual" if cut.trigger == "manual" else "auto"
        common = self._facts.common(moment)
        del common["permission_mode"]
        return await self._hooks.fire(
            moment, lambda: {**common, "trigger": trigger, **more()}, names=(trigger,)
        )


def _going(cut: Cut) -> dict[str, object]:
    messages = [_shown(message) for message in cut.goes]
    return {"focus": cut.focus, "tokens": cut.tokens, "messages": messages}


def _shown(message: Message) -> dict[str, object]:
    """A message as a hook reads it: its words, its calls, and results of calls."""
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    return {
        "id": message.id,
        "role": message.role,
        "kind": message.kind,
        "text": message.text,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in message.calls],
        "results": [{"name": each.name, "ok": each.ok, "text": each.text} for each in results],
    }
