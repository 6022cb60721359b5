"""The spine: the one way from a model's call to its result.

Validate, hooks, rules, person, sandbox, attempt, one retry outside a sandbox that said no, bounded
result. Every tool goes this way, every step is on record, and every call ends in one result.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from copy import copy
from functools import partial
from pathlib import Path
from typing import cast

import anyio
import msgspec
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Denied, OuroborosError, StoreFailed, ToolFailed
from ouroboros.core.events import CallStatus, ToolAttempted, ToolProgress, ToolResulted
from ouroboros.core.ids import Ids
from ouroboros.core.limits import TOOL_OUTPUT_BYTES
from ouroboros.core.parts import Text, ToolCall
from ouroboros.safety.rules import Decision, Rules
from ouroboros.safety.rules.values import HARMLESS
from ouroboros.safety.sandbox import CageDenied, Sandbox, Unconfined
from ouroboros.safety.untrusted import source_of
from ouroboros.tools.admission import Gate, Judgement, Watcher, leaving
from ouroboros.tools.approval import Asker, Keeper, NoKeeper
from ouroboros.tools.arguments import decode
from ouroboros.tools.pace import Pace
from ouroboros.tools.passage import Edited, Passage, as_edited, resolved
from ouroboros.tools.preview import preview
from ouroboros.tools.recording import Recorder
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.result import Spill
from ouroboros.tools.routing import GRACE_SECONDS, NoRoutes, Routes, Way, rejected
from ouroboros.tools.seams import (
    Cages,
    Checkpoints,
    Hooks,
    Journal,
    NoCheckpoints,
    NoHooks,
    NoSpill,
    OneCage,
    Standing,
    Validator,
)
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

_CAGED = frozenset({"execute", "run"})
_SAID_YES = frozenset({"asked:allowed", "hook:allowed"})
_PROGRESS_EVENTS = 10_000

_log = logging.getLogger(__name__)


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
        keeper: Keeper | None = None,
        pace: Pace | None = None,
        cages: Cages | None = None,
        routes: Routes | None = None,
        validator: Validator | None = None,
        checkpoints: Checkpoints | None = None,
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
            keeper: Who writes a yes down for later sessions.
            pace: How much may happen unasked.
            cages: What commands run in.
            routes: How they get to the network from there.
            validator: Says what is wrong with a call by itself.
            checkpoints: Keep the files before a call may change them.
            limit: Bytes of text a result may show the model.
        """
        self._registry = registry
        self._rules = rules
        self._journal = journal
        self._standing = standing
        self._clock = clock
        self._cages = cages or OneCage()
        self._gate = Gate(
            judgement=Judgement(rules=rules, validator=validator),
            journal=journal,
            asker=asker,
            keeper=keeper or NoKeeper(),
            pace=pace or Pace(),
            standing=standing,
            hooks=hooks or NoHooks(),
            clock=clock,
            ids=ids,
            watchers=[],
            caveat=self._cages.caveat,
            checkpoints=checkpoints or NoCheckpoints(),
        )
        self._environment = environment
        self._routes = routes or NoRoutes()
        self._recorder = Recorder(
            journal=journal, clock=clock, spill=spill or NoSpill(), limit=limit
        )

    def may_overlap(self, call: ToolCall) -> bool:
        """Whether the call may run beside others that may."""
        meant = self._registry.meant(call)
        tool = self._registry.find(meant.name)
        is_apart = getattr(tool, "is_apart", None)
        return tool is None or (
            tool.parallel_safe and not (is_apart is not None and is_apart(meant.arguments))
        )

    async def do(self, call: ToolCall) -> ToolResulted:
        """Carries one call out and gives the result that was recorded.

        A cancel records ``cancelled`` and goes on; ``StoreFailed`` ends the run, because an effect
        must not happen before its start is durable.
        """
        call = self._registry.meant(call)
        tool = self._registry.find(call.name)
        passage = Passage(call, tool.name if tool else call.name, self._clock.monotonic())
        try:
            result, status = await self._carry_out(tool, passage, self._registry)
            return await self._recorder.finish(passage, result, status)
        except anyio.get_cancelled_exc_class():
            seconds = self._clock.monotonic() - passage.began
            text = f"aborted by user after {seconds:.1f}s"
            self._recorder.result(passage, Result.of(text, ok=False), "cancelled")
            raise

    async def perform(self, call: ToolCall, *, within: str, registry: Registry) -> Result:
        """Carries out a call that code made, and gives the code its value whole.

        The same way as ``do``. On record goes what kind of thing came of it and no word of a page;
        what only looks is one event and waits for no disk. A failure is a result that is not ``ok``;
        a ``StoreFailed`` ends the run.

        Args:
            call: Its id is unique in the session.
            within: The id of the call whose code this is.
            registry: The functions that this code may call.
        """
        tool = registry.find(call.name)
        name = tool.name if tool else call.name
        passage = Passage(call, name, self._clock.monotonic(), within=within)
        try:
            result, status = await self._carry_out(tool, passage, registry)
        except anyio.get_cancelled_exc_class():
            self._recorder.inner(passage, Result.of("cancelled", ok=False), "cancelled")
            raise
        self._recorder.inner(passage, result, status)
        return result

    def watch(self, watcher: Watcher) -> None:
        """Tells it of every effect that is let through, before the effect happens."""
        self._gate.watchers.append(watcher)

    def within(self, hooks: Hooks, asker: Asker) -> "Orchestrator":
        """The same hands for a child: with hooks around its calls, and somebody asked, of its own."""
        hands = copy(self)
        hands._gate = msgspec.structs.replace(self._gate, hooks=hooks, asker=asker)
        return hands

    async def admit(self, effect: Effect, *, name: str, call_id: str) -> None:
        """Hooks, rules and the person for an effect that no call of a tool stands for.

        Args:
            effect: What a page is about to do by itself.
            name: What it counts as in rules and questions.
            call_id: The call during which it came up.

        Raises:
            Denied: Somebody said no.
        """
        call = ToolCall(id=call_id, name=name, arguments="{}")
        passage = Passage(call, name, self._clock.monotonic())
        passage.is_announced = True  # the call that it came up in was shown
        await self._gate.admit_late(passage, effect)

    async def confirm(self, call: ToolCall, *, action: str, reason: str) -> None:
        """Asks a person about a call that the rules may well let through.

        Raises:
            Denied: The answer was no, or nobody is there.
        """
        passage = Passage(call, call.name, self._clock.monotonic())
        passage.is_announced = True  # it is shown when it is carried out
        effect = Effect(kind="none", action=action)
        try:
            await self._gate.ask(passage, effect, Decision(outcome="ask", reason=reason))
        except Edited as edited:
            raise Denied(f"the user wants it otherwise: {edited.arguments}") from edited

    async def _carry_out(
        self, tool: AnyTool | None, passage: Passage, registry: Registry
    ) -> tuple[Result, CallStatus]:
        try:
            result = await self._pass(tool, passage, registry)
        except Denied as denied:
            refused = Result.of(denied.message, ok=False)
            return msgspec.structs.replace(refused, denied=True), "denied"
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
        result = await self._gate.looked_over(passage, result)
        return result, "done" if result.ok else "failed"

    async def _pass(self, tool: AnyTool | None, passage: Passage, registry: Registry) -> Result:
        cwd = Path(self._standing.cwd)
        try:
            if tool is None:
                raise _unknown(passage.name, registry)
            arguments = decode(tool.arguments, passage.call.arguments)
            spelled = tool.effect(arguments, cwd)
            effect = resolved(spelled, cwd)
            passage.title = effect.action
            passage.is_quiet = passage.within != "" and effect.kind in HARMLESS
            passage.steps.append("validate")
        finally:
            # Shown also when it is refused at once; nothing has been asked or done yet.
            if not passage.is_quiet:
                passage.announce(self._journal.record)
        passage.preview = partial(preview, tool, arguments, self._context(passage, effect))
        try:
            await self._gate.admit(passage, effect, spelled)
            return await self._attempts(tool, arguments, passage, effect)
        except Edited as edited:
            passage.call = msgspec.structs.replace(passage.call, arguments=edited.arguments)
        return as_edited(await self._pass(tool, passage, registry), passage.edited)

    async def _attempts(
        self, tool: AnyTool, arguments: Struct, passage: Passage, effect: Effect
    ) -> Result:
        sandbox = await self._cage_of(passage, effect)
        try:
            result = await self._attempt(tool, arguments, passage, effect, sandbox=sandbox)
        except CageDenied as denied:
            result = Result.of(denied.message, ok=False, stopped=denied.message)
        if not result.stopped or sandbox.name == "none":
            return result
        approved = passage.decision == "asked:allowed"
        then = self._rules.after_cage(mode=self._standing.mode, approved=approved)
        # What was kept from the network because of a text goes there by a yes alone.
        match "ask" if passage.wary and then == "go" else then:
            case "give up":
                return _advised(result, sandbox)
            case "go":
                beyond = await self._cages.beyond(passage.shown)
            case "ask":
                question = leaving(result.stopped, sandbox, self._standing.around.outside)
                await self._gate.ask(passage, effect, question)
                passage.decision = "asked:allowed"
                beyond = await self._cages.outside()
        return await self._attempt(tool, arguments, passage, effect, sandbox=beyond)

    async def _cage_of(self, passage: Passage, effect: Effect) -> Sandbox:
        """Only commands are caged: what acts in this process has no other thread to lock up."""
        if effect.kind not in _CAGED:
            return Unconfined()
        if not passage.outside:
            more = effect.more if passage.decision in _SAID_YES else None
            return await self._cages.within(
                self._standing.mode, more, passage.shown, wary=passage.wary
            )
        # A person who was asked was told that it is to run outside; a rule says nothing of keys.
        asked = passage.decision == "asked:allowed"
        return await (self._cages.outside() if asked else self._cages.beyond(passage.shown))

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
        passage.source = source_of(
            effect.kind,
            tool=passage.name,
            paths=effect.paths,
            command=effect.command,
            url=effect.url,
        )
        if passage.is_announced:
            self._journal.record(
                ToolAttempted(
                    call_id=passage.call.id,
                    steps=tuple(passage.steps),
                    decision=passage.decision,
                    rule=passage.rule,
                    sandbox=sandbox.name,
                    attempt=passage.steps.count("attempt"),
                    layer=passage.layer,
                    seconds=self._clock.monotonic() - passage.began,
                    command=passage.command,
                    unasked=passage.decision == "allow" and effect.kind not in HARMLESS,
                )
            )
        if effect.kind not in HARMLESS:
            await self._journal.settle()
        cwd = Path(self._standing.cwd)
        # A link may have been changed while the person thought about it.
        if effect.paths and resolved(tool.effect(arguments, cwd), cwd).paths != effect.paths:
            raise Denied(f"{passage.name} was not carried out: its path leads elsewhere by now")
        context = self._context(passage, effect)
        way = Way(sandbox=sandbox)
        with anyio.CancelScope() as scope:

            def end() -> None:
                scope.deadline = anyio.current_time() + GRACE_SECONDS

            async with self._routes.route(sandbox, passage.call.id, end) as way:
                result = await self._run(
                    tool, arguments, passage, msgspec.structs.replace(context, sandbox=way.sandbox)
                )
                return rejected(result, why) if (why := way.refused()) else result
        return rejected(None, way.refused())

    def _context(self, passage: Passage, effect: Effect) -> ToolContext:
        return ToolContext(
            call_id=passage.call.id,
            cwd=Path(self._standing.cwd),
            clock=self._clock,
            environment=self._environment,
            publish=self._journal.record,
            hides=partial(self._rules.hides, within=effect.paths),
            admit=partial(self._gate.admit_late, passage),
            command=passage.command,
            admitted=effect.paths,
            scope=passage.scope,
        )

    async def _run(
        self, tool: AnyTool, arguments: Struct, passage: Passage, context: ToolContext
    ) -> Result:
        output = cast("AsyncGenerator[Progress | Result]", tool.run(arguments, context))
        async with aclosing(output):
            async for said in output:
                if isinstance(said, Result):
                    passage.source = passage.source if said.origin is None else said.origin
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


def _advised(result: Result, sandbox: Sandbox) -> Result:
    """The result with a line that tells why, for a model that may not leave the cage."""
    note = Text(
        text=f"\n[the sandbox {sandbox.name} stopped this: {result.stopped}. Do it another way that "
        'stays inside, or run it again with sandbox_permissions "require_escalated" and a '
        "justification if somebody is here to approve it; else tell the user what you need]"
    )
    return msgspec.structs.replace(result, parts=(*result.parts, note))


def _unknown(name: str, registry: Registry) -> ToolFailed:
    near = registry.near(name)
    hint = (
        f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(registry.names())}"
    )
    return ToolFailed(f"unsupported call: {name}; {hint}")
