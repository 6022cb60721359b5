"""The hooks of a session, called where the session comes to each moment."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.context.cut import Cut
from ouroboros.agent.running.hooked import Heard
from ouroboros.core.commands import Command, Interrupt, Mode
from ouroboros.core.events import (
    ContextCompacted,
    Envelope,
    PermissionRequested,
    TaskCompleted,
)
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.events.session import SessionBranched
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text, ToolCall
from ouroboros.core.state import State
from ouroboros.plugins.hooks.contexts import as_context
from ouroboros.plugins.hooks.merging import Merged
from ouroboros.plugins.hooks.moments import Moment
from ouroboros.plugins.hooks.naming import rewritten, told
from ouroboros.plugins.hooks.running import END_SECONDS, Hooks
from ouroboros.tools.approval import Answer, Asker, Reviewer
from ouroboros.tools.pace import LIMIT
from ouroboros.tools.registry import canonical
from ouroboros.tools.seams import Verdict
from ouroboros.tools.tool import Effect, Result

type Beginning = Literal["startup", "resume", "clear", "compact"]

MOST_CONTINUATIONS = 25
"""How often hooks may send a model back to work in one run."""

_MODES: dict[Mode, str] = {
    "plan": "plan",
    "ask": "default",
    "auto-edit": "acceptEdits",
    "full-auto": "bypassPermissions",
}


class Facts(Struct, frozen=True, kw_only=True):
    """What hooks are told of the session.

    Attributes:
        transcript: The file that repeats its events; None where there is none.
        never_asks: An approval policy lets nothing be asked.
        model: Who is asked now.
    """

    state: State
    cwd: str
    transcript: str | None
    never_asks: bool
    model: Callable[[], str]
    ids: Ids
    stop: Callable[[Command], Awaitable[None]]
    beginning: Beginning = "startup"


class Around:
    """Is asked by hands, session and summaries, and asks the hooks."""

    def __init__(self, hooks: Hooks, facts: Facts) -> None:
        """Nothing has happened yet."""
        self._hooks, self._facts = hooks, facts
        self._beginning: Beginning | Literal[""] = facts.beginning
        self._summaries = facts.state.compactions
        self._contexts: list[str] = []
        self._stopped = ""
        self._continued = 0
        self._kinds: dict[str, str] = {}

    def listen(self, envelope: Envelope) -> None:
        """Notes that a conversation begins anew, and tells hooks of children."""
        match envelope.data:
            case SessionBranched(message_id=""):
                self._beginning = "clear"
            case SubagentStarted(child=child, kind=kind):
                self._kinds[child] = kind
                self._tell_child("SubagentStart", child, {})
            case SubagentCompleted(child=child, final=final):
                end = {"agent_transcript_path": None, "stop_hook_active": False}
                words = {"last_assistant_message": final or None}
                self._tell_child("SubagentStop", child, {**end, **words})
            case _:
                pass

    def _tell_child(self, moment: Moment, child: str, more: dict[str, object]) -> None:
        kind = self._kinds.get(child, "run")
        agent = {"agent_id": child, "agent_type": kind}
        told = {**self._common(moment), **agent, **more}
        self._hooks.tell(moment, lambda: told, names=(kind,))

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Until the end of the block hooks may run beside the session."""
        async with self._hooks.kept():
            try:
                yield
            finally:
                await self.ended("other")

    # What the hands ask.

    async def before(self, call: ToolCall, effect: Effect) -> Verdict:
        """What the hooks say of a call before rules and person do."""
        del effect
        tool = canonical(call.name)
        seen = told(tool, call.arguments)
        found = await self._hooks.fire(
            "PreToolUse",
            lambda: {
                **self._common("PreToolUse"),
                "tool_name": seen.name,
                "tool_input": seen.input,
                "tool_use_id": call.id,
            },
            names=seen.names,
            call_id=call.id,
        )
        self._contexts += found.contexts
        if found.blocked:
            return Verdict(outcome="deny", message=_refusal(found.blocked, seen.name, seen.input))
        outcome = "allow" if found.allows else "pass"
        if found.updated is not None:
            try:
                arguments = rewritten(tool, call.arguments, found.updated)
            except ValueError as wrong:
                return Verdict(outcome="deny", message=f"a hook wanted it changed, but {wrong}")
            return Verdict(outcome=outcome, arguments=arguments)
        return Verdict(outcome=outcome)

    async def after(self, call: ToolCall, result: Result) -> Result:
        """What a model is to read of a call that was carried out."""
        seen = told(canonical(call.name), call.arguments)
        if not self._hooks.fitting("PostToolUse", seen.names):
            return result
        text = "".join(part.text for part in result.parts if isinstance(part, Text))
        found = await self._hooks.fire(
            "PostToolUse",
            lambda: {
                **self._common("PostToolUse"),
                "tool_name": seen.name,
                "tool_input": seen.input,
                "tool_response": text,
                "tool_use_id": call.id,
            },
            names=seen.names,
            call_id=call.id,
        )
        self._contexts += found.contexts
        self._note_stop(found)
        reason = found.blocked or found.stopped
        if not reason:
            return result
        # Code that made the call must not go on with what its value was.
        is_ok = result.ok and result.value is None
        parts = (Text(text=reason),)
        return replace(result, parts=parts, ok=is_ok, value=None, answer=None, final=False)

    async def asked(self, question: PermissionRequested) -> Answer | None:
        """What the hooks answer in the person's place; None leaves it to whoever is next."""
        seen = told(canonical(question.tool), question.input)
        found = await self._hooks.fire(
            "PermissionRequest",
            lambda: {
                **self._common("PermissionRequest"),
                "tool_name": seen.name,
                "tool_input": seen.input,
            },
            names=seen.names,
            call_id=question.call_id,
        )
        if found.blocked:
            return Answer(allowed=False, decider="hook", message=found.blocked)
        if found.allows and not question.sources and question.rule != LIMIT:
            return Answer(allowed=True, decider="hook")
        return None

    # What the session asks.

    async def news(self) -> tuple[Message, ...]:
        """What hooks want the model to be told before it is asked next."""
        if self._facts.state.compactions > self._summaries:
            self._summaries = self._facts.state.compactions
            self._beginning = self._beginning or "compact"
        if self._beginning:
            source, self._beginning = self._beginning, ""
            found = await self._hooks.fire(
                "SessionStart",
                lambda: {**self._common("SessionStart", turn=None), "source": source},
                names=(source,),
            )
            self._contexts += found.contexts
            self._note_stop(found)
        if self._stopped:
            why, self._stopped = self._stopped, ""
            await self._facts.stop(Interrupt(reason=f"a hook stopped it: {why}"))
            await anyio.lowlevel.checkpoint()
        texts, self._contexts = self._contexts, []
        return tuple(map(self._context, texts))

    async def prompted(self, message: Message) -> Heard:
        """What becomes of the person's words."""
        self._continued = 0
        found = await self._hooks.fire(
            "UserPromptSubmit",
            lambda: {
                **self._common("UserPromptSubmit", turn=self._facts.state.turn + 1),
                "prompt": message.text,
            },
        )
        more = tuple(map(self._context, found.contexts))
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
                **self._common("Stop"),
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
                **self._common("TransformResponse"),
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
                lambda: {**self._common("SessionEnd", turn=None), "reason": reason},
            )

    # What a summary asks.

    async def before_cut(self, cut: Cut) -> str:
        """Why the history must not be summarised; empty when it may."""
        found = await self._fire_cut("PreCompact", cut)
        return found.stopped

    async def after_cut(self, cut: Cut) -> None:
        """It was summarised."""
        self._note_stop(await self._fire_cut("PostCompact", cut))

    async def _fire_cut(self, moment: Moment, cut: Cut) -> Merged:
        trigger = "manual" if cut.trigger == "manual" else "auto"
        common = self._common(moment)
        del common["permission_mode"]
        return await self._hooks.fire(
            moment, lambda: {**common, "trigger": trigger}, names=(trigger,)
        )

    def _note_stop(self, found: Merged) -> None:
        self._stopped = self._stopped or found.stopped

    def _common(self, moment: Moment, turn: int | None = -1) -> dict[str, object]:
        facts = self._facts
        mode = "bypassPermissions" if facts.never_asks else _MODES[facts.state.mode]
        told: dict[str, object] = {
            "session_id": facts.state.session,
            "transcript_path": facts.transcript,
            "cwd": facts.cwd,
            "hook_event_name": moment,
            "model": facts.model(),
            "permission_mode": mode,
        }
        if turn is not None:
            told["turn_id"] = str(facts.state.turn if turn < 0 else turn)
        return told

    def _context(self, text: str) -> Message:
        parts = (Text(text=as_context(text)),)
        return Message(id=self._facts.ids.new("msg"), role="user", kind="context", parts=parts)

    def _prompt(self, reason: str) -> Message:
        run = f"stop:{self._continued}:{self._hooks.fitting('Stop')[0].source}"
        text = f'<hook_prompt hook_run_id="{run}">{reason}</hook_prompt>'
        parts = (Text(text=text),)
        return Message(id=self._facts.ids.new("msg"), role="user", kind="nudge", parts=parts)


