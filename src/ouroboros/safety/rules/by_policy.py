"""Policy files and codex's approval policies, laid over what the rules say."""

import shlex
from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.commands.reading import Reading
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import address
from ouroboros.safety.policy import presets
from ouroboros.safety.policy.amendments import Judged, network_line, proposed
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.presets import (
    Approval,
    Command,
    Forbidden,
    NeedsApproval,
    Requirement,
    SandboxMode,
    Skip,
)
from ouroboros.safety.policy.values import Evaluation
from ouroboros.safety.rules.foreseen import Cage, uncaged
from ouroboros.safety.rules.offered import grant_for
from ouroboros.safety.rules.values import GRANT, Decision, Intent

BY_FILE = "policy file"
"""What decided, when a policy file did."""

BY_HOST = "network rule"
"""What decided, when a policy file says so of a host, or cannot be read."""

NOT_ALLOWED = "no rule allows `{}`"
"""Why a command is asked about of which other parts are allowed."""

STRICT = "guardian.strict"
"""What decided, when everything is reviewed."""


def _always() -> bool:
    return True


class Policies(Struct, frozen=True, kw_only=True):
    """What decides besides rules and mode.

    Attributes:
        book: Rules of policy files, as they stand now.
        approval: One of codex's policies, which then counts in the place of the mode.
        sandbox: What commands may do unasked, for that policy.
        is_caged: Commands really run in that sandbox; where they do not, the policy lets none of
            them run unasked that does more than read.
        is_strict: A reviewer is asked about every command and every change, whatever allows it.
        cage: What commands are kept from, for questions where no approval policy counts.
        masks: Whether the sandbox hides the files of rules from commands here.
    """

    book: Book
    approval: Approval | None = None
    sandbox: SandboxMode = "workspace-write"
    is_caged: bool = False
    is_strict: bool = False
    cage: Cage = uncaged
    masks: Callable[[], bool] = _always

    def join(
        self,
        intent: Intent,
        decision: Decision,
        *,
        verdict: Verdict | None = None,
        reading: Reading | None = None,
        granted: Sequence[str] = (),
        may_write: bool = False,
    ) -> Decision:
        """The decision of the rules, with what policies make of it.

        Args:
            intent: What would be done.
            decision: What rules and mode say. Where a rule, and not the mode, decided, no policy
                makes it milder.
            verdict: What a command is taken for.
            reading: What it runs, as far as that can be seen.
            granted: What a person allowed until the session ends; only a file that forbids is above.
            may_write: The files of the intent are ordinary ones of the workspace.
        """
        if decision.outcome == "deny":
            return decision
        # A yes to a command in the sandbox is none to the same one outside of it.
        is_silent = decision.rule.startswith("mode ") or intent.escalation.asks
        if verdict is None:
            decision = self._by_host(intent, decision, granted)
            return self._beyond_commands(intent, decision, is_silent=is_silent, may_write=may_write)
        if self.approval is None and not self.book.policy and decision.outcome == "allow":
            return _escalated(decision, intent)
        hidden = [found.words for found in reading.commands] if reading is not None else []
        parts = verdict.parts or (("bash", "-lc", intent.command),)
        found = self.book.policy.evaluate(parts, also=hidden)
        if found.decision == "forbidden":
            return Decision(outcome="deny", rule=BY_FILE, reason=found.reason)
        if decision.rule in granted and not intent.escalation.asks:
            return decision
        if self.approval is None:
            joined = self._by_files(decision, found, verdict, is_silent=is_silent)
            return joined if joined.outside else _escalated(joined, intent)
        if not is_silent:
            asks = decision.outcome == "ask" or found.decision == "prompt"
            return self.settled(replace(decision, outcome="ask")) if asks else decision
        required = presets.requirement(
            self._approval(),
            self.sandbox,
            _command(intent, verdict),
            self.book.policy,
            escalation=intent.escalation,
            also=hidden,
        )
        return self._decision(required, decision, intent, verdict.hardened)

    def _by_host(self, intent: Intent, decision: Decision, granted: Sequence[str]) -> Decision:
        """Stricter for a host that a policy file names; what it allows is asked about no less."""
        read = address(intent.url) if intent.kind == "fetch" else None
        if read is None or not read.host:
            return decision
        protocol = intent.protocol or read.scheme
        found = self.book.policy.host(read.host, protocol)
        if found is None or found.decision == "allow":
            return decision
        named = network_line(read.host, protocol, found.decision)
        why = f": {found.justification}" if found.justification else ""
        reason = self.book.policy.broken or f"the policy file says {named}{why}"
        if found.decision == "forbidden":
            return Decision(outcome="deny", rule=BY_HOST, reason=reason)
        if decision.rule in granted:
            return decision
        # A line for good would not hold against this one, so none is offered.
        return Decision(outcome="ask", rule=BY_HOST, reason=reason, grant=grant_for(intent))

    def _beyond_commands(
        self, intent: Intent, decision: Decision, *, is_silent: bool, may_write: bool
    ) -> Decision:
        if self.approval is None:
            return decision
        if intent.kind == GRANT and self.approval.name == "granular":
            if self.approval.granular.request_permissions:
                return decision
            reason = "approval.request_permissions is off, so more cannot be asked for"
            return Decision(outcome="deny", rule=self._name, reason=reason)
        if intent.kind == "write" and is_silent:
            required = presets.write_requirement(self.approval, self.sandbox, inside=may_write)
            return self._decision(required, decision, intent)
        return self.settled(decision) if decision.outcome == "ask" else decision

    def _by_files(
        self, decision: Decision, found: Evaluation, verdict: Verdict, *, is_silent: bool
    ) -> Decision:
        if found.decision == "prompt":
            return replace(decision, outcome="ask", rule=BY_FILE, reason=found.reason)
        if found.covers and is_silent:
            return replace(decision, outcome="allow", rule=BY_FILE, reason="", outside=True)
        if decision.outcome != "ask" or not is_silent or verdict.parts is None:
            return decision
        if verdict.kind != "dangerous" and (blocking := _blocking(found, verdict)):
            decision = replace(decision, reason=NOT_ALLOWED.format(blocking))
        asked = [
            Judged(
                words=words,
                decision="allow" if matches else "prompt",
                is_matched=bool(matches),
                is_dangerous=verdict.kind == "dangerous",
            )
            for words, matches in found.parts
        ]
        return replace(decision, amendment=proposed(asked, self.book.policy, found))

    def reviewed(self, decision: Decision) -> Decision:
        """A question to the reviewer in the place of a yes; how it would be carried out stays."""
        if decision.outcome != "allow":
            return decision
        reason = f"{decision.rule} lets it happen, and guardian.strict wants a review of it"
        return replace(decision, outcome="ask", rule=STRICT, layer="", reason=reason)

    def settled(self, decision: Decision) -> Decision:
        """A question, if the policy lets anybody be asked."""
        if self.approval is None:
            return decision
        required = presets.settled(self.approval, decision.reason or "it needs approval")
        if isinstance(required, Forbidden):
            return Decision(outcome="deny", rule=self._name, reason=required.reason)
        return decision

    def _decision(
        self, required: Requirement, decision: Decision, intent: Intent, hardened: str = ""
    ) -> Decision:
        leaves = intent.escalation.permissions == "require_escalated"
        match required:
            case Skip(bypass_sandbox=bypass):
                command = "" if bypass else hardened
                return Decision(
                    outcome="allow", rule=self._name, outside=bypass or leaves, command=command
                )
            case NeedsApproval(reason=reason, amendment=amendment):
                asking = replace(
                    decision,
                    outcome="ask",
                    rule=self._name,
                    reason=reason or decision.reason or "a command may change anything",
                    amendment=amendment,
                )
                return _escalated(asking, intent)
            case Forbidden(reason=reason):
                return Decision(outcome="deny", rule=self._name, reason=reason)
            case _:
                assert_never(required)

    def _approval(self) -> Approval:
        """The policy, or a stricter one where there is no sandbox to run in."""
        chosen = self.approval or Approval(name="untrusted")
        is_open = self.sandbox in {"danger-full-access", "external"}
        return chosen if self.is_caged or is_open else replace(chosen, has_sandbox=False)

    @property
    def _name(self) -> str:
        return f"approval policy {self.approval.name}" if self.approval else BY_FILE


