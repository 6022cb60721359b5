"""The middle of the spine: hooks, rules and the person say whether an effect may happen."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Denied
from ouroboros.core.events import PermissionAnswered, PermissionBlocked, PermissionRequested
from ouroboros.core.ids import Ids
from ouroboros.safety.rules import Decision, Intent, Rules
from ouroboros.tools.approval import Answer, Asker
from ouroboros.tools.passage import HARMLESS, Passage
from ouroboros.tools.seams import Hooks, Journal, Standing
from ouroboros.tools.tool import Effect

type Watcher = Callable[[Effect], Awaitable[None]]
"""Hears of each effect that was let through, before it happens; ``ToolFailed`` stops it."""


class Gate(Struct, frozen=True, kw_only=True):
    """Whoever may say no."""

    rules: Rules
    journal: Journal
    asker: Asker
    standing: Standing
    hooks: Hooks
    clock: Clock
    ids: Ids
    watchers: list[Watcher]

    async def admit(self, passage: Passage, effect: Effect, spelled: Effect) -> None:
        """Hooks, rules and the person, in this order.

        Args:
            passage: The call; what was decided is noted in it.
            effect: With links followed.
            spelled: As the call spelled it.

        Raises:
            Denied: One of them said no.
        """
        verdict = await self.hooks.before(passage.call, effect)
        passage.steps.append(f"hooks:{verdict.outcome}")
        intent = Intent(
            tool=passage.name,
            kind=effect.kind,
            paths=effect.paths,
            spelled=spelled.paths,
            command=effect.command,
            url=effect.url,
            risk=effect.risk,
            escalation=effect.escalation,
        )
        standing = self.standing
        decision = self.rules.decide(intent, mode=standing.mode, granted=standing.granted)
        passage.steps.append(f"rules:{decision.outcome}")
        passage.rule = decision.rule
        if verdict.outcome == "deny":
            self._block(passage, "hook", verdict.message or "a hook said no")
        if decision.outcome == "deny":
            self._block(passage, decision.rule, decision.reason)
        passage.decision = decision.outcome
        passage.outside = decision.outside
        if decision.outcome == "ask" and verdict.outcome == "allow":
            passage.decision = "hook:allowed"
        elif decision.outcome == "ask":
            await self.ask(passage, effect, decision)
            passage.decision = "asked:allowed"
        for watcher in self.watchers:
            await watcher(effect)

    async def admit_late(self, passage: Passage, effect: Effect) -> None:
        """The same for an effect that came to light only while the call ran.

        A yes is on disk before the effect happens.

        Raises:
            Denied: Somebody said no.
        """
        await self.admit(passage, effect, effect)
        if effect.kind not in HARMLESS:
            await self.journal.settle()

    async def ask(self, passage: Passage, effect: Effect, decision: Decision) -> None:
        """Puts the question to the person.

        Raises:
            Denied: The answer was no, or nobody is there.
        """
        passage.announce(self.journal.record)
        question = PermissionRequested(
            request_id=self.ids.new("req"),
            call_id=passage.call.id,
            tool=passage.name,
            action=effect.action,
            input=effect.command or passage.arguments,
            reason=decision.reason,
            grant=decision.grant,
            reviewer=self.asker.reviewer,
            amendment=decision.amendment,
        )
        self.journal.record(question)
        asked_at = self.clock.monotonic()
        answer = Answer(allowed=False, decider="cancelled")
        try:
            answer = await self.asker.ask(question)
        finally:
            self.journal.record(
                PermissionAnswered(
                    request_id=question.request_id,
                    call_id=passage.call.id,
                    allowed=answer.allowed,
                    decider=answer.decider,
                    scope=answer.scope,
                    message=answer.message,
                    seconds=self.clock.monotonic() - asked_at,
                )
            )
        passage.steps.append(f"ask:{'allowed' if answer.allowed else 'denied'}")
        if not answer.allowed:
            raise Denied(
                f"{passage.name} was refused: {(answer.message or 'the user said no').rstrip('.')}. "
                "Do not try the same thing another way; ask the user how to go on."
            )

    def _block(self, passage: Passage, rule: str, reason: str) -> None:
        passage.announce(self.journal.record)
        self.journal.record(
            PermissionBlocked(call_id=passage.call.id, tool=passage.name, rule=rule, reason=reason)
        )
        raise Denied(
            f"{passage.name} was not carried out: {reason}. "
            "Do not try the same thing another way; choose an allowed step or tell the user."
        )
