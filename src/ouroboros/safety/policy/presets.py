"""The approval policies of codex as values, and what each of them wants for a command.

A prompt that a policy does not allow becomes a refusal that says so.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from ouroboros.safety.policy.amendments import Judged, proposed
from ouroboros.safety.policy.evaluate import Policy, strictest
from ouroboros.safety.policy.values import STRICTNESS, Decision, Words

type ApprovalName = Literal["untrusted", "on-failure", "on-request", "never", "granular"]
type SandboxMode = Literal["read-only", "workspace-write", "danger-full-access", "external"]
REVIEWED = frozenset({"", "on-request", "granular"})
"""Policies, or none, that leave a guardian something to review."""

type Kind = Literal["safe", "approve", "dangerous"]
type SandboxPermissions = Literal["use_default", "require_escalated", "with_additional_permissions"]


class Granular(Struct, frozen=True, kw_only=True):
    """Which kinds of question ``granular`` lets through; the others are refused at once."""

    sandbox_approval: bool = True
    rules: bool = True
    request_permissions: bool = True


class Approval(Struct, frozen=True, kw_only=True):
    """A policy by its name.

    Attributes:
        granular: Counts only for the policy of this name.
        has_sandbox: Commands really run in the sandbox. Where they do not, one that does more than
            read is asked about, or refused where nobody may be asked.
    """

    name: ApprovalName
    granular: Granular = Granular()
    has_sandbox: bool = True


class Escalation(Struct, frozen=True, kw_only=True):
    """What the model asks for a command beyond the sandbox.

    Attributes:
        permissions: ``require_escalated`` is to run outside of it.
        justification: A question to the person, in the model's words.
        prefix: A rule that the model proposes to remember.
    """

    permissions: SandboxPermissions = "use_default"
    justification: str = ""
    prefix: Words = ()

    @property
    def asks(self) -> bool:
        """Whether more than the sandbox is asked for."""
        return self.permissions != "use_default"


WITHIN = Escalation()
"""Nothing beyond the sandbox is asked for."""


class Command(Struct, frozen=True, kw_only=True):
    """A command as it was understood.

    Attributes:
        words: The whole of it, as it would be started.
        parts: Its simple commands; None when it is more than plain words in a row.
        kind: What it is taken for as a whole.
        kinds: The same for each part.
    """

    words: Words
    parts: tuple[Words, ...] | None
    kind: Kind
    kinds: tuple[Kind, ...] = ()

    @property
    def judged(self) -> tuple[tuple[Words, Kind], ...]:
        """Each part, or the whole, with what it is taken for."""
        if self.parts is None:
            return ((self.words, self.kind),)
        return tuple(zip(self.parts, self.kinds, strict=True))


class Skip(Struct, frozen=True, kw_only=True, tag=True):
    """It runs unasked; outside of the sandbox where rules allow every part of it by name."""

    bypass_sandbox: bool = False
    amendment: Words = ()


class NeedsApproval(Struct, frozen=True, kw_only=True, tag=True):
    """Somebody is asked; ``amendment`` is the prefix rule that a yes may add for good."""

    reason: str = ""
    amendment: Words = ()


class Forbidden(Struct, frozen=True, kw_only=True, tag=True):
    """It does not run, and nobody is asked."""

    reason: str


type Requirement = Skip | NeedsApproval | Forbidden
type Retry = Literal["give up", "ask", "go"]


def requirement(
    approval: Approval,
    sandbox: SandboxMode,
    command: Command,
    policy: Policy,
    *,
    escalation: Escalation = WITHIN,
    also: Sequence[Words] = (),
) -> Requirement:
    """What must happen before a command runs; pure.

    Args:
        approval: The policy that holds.
        sandbox: What commands may do unasked.
        command: What was understood of it.
        policy: Rules of policy files; they come before all else.
        escalation: What the model wants beyond the sandbox.
        also: Commands hidden in the parts, for rules that forbid.
    """
    if escalation.asks and approval.name != "on-request":
        return Forbidden(
            reason=f"the approval policy is {approval.name}; do not ask for escalated permissions "
            f"while it is {approval.name}"
        )
    judged = command.judged
    found = policy.evaluate([words for words, _ in judged], also=also)
    matching = dict(found.parts)
    is_simple = command.parts is not None
    parts = [
        Judged(words=words, decision=strictest(matching[words]), is_matched=True)
        if matching.get(words)
        else Judged(
            words=words,
            decision=_unmatched(approval, sandbox, kind, is_simple=is_simple, asks=escalation.asks),
            is_dangerous=kind == "dangerous",
        )
        for words, kind in judged
    ]
    decisions: list[Decision] = [each.decision for each in parts]
    if found.decision is not None:
        decisions.append(found.decision)
    if not parts:
        decisions.append("prompt")
    decision = max(decisions, key=lambda each: STRICTNESS[each])
    amendment: Words = ()
    if is_simple:
        amendment = proposed(parts, policy, found, wanted=escalation.prefix)
    match decision:
        case "forbidden":
            return Forbidden(
                reason=found.reason or f"`{_text(command)}` rejected: blocked by policy"
            )
        case "prompt":
            by_rule = any(match.decision == "prompt" for match in found.matched)
            refused = _refused(approval, by_rule=by_rule or bool(policy.broken))
            if refused:
                return Forbidden(reason=refused)
            reason = found.reason if found.decision == "prompt" else escalation.justification
            return NeedsApproval(reason=reason, amendment=amendment)
        case "allow":
            return Skip(bypass_sandbox=found.covers, amendment=amendment)


def write_requirement(approval: Approval, sandbox: SandboxMode, *, inside: bool) -> Requirement:
    """The same for files that a tool of ours writes; ``inside`` where the sandbox lets it write."""
    if approval.name == "untrusted":
        return NeedsApproval(reason="it changes files")
    if sandbox in {"danger-full-access", "external"} or (inside and sandbox == "workspace-write"):
        return Skip()
    refused = _refused(approval, by_rule=False)
    if refused:
        return Forbidden(reason=f"it writes outside of what the sandbox allows; {refused}")
    return NeedsApproval(reason="it writes outside of what the sandbox allows")


def settled(approval: Approval, reason: str) -> Requirement:
    """A question of any other kind, as far as the policy lets it through."""
    refused = _refused(approval, by_rule=False)
    return Forbidden(reason=f"{reason}; {refused}") if refused else NeedsApproval(reason=reason)


def retry(
    approval: Approval, *, approved: bool, network: bool = False, may_leave: bool = True
) -> Retry:
    """What follows when the sandbox stopped a command.

    Args:
        approval: The policy that holds.
        approved: Somebody said yes to this very command already.
        network: It was the network that was closed, and it is known to which host.
        may_leave: Commands may run outside of the sandbox at all; not where reads are denied.
    """
    match approval.name:
        case "on-failure" | "untrusted":
            wants = True
        case "granular":
            wants = approval.granular.sandbox_approval
        case "on-request":
            wants = network
        case "never":
            wants = False
    if not wants or not (may_leave or network):
        return "give up"
    return "go" if approved and not network else "ask"


def _unmatched(
    approval: Approval, sandbox: SandboxMode, kind: Kind, *, is_simple: bool, asks: bool
) -> Decision:
    """What holds for a command that no rule is about."""
    is_open = sandbox in {"danger-full-access", "external"}
    if kind == "safe" and is_simple and approval.name == "untrusted":
        return "allow"
    if kind == "dangerous":
        if approval.name != "never":
            return "prompt"
        return "allow" if is_open else "forbidden"
    if not (approval.has_sandbox or is_open):
        return "allow" if kind == "safe" and is_simple else "prompt"
    match approval.name:
        case "never" | "on-failure":
            return "allow"
        case "untrusted":
            return "prompt"
        case "on-request" | "granular":
            return "prompt" if asks and not is_open else "allow"


def _refused(approval: Approval, *, by_rule: bool) -> str:
    """Why nobody may be asked, empty when somebody may."""
    if approval.name == "never":
        return "approval is required by policy, but the approval policy is never"
    if approval.name != "granular":
        return ""
    if by_rule and not approval.granular.rules:
        return "approval is required by a rule, but approval.rules is false"
    if not by_rule and not approval.granular.sandbox_approval:
        return "approval is required by policy, but approval.sandbox_approval is false"
    return ""


def _text(command: Command) -> str:
    import shlex

    return " && ".join(shlex.join(words) for words, _ in command.judged)
