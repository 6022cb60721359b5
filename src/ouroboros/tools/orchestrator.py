"""The spine: the one way from a model's call to its result.

Validate, hooks, rules, person, sandbox, attempt, one retry outside a sandbox that said no, bounded
result. Every tool goes this way, every step is on record, and every call ends in one result.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import cast

import anyio
import msgspec
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Denied, OuroborosError, StoreFailed, ToolFailed
from ouroboros.core.events import (
    CallStatus,
    PermissionAnswered,
    PermissionBlocked,
    PermissionRequested,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.ids import Ids
from ouroboros.core.limits import TOOL_OUTPUT_BYTES
from ouroboros.core.parts import Text, ToolCall
from ouroboros.safety.paths import real
from ouroboros.safety.rules import Decision, Intent, Rules
from ouroboros.safety.sandbox import CageDenied, Sandbox, Unconfined
from ouroboros.tools.approval import Answer, Asker
from ouroboros.tools.arguments import decode
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.result import DETAIL_BYTES, Spill, bounded, cut, encoded, flowing
from ouroboros.tools.seams import Hooks, Journal, NoHooks, NoSpill, Standing
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

_HARMLESS = frozenset({"read", "none"})
_PROGRESS_EVENTS = 10_000
_KEEP_SECONDS = 5.0

_log = logging.getLogger(__name__)


class Passage:
    """One call on its way: what is known of it so far."""

    def __init__(self, call: ToolCall, name: str, began: float) -> None:
        """``name`` is the canonical one, or the model's own when there is no such tool."""
        self.call = call
        self.name = name
        self.began = began
        self.steps: list[str] = []
        self.progress = 0
        self.decision = ""
        self.rule = ""


