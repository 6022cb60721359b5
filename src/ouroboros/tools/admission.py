"""The middle of the spine: hooks, rules and the person say whether an effect may happen."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.commands import Mode, Scope
from ouroboros.core.errors import Denied
from ouroboros.core.events import (
    PermissionAnswered,
    PermissionBlocked,
    PermissionRemembered,
    PermissionRequested,
)
from ouroboros.core.ids import Ids
from ouroboros.safety.rules import Decision, Intent, Rules, split_rule
from ouroboros.safety.rules.values import GRANT, HARMLESS
from ouroboros.safety.sandbox import Sandbox
from ouroboros.safety.untrusted import Outside
from ouroboros.tools.approval import Answer, Asker, Keeper
from ouroboros.tools.pace import LIMIT, Pace
from ouroboros.tools.passage import Edited, Passage, rewritten
from ouroboros.tools.seams import (
    Checkpoints,
    Hooks,
    Journal,
    Standing,
    Stands,
    Validator,
    Verdict,
)
from ouroboros.tools.tool import Effect, Result

type Watcher = Callable[[Effect], Awaitable[None]]
"""Hears of each effect that was let through, before it happens; ``ToolFailed`` stops it."""

NO_OTHER_WAY = " Do not try the same thing another way;"
"""Begins what a model is told after a no; a person needs none of it."""

_ASK_ON = f"{NO_OTHER_WAY} ask the user how to go on."
_AS_SAID = "Nothing of it was done. Go on as they say; call it again only as they want it."


class Judgement(Struct, frozen=True, kw_only=True):
    """What rules, mode and the call itself say; for sessions, and for whoever explains them."""

    rules: Rules
    validator: Validator | None = None

    def of(self, tool: str, effect: Effect, spelled: Effect, standing: Stands) -> Decision:
        """Allow, ask or deny; blocks where a command speaks of files.

        Args:
            tool: Its canonical name.
            effect: With links followed.
            spelled: As the call spelled it.
            standing: How the session stands.
        """
        intent = Intent(
            tool=tool,
            kind=effect.kind,
            paths=effect.paths,
            spelled=spelled.paths,
            command=effect.command,
            folder=effect.folder,
            shell=effect.shell,
            url=effect.url,
            protocol=effect.protocol,
            risk=effect.risk,
            escalation=effect.escalation,
        )
        decision = self.rules.decide(
            intent,
            mode=standing.mode,
            granted=tuple(standing.granted),
            around=standing.around,
        )
        return self._validated(effect, spelled, decision)

    def _validated(self, effect: Effect, spelled: Effect, decision: Decision) -> Decision:
        """The decision, stricter where something is wrong with the call itself."""
        if self.validator is None:
            return decision
        issues = self.validator.issues(
            kind=effect.kind, spelled=spelled.paths, paths=effect.paths, url=effect.url
        )
        for issue in sorted(issues, key=lambda issue: issue.severity != "critical"):
            rule = f"safety:{issue.rule}"
            if issue.severity == "critical":
                reason = f"{issue.reason}; {issue.hint}" if issue.hint else issue.reason
                return replace(decision, outcome="deny", rule=rule, reason=reason)
            if issue.severity == "high" and decision.outcome == "allow":
                return replace(decision, outcome="ask", rule=rule, reason=issue.reason)
        return decision


class Gate(Struct, frozen=True, kw_only=True):
    """Whoever may say no."""

    judgement: Judgement
    journal: Journal
    asker: Asker
    keeper: Keeper
    pace: Pace
    standing: Standing
    hooks: Hooks
    clock: Clock
    ids: Ids
    watchers: list[Watcher]
    caveat: Callable[[Mode], Awaitable[str]]
    checkpoints: Checkpoints

    async def admit(self, passage: Passage, effect: Effect, spelled: Effect) -> None:
        """Hooks, rules and the person, in this order.

        Args:
            passage: The call; what was decided is noted in it.
            effect: With links followed.
            spelled: As the call spelled it.

        Raises:
            Denied: One of them said no.
            Edited: The person wants something else to be done.
        """
        verdict = Verdict() if passage.is_late else await self._heard(passage, effect)
        passage.steps.append(f"hooks:{verdict.outcome}")
        decision = await self._decided(passage, effect, spelled)
        decision = self.pace.held(decision, effect.kind, self.clock.monotonic())
        passage.steps.append(f"rules:{decision.outcome}")
        passage.rule, passage.layer = decision.rule, decision.layer
        if verdict.outcome == "deny":
            self._block(passage, "hook", verdict.message or "a hook said no")
        if decision.outcome == "deny":
            self._block(passage, decision.rule, decision.reason, rest=_rest(decision))
        passage.decision = decision.outcome
        passage.outside, passage.command = decision.outside, decision.command
        passage.shown, passage.wary = decision.shown, decision.wary
        if verdict.outcome == "allow" and _is_for_hooks(decision):
            passage.decision = "hook:allowed"
        elif decision.outcome == "ask":
            # What a person has just written by hand is not asked about once more.
            if passage.is_late or not passage.edited:
                await self._ask_within(passage, effect, decision)
            passage.decision = "asked:allowed"
        await self._keep_files(passage, effect)
        for watcher in self.watchers:
            await watcher(effect)

    async def _heard(self, passage: Passage, effect: Effect) -> Verdict:
        """What the hooks say of a call, once; what they want in its place is judged anew.

        Raises:
            Edited: They want something else to be done.
        """
        if passage.verdict is not None:
            return passage.verdict
        verdict = await self.hooks.before(passage.call, effect)
        if verdict.arguments and verdict.outcome != "deny":
            passage.verdict = replace(verdict, arguments="")
            passage.steps.append("hooks:changed")
            raise Edited(verdict.arguments)
        return verdict

    async def looked_over(self, passage: Passage, result: Result) -> Result:
        """What the hooks leave of the result of a call that was carried out."""
        if "attempt" not in passage.steps:
            return result
        return await self.hooks.after(passage.call, result)

    async def _keep_files(self, passage: Passage, effect: Effect) -> None:
        """Keeps what the effect may change; where that fails a person says whether it happens."""
        if effect.kind in HARMLESS:
            return
        within = passage.within
        why = await self.checkpoints.before(passage.call.id, effect, within=within)
        if why:
            question = Decision(outcome="ask", rule="checkpoints", reason=why)
            await self.ask(passage, effect, question)
            self.checkpoints.accept()

    async def admit_late(self, passage: Passage, effect: Effect) -> None:
        """The same for an effect that came to light only while the call ran.

        A yes is on disk before the effect happens.

        Raises:
            Denied: Somebody said no.
        """
        passage.is_late = True
        try:
            await self.admit(passage, effect, effect)
        finally:
            passage.is_late = False
        if effect.kind not in HARMLESS:
            await self.journal.settle()

    async def _ask_within(self, passage: Passage, effect: Effect, decision: Decision) -> None:
        """Asks; where only a limit wanted that, a no is the limit's."""
        try:
            await self.ask(passage, effect, decision)
        except Denied:
            if decision.rule == LIMIT:
                self.journal.record(
                    PermissionBlocked(
                        call_id=passage.call.id,
                        tool=passage.name,
                        rule=LIMIT,
                        reason=decision.reason,
                        limit=LIMIT,
                        seconds=self.clock.monotonic() - passage.began,
                    )
                )
            raise

    async def _decided(self, passage: Passage, effect: Effect, spelled: Effect) -> Decision:
        decide = partial(self.judgement.of, passage.name, effect, spelled, self.standing)
        # A command is read by a grammar, and the files that it names are looked at.
        return await to_thread.run_sync(decide) if effect.kind == "execute" else decide()

    async def ask(self, passage: Passage, effect: Effect, decision: Decision) -> None:
        """Puts the question to the person.

        Raises:
            Denied: The answer was no, or nobody is there.
            Edited: The answer was yes to something else.
            ToolFailed: The change cannot be made, so nobody is asked about it.
        """
        passage.announce(self.journal.record)
        question = await self._question(passage, effect, decision)
        self.journal.record(question)
        asked_at = self.clock.monotonic()
        answer = Answer(allowed=False, decider="cancelled")
        try:
            answer = _within(question, await self.asker.ask(question))
        finally:
            waited = self.clock.monotonic() - asked_at
            passage.waited += waited
            self.journal.record(
                PermissionAnswered(
                    request_id=question.request_id,
                    call_id=passage.call.id,
                    allowed=answer.allowed,
                    decider=answer.decider,
                    scope=answer.scope,
                    message=answer.message,
                    seconds=waited,
                    rules=answer.rules,
                    input=answer.input,
                    rule=decision.rule,
                )
            )
        passage.steps.append(f"ask:{'allowed' if answer.allowed else 'denied'}")
        if not answer.allowed:
            is_told = answer.decider == "person" and answer.message
            rest = "" if is_told else _rest(decision)
            raise Denied(f"{passage.name} was refused: {_why(answer)}{rest}")
        passage.scope = answer.scope
        await self._keep(question, answer)
        if answer.input:
            passage.edited = answer.input
            passage.verdict = None
            raise Edited(rewritten(passage.call.arguments, effect.command, answer.input))

    async def _question(
        self, passage: Passage, effect: Effect, decision: Decision
    ) -> PermissionRequested:
        scopes: list[Scope] = ["once"]
        if decision.grant or decision.always or effect.kind == GRANT:
            scopes.append("session")
        if decision.rules:
            scopes.extend(await self.keeper.scopes())
        if decision.amendment:
            scopes.append("policy")
        detail = ""
        if passage.preview is not None and effect.kind == "write":
            told = partial(passage.preview, may_tell=self._may_read(effect))
            detail = await to_thread.run_sync(told)
        reason = decision.reason
        if effect.kind == "execute" and not decision.outside:
            reason = "; ".join(filter(None, (reason, await self.caveat(self.standing.mode))))
        return PermissionRequested(
            request_id=self.standing.request_of(passage.call.id) or self.ids.new("req"),
            call_id=passage.call.id,
            tool=passage.name,
            action=effect.action,
            input=effect.command or passage.arguments,
            reason=reason,
            grant=decision.grant,
            always=decision.always,
            rules=decision.rules,
            wider=decision.wider,
            scopes=tuple(scopes),
            rule=decision.rule,
            warning=decision.warning,
            sources=decision.sources,
            detail=detail,
            reviewer=self.asker.reviewer,
            amendment=decision.amendment,
            about=effect.about,
            fixed=passage.is_late or (not effect.command and passage.is_cut),
        )

    def _may_read(self, effect: Effect) -> bool:
        """Whether the model may read, unasked, what it wants to write."""
        read = Effect(kind="read", action="", paths=effect.paths)
        return self.judgement.of("read", read, read, self.standing).outcome == "allow"

    async def _keep(self, question: PermissionRequested, answer: Answer) -> None:
        """Writes a yes down; where that fails it counts for this once, and the person is told."""
        if answer.scope in {"once", "session"}:
            return
        rules = answer.rules or question.rules
        kept = await self.keeper.keep(answer.scope, rules, question.amendment)
        self.journal.record(
            PermissionRemembered(
                request_id=question.request_id,
                scope=answer.scope,
                rules=() if answer.scope == "policy" else rules,
                place=kept.place,
                problem=kept.problem,
            )
        )

    def _block(self, passage: Passage, rule: str, reason: str, *, rest: str = "") -> None:
        passage.announce(self.journal.record)
        self.journal.record(
            PermissionBlocked(
                call_id=passage.call.id,
                tool=passage.name,
                rule=rule,
                reason=reason,
                layer=passage.layer if rule == passage.rule else "",
                seconds=self.clock.monotonic() - passage.began,
            )
        )
        raise Denied(
            f"{passage.name} was not carried out: {reason}."
            f"{NO_OTHER_WAY} choose an allowed step or tell the user.{rest}"
        )


