"""What a hook said: its exit code and its output as one value; pure."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ouroboros.core.events.hooks import HookStatus
from ouroboros.plugins.hooks.moments import Moment

_BLOCKING: frozenset[Moment] = frozenset({
    *("UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
    *("SubagentStop", "Stop", "TransformResponse"),
})
_PLAIN: frozenset[Moment] = frozenset({
    *("SessionStart", "UserPromptSubmit", "MemoryFlush", "SubagentStart"),
})
_STRICT: frozenset[Moment] = frozenset({"PreToolUse", "PermissionRequest", "PostToolUse"})

_FIELDS: dict[Moment, frozenset[str]] = {
    "SessionStart": frozenset({"additionalContext"}),
    "UserPromptSubmit": frozenset({"additionalContext", "updatedPrompt"}),
    "PreToolUse": frozenset({
        *("additionalContext", "permissionDecision", "permissionDecisionReason", "updatedInput")
    }),
    "PermissionRequest": frozenset({"decision"}),
    "PostToolUse": frozenset({"additionalContext", "updatedMCPToolOutput"}),
    "MemoryFlush": frozenset({"additionalContext"}),
    "SubagentStart": frozenset({"additionalContext"}),
    "TransformResponse": frozenset({"updatedResponse"}),
}
"""What ``hookSpecificOutput`` may hold besides the name of the moment."""

_DECISIONS: dict[Moment, frozenset[str]] = {
    "PreToolUse": frozenset({"approve", "block"}),
    "UserPromptSubmit": frozenset({"block"}),
    "PostToolUse": frozenset({"block"}),
    "Stop": frozenset({"block"}),
    "SubagentStop": frozenset({"block"}),
    "TransformResponse": frozenset({"block"}),
}
"""What the ``decision`` of an answer may be."""


class Said(Struct, frozen=True, kw_only=True):
    """What came of one hook.

    Attributes:
        status: ``failed`` counts as if it had said nothing.
        reason: Why it blocked, stopped or failed.
        allows: It says yes to a call, so that nobody needs to be asked.
        updated: What is to take the place of the input of a call, of a prompt or of a final answer.
        context: What the model is to be told besides.
        message: What the person is to be told.
    """

    status: HookStatus = "completed"
    reason: str = ""
    allows: bool = False
    updated: object = None
    context: str = ""
    message: str = ""


class _Permission(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    behavior: Literal["allow", "deny"]
    message: str | None = None
    interrupt: bool = False
    updated_input: object = None
    updated_permissions: object = None


class _Specific(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    hook_event_name: str
    additional_context: str | UnsetType | None = UNSET
    permission_decision: Literal["allow", "deny", "ask"] | UnsetType | None = UNSET
    permission_decision_reason: str | UnsetType | None = UNSET
    updated_input: object = UNSET
    updated_mcp_tool_output: object = msgspec.field(default=UNSET, name="updatedMCPToolOutput")
    updated_prompt: str | UnsetType = UNSET
    updated_response: str | UnsetType = UNSET
    decision: _Permission | UnsetType | None = UNSET


class _Output(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    goes_on: bool = msgspec.field(default=True, name="continue")
    stop_reason: str | None = None
    suppress_output: bool = False
    system_message: str | None = None
    decision: Literal["approve", "block"] | None = None
    reason: str | None = None
    hook_specific_output: _Specific | None = None
    action: Literal["modify", "block", "continue"] | None = None
    value: object = None


class Verdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model answers a hook of kind ``prompt`` or ``agent``."""

    ok: bool
    reason: Annotated[str, Meta(max_length=20_000)] = ""


class _Invalid(Exception):
    """An answer that is none; its text is the reason."""


def said(moment: Moment, exit_code: int, stdout: str, stderr: str) -> Said:
    """What a command said.

    Exit code 0 with JSON is an answer, with other words a context where the moment has one; 2 refuses
    with what stands on standard error; every other code is a failure.
    """
    if exit_code == 2 and moment in _BLOCKING:
        reason = stderr.strip()
        if not reason:
            return _failed("it ended with code 2 and gave no reason on standard error")
        return Said(status="blocked", reason=reason)
    if exit_code != 0:
        last = stderr.strip().rpartition("\n")[2]
        return _failed(f"it ended with code {exit_code}" + (f": {last}" if last else ""))
    text = stdout.strip()
    if not text.startswith(("{", "[")):
        return Said(context=text) if moment in _PLAIN else Said()
    try:
        answer = msgspec.json.decode(text, type=_Output)
        return _answered(moment, answer, text)
    except (msgspec.DecodeError, RecursionError) as broken:
        return _failed(f"its JSON is no answer for {moment}: {broken}")
    except _Invalid as invalid:
        return _failed(str(invalid))