def _escalated(decision: Decision, intent: Intent) -> Decision:
    """Asks about what wants to leave the sandbox, each time and with the model's reason."""
    wanted = intent.escalation
    if not wanted.asks:
        return decision
    leaves = wanted.permissions == "require_escalated"
    where = "outside of the sandbox" if leaves else "with more than the sandbox allows"
    why = f": {wanted.justification}" if wanted.justification else ""
    return replace(
        decision,
        outcome="ask",
        reason=f"the model asks to run it {where}{why}",
        grant="",
        rules=(),
        wider=(),
        always=(),
        outside=leaves,
    )


def _command(intent: Intent, verdict: Verdict) -> Command:
    kinds = verdict.kinds
    if verdict.kind == "dangerous" and "dangerous" not in kinds:
        kinds = ("dangerous",) * len(kinds)  # what does harm is how the parts work together
    return Command(
        words=("bash", "-lc", intent.command), parts=verdict.parts, kind=verdict.kind, kinds=kinds
    )


def _blocking(found: Evaluation, verdict: Verdict) -> str:
    """The first part that no file allows, where one allows another part; else empty."""
    if not any(matches for _, matches in found.parts):
        return ""
    parts = zip(found.parts, verdict.kinds, strict=True)
    return next(
        (shlex.join(words) for (words, matches), kind in parts if not matches and kind != "safe"),
        "",
    )