def _is_for_hooks(decision: Decision) -> bool:
    """Whether a hook may say yes in the person's place: not after text from outside was read."""
    return decision.outcome == "ask" and not decision.sources and decision.rule != LIMIT


def _rest(decision: Decision) -> str:
    """For a model: what of a chain was not refused, and may be called by itself."""
    if not decision.rest:
        return ""
    about, rest = (
        ", ".join(f"`{part}`" for part in dict.fromkeys(parts))
        for parts in (decision.about, decision.rest)
    )
    return f" Only {about} was refused; the rest may be called without it: {rest}."


def leaving(stopped: str, sandbox: Sandbox, outside: Outside) -> Decision:
    """The question whether a command that its cage stopped runs once more outside of it."""
    hidden = " and read your keys" if sandbox.hides else ""
    read = f"; text from outside was read ({outside.told})" if outside.sources else ""
    reason = (
        f"the sandbox {sandbox.name} stopped it ({stopped}); run it again outside? There it can "
        f"change every file of yours, use the network{hidden}{read}"
    )
    return Decision(outcome="ask", reason=reason, sources=outside.sources)


def _why(answer: Answer) -> str:
    """A no for the model; what a person said to do instead is theirs, and an answer to how to go on."""
    if answer.decider == "person" and answer.message:
        return f'the person says: "{answer.message}". {_AS_SAID}'
    why = (answer.message or "the user said no").rstrip(".")
    # Who is told that nobody is here has been told what to do as well.
    return f"{why}.{'' if answer.decider == 'nobody' else _ASK_ON}"


def _within(question: PermissionRequested, answer: Answer) -> Answer:
    """The answer as far as the question offered it: a longer yes than offered counts once.

    What a person wrote by hand is never remembered by rules that speak of what was asked, and is a
    no to what can only be done as it was asked.
    """
    if not answer.allowed:
        return answer
    if _is_same(answer.input, question.input):
        answer = replace(answer, input="")
    if question.fixed and answer.input:
        wanted = f"not this; rather {answer.input}"
        return replace(answer, allowed=False, scope="once", rules=(), message=wanted)
    is_offered = answer.scope in question.scopes and not (answer.input and not answer.rules)
    readable = all(split_rule(rule)[0] for rule in answer.rules)
    if is_offered and readable:
        return answer
    return replace(answer, scope="once", rules=())


def _is_same(wanted: str, asked: str) -> bool:
    """Whether it is what was asked, perhaps spelled otherwise by a program that gives it back."""
    try:
        return wanted == asked or msgspec.json.decode(wanted) == msgspec.json.decode(asked)
    except (msgspec.DecodeError, RecursionError):
        return False
