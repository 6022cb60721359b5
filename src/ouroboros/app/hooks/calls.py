"""The hooks around single calls, of a session or of one of its children."""

import anyio
from msgspec.structs import replace

from ouroboros.app.hooks.facts import Facts
from ouroboros.core.commands import Interrupt
from ouroboros.core.events import PermissionRequested
from ouroboros.core.parts import Message, Text, ToolCall
from ouroboros.plugins.hooks.merging import Merged
from ouroboros.plugins.hooks.naming import rewritten, told
from ouroboros.plugins.hooks.running import Hooks
from ouroboros.tools.approval import Answer, Asker, Reviewer
from ouroboros.tools.pace import LIMIT
from ouroboros.tools.registry import canonical
from ouroboros.tools.seams import Verdict
from ouroboros.tools.tool import Effect, Result


class Calls:
    """Is asked by hands, and asks the hooks; what these want to be told waits for ``news``."""

    def __init__(self, hooks: Hooks, facts: Facts) -> None:
        """Nothing has happened yet."""
        self._hooks, self._facts = hooks, facts
        self._contexts: list[str] = []
        self._stopped = ""

    async def before(self, call: ToolCall, effect: Effect) -> Verdict:
        """What the hooks say of a call before rules and person do."""
        del effect
        tool = canonical(call.name)
        seen = told(tool, call.arguments)
        found = await self._hooks.fire(
            "PreToolUse",
            lambda: {
                **self._facts.common("PreToolUse"),
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
                **self._facts.common("PostToolUse"),
                "tool_name": seen.name,
                "tool_input": seen.input,
                "tool_response": text,
                "tool_use_id": call.id,
            },
            names=seen.names,
            call_id=call.id,
        )
        self.note(found)
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
                **self._facts.common("PermissionRequest"),
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

    def note(self, found: Merged) -> None:
        """Keeps what the model is to be told, and that the run is to end, until ``news``."""
        self._contexts += found.contexts
        self._stopped = self._stopped or found.stopped

    async def news(self) -> tuple[Message, ...]:
        """What the model is to be told before it is asked next; a run that is to end is stopped here."""
        if self._stopped:
            why, self._stopped = self._stopped, ""
            child = self._facts.agent[0] if self._facts.agent else ""
            await self._facts.stop(Interrupt(reason=f"a hook stopped it: {why}", child=child))
            await anyio.lowlevel.checkpoint()
        texts, self._contexts = self._contexts, []
        return tuple(map(self._facts.context, texts))


class AskedFirst:
    """Hooks in front of whoever answers questions; without their answer the question is asked."""

    def __init__(self, calls: Calls, asker: Asker) -> None:
        """``asker`` is next."""
        self._calls, self._asker = calls, asker

    @property
    def reviewer(self) -> Reviewer:
        """Who would be asked now, if no hook answers."""
        return self._asker.reviewer

    async def ask(self, question: PermissionRequested) -> Answer:
        """The answer of the hooks, or of whoever is next."""
        answer = await self._calls.asked(question)
        return answer or await self._asker.ask(question)


def _refusal(reason: str, name: str, given: object) -> str:
    """The words of codex for a call that a hook refused."""
    if name == "Bash" and isinstance(given, dict):
        return f"Command blocked by PreToolUse hook: {reason}. Command: {given['command']}"
    return f"Tool call blocked by PreToolUse hook: {reason}. Tool: {name}"