class Cuts:
    """Tells the hooks of summaries."""

    def __init__(self, around: Around) -> None:
        """Asks ``around``."""
        self._around = around

    async def before(self, cut: Cut) -> str:
        """Why the history must not be summarised."""
        return await self._around.before_cut(cut)

    async def after(self, cut: Cut, done: ContextCompacted) -> None:
        """It was."""
        del done
        await self._around.after_cut(cut)


class AskedFirst:
    """Hooks in front of whoever answers questions; without their answer the question is asked."""

    def __init__(self, around: Around, asker: Asker) -> None:
        """``asker`` is next."""
        self._around, self._asker = around, asker

    @property
    def reviewer(self) -> Reviewer:
        """Who would be asked now, if no hook answers."""
        return self._asker.reviewer

    async def ask(self, question: PermissionRequested) -> Answer:
        """The answer of the hooks, or of whoever is next."""
        answer = await self._around.asked(question)
        return answer or await self._asker.ask(question)


def _refusal(reason: str, name: str, given: object) -> str:
    """The words of codex for a call that a hook refused."""
    if name == "Bash" and isinstance(given, dict):
        return f"Command blocked by PreToolUse hook: {reason}. Command: {given['command']}"
    return f"Tool call blocked by PreToolUse hook: {reason}. Tool: {name}"
