"""The hooks of a session, called where the session comes to each moment."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal

import anyio
from msgspec.structs import replace

from ouroboros.agent.running.hooked import Heard
from ouroboros.app.hooks.calls import AskedFirst, Calls
from ouroboros.app.hooks.children import Children
from ouroboros.app.hooks.facts import Beginning, Facts
from ouroboros.app.hooks.summaries import Summaries
from ouroboros.core.events import Envelope, TaskCompleted
from ouroboros.core.events.session import SessionBranched
from ouroboros.core.parts import Message, Text
from ouroboros.plugins.hooks.contexts import as_prompt
from ouroboros.plugins.hooks.running import END_SECONDS, Hooks
from ouroboros.tools.approval import Asker

MOST_CONTINUATIONS = 25
"""How often hooks may send a model back to work in one run."""


class Around:
    """Is asked by the session, and asks the hooks.

    ``calls``, ``children`` and ``summaries`` are asked by those whose moments they are.
    """

    def __init__(self, hooks: Hooks, facts: Facts, asker: Asker) -> None:
        """Nothing has happened yet; ``asker`` answers what no hook does."""
        self._hooks, self._facts, self._asker = hooks, facts, asker
        self.calls, self.children = Calls(hooks, facts), Children(hooks, facts)
        self.summaries = Summaries(hooks, facts, self.calls)
        self._beginning: Beginning | Literal[""] = facts.beginning
        self._compactions = facts.state.compactions
        self._continued = 0

    def listen(self, envelope: Envelope) -> None:
        """Notes that a conversation begins anew, and what became of children."""
        match envelope.data:
            case SessionBranched(message_id=""):
                self._beginning = "clear"
            case _:
                self.children.listen(envelope)

    @property
    def asker(self) -> Asker:
        """Who answers the questions of the session: its hooks, then whoever did before."""
        return AskedFirst(self.calls, self._asker)

    def within(self, child: str) -> tuple[Calls, Asker]:
        """The hooks around the calls of one child, and who answers its questions."""
        calls = self.children.within(child)
        return calls, AskedFirst(calls, self._asker)

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Until the end of the block hooks may run beside the session."""
        async with self._hooks.kept():
            try:
                yield
            finally:
                await self.ended("other")

    async def news(self) -> tuple[Message, ...]:
        """What hooks want the model to be told before it is asked next."""
        if self._facts.state.compactions > self._compactions:
            self._compactions = self._facts.state.compactions
            self._beginning = self._beginning or "compact"
        if self._beginning:
            source, self._beginning = self._beginning, ""
            found = await self._hooks.fire(
                "SessionStart",
                lambda: {**self._facts.common("SessionStart", turn=None), "source": source},
                names=(source,),
            )
            self.calls.note(found)
        return await self.calls.news()

    async def prompted(self, message: Message) -> Heard:
        """What becomes of the person's words."""
        self._continued = 0
        found = await self._hooks.fire(
            "UserPromptSubmit",
            lambda: {
                **self._facts.common("UserPromptSubmit", turn=self._facts.state.turn + 1),
                "prompt": message.text,
            },
        )
        more = tuple(map(self._facts.context, found.contexts))
        refused = found.blocked or found.stopped
        if not refused and isinstance(found.updated, str) and found.updated.strip():
            others = tuple(part for part in message.parts if not isinstance(part, Text))
            message = replace(message, parts=(*others, Text(text=found.updated)))
        return Heard(message=message, refused=refused, more=more)

    async def stopping(self, verdict: TaskCompleted) -> TaskCompleted | Message:
        """How a run ends, or why the model is to go on."""
        if verdict.reason != "completed":
            return verdict
        found = await self._hooks.fire(
            "Stop",
            lambda: {
                **self._facts.common("Stop"),
                "stop_hook_active": self._continued > 0,
                "last_assistant_message": verdict.final or None,
            },
        )
        may_go_on = not found.stopped and self._continued < MOST_CONTINUATIONS
        if found.blocked and may_go_on:
            self._continued += 1
            return self._prompt(found.blocked)
        return await self._transformed(verdict)

    async def _transformed(self, verdict: TaskCompleted) -> TaskCompleted:
        found = await self._hooks.fire(
            "TransformResponse",
            lambda: {
                **self._facts.common("TransformResponse"),
                "last_assistant_message": verdict.final or None,
            },
        )
        if isinstance(found.updated, str):
            return replace(verdict, final=found.updated)
        return replace(verdict, final=found.blocked) if found.blocked else verdict

    async def ended(self, reason: str) -> None:
        """The session ends; its hooks have a little time."""
        with anyio.move_on_after(END_SECONDS, shield=True):
            await self._hooks.fire(
                "SessionEnd",
                lambda: {**self._facts.common("SessionEnd", turn=None), "reason": reason},
            )

    def _prompt(self, reason: str) -> Message:
        run = f"stop:{self._continued}:{self._hooks.fitting('Stop')[0].source}"
        parts = (Text(text=as_prompt(reason, run)),)
        return Message(id=self._facts.ids.new("msg"), role="user", kind="nudge", parts=parts)