def judged(moment: Moment, text: str) -> Said:
    """What a model said that was asked to answer with ``{"ok": ..., "reason": ...}``."""
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        verdict = msgspec.json.decode(bare, type=Verdict)
    except (msgspec.DecodeError, RecursionError) as broken:
        return _failed(f"the model did not answer as it was asked to: {broken}")
    if verdict.ok:
        return Said()
    if not verdict.reason.strip():
        return _failed("the model refused without a reason")
    status: HookStatus = "blocked" if moment in _BLOCKING else "stopped"
    return Said(status=status, reason=verdict.reason.strip())


def _failed(reason: str) -> Said:
    return Said(status="failed", reason=reason)


def _answered(moment: Moment, answer: _Output, text: str) -> Said:
    specific = _specific(moment, answer, text)
    _refuse_unsupported(moment, answer, specific)
    context = (specific.additional_context or "") if specific else ""
    message = answer.system_message or ""
    if not answer.goes_on:
        reason = answer.stop_reason or answer.reason or "a hook stopped it"
        return Said(status="stopped", reason=reason, message=message)
    reason = _block(moment, answer, specific)
    if reason is not None:
        if not reason.strip():
            raise _Invalid("it refused without a reason")
        return Said(status="blocked", reason=reason.strip(), context=context, message=message)
    return Said(
        allows=_allows(specific),
        updated=_updated(moment, answer, specific),
        context=context,
        message=message,
    )


def _specific(moment: Moment, answer: _Output, text: str) -> _Specific | None:
    specific = answer.hook_specific_output
    if specific is None:
        return None
    if moment not in _FIELDS:
        raise _Invalid(f"its JSON is no answer for {moment}: hookSpecificOutput")
    if specific.hook_event_name != moment:
        raise _Invalid(f"its JSON is for {specific.hook_event_name}, not for {moment}")
    whole = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    inner = msgspec.json.decode(whole["hookSpecificOutput"], type=dict[str, msgspec.Raw])
    if strange := set(inner) - _FIELDS[moment] - {"hookEventName"}:
        raise _Invalid(f"its JSON is no answer for {moment}: {', '.join(sorted(strange))}")
    return specific


def _refuse_unsupported(moment: Moment, answer: _Output, specific: _Specific | None) -> None:
    """What a hook may not ask for; leaving it out silently would make it look as if it worked."""
    strange: list[str] = []
    if answer.decision and answer.decision not in _DECISIONS.get(moment, frozenset()):
        raise _Invalid(f"its JSON is no answer for {moment}: decision")
    if answer.decision == "approve":
        strange.append("decision: approve")
    if answer.suppress_output and moment in _STRICT:
        strange.append("suppressOutput")
    if not answer.goes_on and moment in {"PreToolUse", "PermissionRequest"}:
        strange.append("continue: false")
    if specific is not None:
        strange += _unsupported(specific)
    if strange:
        raise _Invalid(f"not supported for {moment}: {', '.join(strange)}")


def _unsupported(specific: _Specific) -> list[str]:
    strange: list[str] = []
    if specific.permission_decision == "ask":
        strange.append("permissionDecision: ask")
    if _given(specific.updated_mcp_tool_output):
        strange.append("updatedMCPToolOutput")
    has_update = _given(specific.updated_input)
    if has_update and specific.permission_decision != "allow":
        strange.append("updatedInput without permissionDecision: allow")
    permission = specific.decision
    if isinstance(permission, _Permission):
        strange += [
            name
            for name, is_given in (
                ("interrupt", permission.interrupt),
                ("updatedInput", permission.updated_input is not None),
                ("updatedPermissions", permission.updated_permissions is not None),
            )
            if is_given
        ]
    return strange


def _given(value: object) -> bool:
    return value is not UNSET and value is not None


def _block(moment: Moment, answer: _Output, specific: _Specific | None) -> str | None:
    """Why it refuses; None when it does not."""
    if specific is not None and specific.permission_decision == "deny":
        return specific.permission_decision_reason or answer.reason or ""
    if specific is not None and isinstance(specific.decision, _Permission):
        permission = specific.decision
        if permission.behavior == "deny":
            return permission.message or "a hook said no"
    if answer.decision == "block" or answer.action == "block":
        if moment not in _BLOCKING:
            raise _Invalid(f"{moment} cannot be refused")
        return answer.reason or ""
    return None


def _allows(specific: _Specific | None) -> bool:
    if specific is None:
        return False
    if isinstance(specific.decision, _Permission):
        return specific.decision.behavior == "allow"
    return specific.permission_decision == "allow"


def _updated(moment: Moment, answer: _Output, specific: _Specific | None) -> object:
    if answer.action == "modify":
        if moment not in {"UserPromptSubmit", "PreToolUse", "TransformResponse"}:
            raise _Invalid(f"nothing can be modified at {moment}")
        is_text = isinstance(answer.value, str)
        if answer.value is None or is_text == (moment == "PreToolUse"):
            raise _Invalid("modify needs a value: an object for a call, else text")
        return answer.value
    if specific is None:
        return None
    for value in (specific.updated_input, specific.updated_prompt, specific.updated_response):
        if _given(value):
            return value
    return None