class Orchestrator:
    """Carries calls out; a failed call is a result, never an exception."""

    def __init__(
        self,
        *,
        registry: Registry,
        rules: Rules,
        journal: Journal,
        asker: Asker,
        standing: Standing,
        clock: Clock,
        ids: Ids,
        environment: dict[str, str],
        spill: Spill | None = None,
        hooks: Hooks | None = None,
        sandbox: Sandbox | None = None,
        limit: int = TOOL_OUTPUT_BYTES,
    ) -> None:
        """Everything it needs of the world.

        Args:
            registry: The tools there are.
            rules: What may happen.
            journal: Where events go.
            asker: Who is asked.
            standing: Mode, grants and folder of the session, read anew for each call.
            clock: Times calls.
            ids: Names questions.
            environment: What child processes may see, before cleaning.
            spill: Where outputs that are too long are kept whole.
            hooks: Programs of the person.
            sandbox: The cage of the first attempt.
            limit: Bytes of text a result may show the model.
        """
        self._registry = registry
        self._rules = rules
        self._journal = journal
        self._asker = asker
        self._standing = standing
        self._clock = clock
        self._ids = ids
        self._environment = environment
        self._spill = spill or NoSpill()
        self._hooks = hooks or NoHooks()
        self._sandbox = sandbox or Unconfined()
        self._limit = limit

    def may_overlap(self, call: ToolCall) -> bool:
        """Whether the call may run beside others that may."""
        tool = self._registry.find(call.name)
        return tool is None or tool.parallel_safe

    async def do(self, call: ToolCall) -> ToolResulted:
        """Carries one call out and gives the result that was recorded.

        A cancel records ``cancelled`` and goes on; ``StoreFailed`` ends the run, because an effect
        must not happen before its start is durable.
        """
        tool = self._registry.find(call.name)
        passage = Passage(call, tool.name if tool else call.name, self._clock.monotonic())
        try:
            result, status = await self._carry_out(tool, passage)
            return await self._finish(passage, result, status)
        except anyio.get_cancelled_exc_class():
            seconds = self._clock.monotonic() - passage.began
            text = f"aborted by user after {seconds:.1f}s"
            self._record_result(passage, Result.of(text, ok=False), "cancelled")
            raise

    async def _carry_out(self, tool: AnyTool | None, passage: Passage) -> tuple[Result, CallStatus]:
        try:
            result = await self._pass(tool, passage)
        except Denied as denied:
            return Result.of(denied.message, ok=False), "denied"
        except StoreFailed:
            raise
        except OuroborosError as failed:
            return Result.of(failed.message, ok=False), "failed"
        except OSError as failed:
            where = f": {str(failed.filename)!r}" if failed.filename else ""
            return Result.of(f"{failed.strerror or failed}{where}", ok=False), "failed"
        except Exception as bug:  # noqa: BLE001 - a tool's bug is told to the model, the run goes on
            _log.exception("tool %s failed on its own account", passage.name)
            text = f"{passage.name} broke with {type(bug).__name__}: {bug}; try another way"
            return Result.of(text, ok=False), "failed"
        return result, "done" if result.ok else "failed"

    async def _pass(self, tool: AnyTool | None, passage: Passage) -> Result:
        cwd = Path(self._standing.cwd)
        effect = Effect(kind="none", action=passage.name)
        try:
            if tool is None:
                raise self._unknown(passage.name)
            arguments = decode(tool.arguments, passage.call.arguments)
            spelled = tool.effect(arguments, cwd)
            effect = _resolved(spelled, cwd)
            passage.steps.append("validate")
        finally:
            # Shown also when it is refused at once; nothing has been asked or done yet.
            self._journal.record(
                ToolStarted(
                    call_id=passage.call.id,
                    name=passage.name,
                    arguments=passage.call.arguments,
                    title=effect.action,
                )
            )
        await self._admit(passage, effect, spelled)
        return await self._attempts(tool, arguments, passage, effect)

    def _unknown(self, name: str) -> ToolFailed:
        near = self._registry.near(name)
        known = self._registry.names()
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        return ToolFailed(f"unsupported call: {name}; {hint}")

    async def _admit(self, passage: Passage, effect: Effect, spelled: Effect) -> None:
        """Hooks, rules and the person; raises ``Denied`` when one of them says no."""
        verdict = await self._hooks.before(passage.call, effect)
        passage.steps.append(f"hooks:{verdict.outcome}")
        intent = Intent(
            tool=passage.name,
            kind=effect.kind,
            paths=effect.paths,
            spelled=spelled.paths,
            command=effect.command,
        )
        standing = self._standing
        decision = self._rules.decide(intent, mode=standing.mode, granted=standing.granted)
        passage.steps.append(f"rules:{decision.outcome}")
        passage.rule = decision.rule
        if verdict.outcome == "deny":
            self._block(passage, "hook", verdict.message or "a hook said no")
        if decision.outcome == "deny":
            self._block(passage, decision.rule, decision.reason)
        passage.decision = decision.outcome
        if decision.outcome == "ask" and verdict.outcome == "allow":
            passage.decision = "hook:allowed"
        elif decision.outcome == "ask":
            await self._ask(passage, effect, decision)
            passage.decision = "asked:allowed"

    def _block(self, passage: Passage, rule: str, reason: str) -> None:
        self._journal.record(
            PermissionBlocked(call_id=passage.call.id, tool=passage.name, rule=rule, reason=reason)
        )
        raise Denied(
            f"{passage.name} was not carried out: {reason}. "
            "Do not try the same thing another way; choose an allowed step or tell the user."
        )

    async def _ask(self, passage: Passage, effect: Effect, decision: Decision) -> None:
        question = PermissionRequested(
            request_id=self._ids.new("req"),
            call_id=passage.call.id,
            tool=passage.name,
            action=effect.action,
            input=effect.command or passage.call.arguments,
            reason=decision.reason,
            grant=decision.grant,
        )
        self._journal.record(question)
        asked_at = self._clock.monotonic()
        answer = Answer(allowed=False, decider="cancelled")
        try:
            answer = await self._asker.ask(question)
        finally:
            self._journal.record(
                PermissionAnswered(
                    request_id=question.request_id,
                    call_id=passage.call.id,
                    allowed=answer.allowed,
                    decider=answer.decider,
                    scope=answer.scope,
                    message=answer.message,
                    seconds=self._clock.monotonic() - asked_at,
                )
            )
        passage.steps.append(f"ask:{'allowed' if answer.allowed else 'denied'}")
        if not answer.allowed:
            raise Denied(
                f"{passage.name} was refused: {answer.message or 'the user said no'}. "
                "Do not try the same thing another way; ask the user how to go on."
            )

    async def _attempts(
        self, tool: AnyTool, arguments: Struct, passage: Passage, effect: Effect
    ) -> Result:
        try:
            return await self._attempt(tool, arguments, passage, effect, sandbox=self._sandbox)
        except CageDenied as denied:
            reason = (
                f"the sandbox {self._sandbox.name} stopped it ({denied.message}); run it outside?"
            )
            await self._ask(passage, effect, Decision(outcome="ask", reason=reason))
            passage.decision = "asked:allowed"
            return await self._attempt(tool, arguments, passage, effect, sandbox=Unconfined())

    async def _attempt(
        self,
        tool: AnyTool,
        arguments: Struct,
        passage: Passage,
        effect: Effect,
        *,
        sandbox: Sandbox,
    ) -> Result:
        passage.steps += [f"sandbox:{sandbox.name}", "attempt"]
        self._journal.record(
            ToolAttempted(
                call_id=passage.call.id,
                steps=tuple(passage.steps),
                decision=passage.decision,
                rule=passage.rule,
                sandbox=sandbox.name,
                attempt=passage.steps.count("attempt"),
            )
        )
        if effect.kind not in _HARMLESS:
            await self._journal.settle()
        cwd = Path(self._standing.cwd)
        # A link may have been changed while the person thought about it.
        if effect.paths and _resolved(tool.effect(arguments, cwd), cwd).paths != effect.paths:
            raise Denied(f"{passage.name} was not carried out: its path leads elsewhere by now")
        context = ToolContext(
            call_id=passage.call.id,
            cwd=cwd,
            clock=self._clock,
            environment=self._environment,
            publish=self._journal.record,
            sandbox=sandbox,
            hides=partial(self._rules.hides, within=effect.paths),
        )
        output = cast("AsyncGenerator[Progress | Result]", tool.run(arguments, context))
        async with aclosing(output):
            async for said in output:
                if isinstance(said, Result):
                    return said
                self._note_progress(passage, said)
        raise RuntimeError(f"tool {passage.name!r} ended without a result")

    def _note_progress(self, passage: Passage, said: Progress) -> None:
        if passage.progress < _PROGRESS_EVENTS:
            self._journal.record(
                ToolProgress(
                    call_id=passage.call.id,
                    part=passage.progress,
                    text=said.text,
                    stream=said.stream,
                )
            )
        passage.progress += 1

    async def _finish(self, passage: Passage, result: Result, status: CallStatus) -> ToolResulted:
        result = _storable(result)
        size = sum(len(part.text) for part in result.parts if isinstance(part, Text))
        # Four bytes a character at most: short texts need no second look.
        if size * 4 <= self._limit:
            return self._record_result(passage, result, status, size=None)
        short = bounded(result.parts, limit=self._limit)
        where = await self._keep(short.original) if short.truncated else ""
        if where:
            short = bounded(result.parts, limit=self._limit, where=where)
        return self._record_result(
            passage,
            msgspec.structs.replace(result, parts=short.parts),
            status,
            size=len(short.original),
            where=where,
        )

    async def _keep(self, data: bytes) -> str:
        # The effect has happened: a cancel now must not turn it into an aborted call.
        with anyio.move_on_after(_KEEP_SECONDS, shield=True):
            try:
                return await self._spill.keep(data)
            except (OSError, StoreFailed):
                _log.exception("the whole output could not be kept")
        return ""

    def _record_result(
        self,
        passage: Passage,
        result: Result,
        status: CallStatus,
        *,
        size: int | None = None,
        where: str = "",
    ) -> ToolResulted:
        shown = sum(
            len(part.text.encode("utf-8", "replace"))
            for part in result.parts
            if isinstance(part, Text)
        )
        event = ToolResulted(
            call_id=passage.call.id,
            name=passage.name,
            status=status,
            parts=flowing(result.parts),
            seconds=self._clock.monotonic() - passage.began,
            original_bytes=shown if size is None else size,
            truncated=size is not None and size > shown,
            blob=where,
            detail=cut(result.detail, DETAIL_BYTES),
            final=result.final and status == "done",
        )
        self._journal.record(event)
        return event


def _resolved(effect: Effect, cwd: Path) -> Effect:
    """The effect with links followed; writing through a link counts for both of its ends."""
    paths = [real(path, base=cwd) for path in effect.paths]
    if effect.kind == "write":
        paths += [real(path.parent, base=cwd) / path.name for path in effect.paths]
    return msgspec.structs.replace(effect, paths=tuple(dict.fromkeys(paths)))


def _storable(result: Result) -> Result:
    """The result without lone surrogates, which stand for bytes of odd file names."""
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    if all(text.isascii() for text in (*texts, result.detail)):
        return result
    parts = tuple(
        msgspec.structs.replace(part, text=encoded(part.text).decode())
        if isinstance(part, Text)
        else part
        for part in result.parts
    )
    return msgspec.structs.replace(result, parts=parts, detail=encoded(result.detail).decode())
