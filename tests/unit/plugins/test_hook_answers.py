"""What a hook may say, by exit code and by JSON, and what is made of it."""

import itertools
from typing import Any

import msgspec
import pytest

from ouroboros.plugins.hooks.answers import Said, judged, said
from ouroboros.plugins.hooks.moments import Moment
from tests.cases import every
from tests.unit.plugins.schemas import schema, wrong

NAMES: dict[Moment, str] = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreToolUse": "pre-tool-use",
    "PermissionRequest": "permission-request",
    "PostToolUse": "post-tool-use",
    "PreCompact": "pre-compact",
    "PostCompact": "post-compact",
    "SubagentStart": "subagent-start",
    "SubagentStop": "subagent-stop",
    "Stop": "stop",
}


def spoke(moment: Moment, /, **fields: Any) -> Said:
    return said(moment, 0, msgspec.json.encode(fields).decode(), "")


def specific(moment: Moment, /, **fields: Any) -> Said:
    return spoke(moment, hookSpecificOutput={"hookEventName": moment, **fields})


@every(
    ("moment", "code", "out", "err", "status", "reason"),
    [
        ("PreToolUse", 0, "", "", "completed", ""),
        ("PreToolUse", 0, "just words", "", "completed", ""),
        ("PreToolUse", 2, "", " no \n", "blocked", "no"),
        ("PreToolUse", 2, "why", "", "failed", "it ended with code 2 and gave no reason"),
        ("PreToolUse", 1, "", "a\nb\n", "failed", "it ended with code 1: b"),
        ("PreToolUse", 137, "", "", "failed", "it ended with code 137"),
        ("SessionStart", 2, "", "no", "failed", "it ended with code 2: no"),
        ("PreCompact", 2, "", "no", "failed", "it ended with code 2: no"),
        ("Stop", 2, "", "go on", "blocked", "go on"),
        ("UserPromptSubmit", 0, "{", "", "failed", "its JSON is no answer"),
        ("UserPromptSubmit", 0, "[1]", "", "failed", "its JSON is no answer"),
        ("UserPromptSubmit", 0, '{"continue": 1}', "", "failed", "its JSON is no answer"),
        ("UserPromptSubmit", 0, '{"more": 1}', "", "failed", "its JSON is no answer"),
        ("UserPromptSubmit", 0, "[" * 100_000, "", "failed", "its JSON is no answer"),
    ],
)
def test_exit_codes_and_output(
    moment: Moment, code: int, out: str, err: str, status: str, reason: str
):
    found = said(moment, code, out, err)
    assert found.status == status
    assert found.reason.startswith(reason)


@every("moment", ["SessionStart", "UserPromptSubmit", "SubagentStart"])
def test_plain_words_are_a_context_where_the_moment_has_one(moment: Moment):
    assert said(moment, 0, " some words \n", "").context == "some words"


@every(
    ("moment", "fields"),
    [
        ("PreToolUse", {"decision": "approve"}),
        ("PreToolUse", {"continue": False}),
        ("PreToolUse", {"suppressOutput": True}),
        ("PostToolUse", {"suppressOutput": True}),
        ("PermissionRequest", {"suppressOutput": True}),
        ("PermissionRequest", {"continue": False}),
        ("PermissionRequest", {"decision": "block", "reason": "no"}),
        ("SessionStart", {"decision": "block", "reason": "no"}),
        ("Stop", {"decision": "block"}),
        ("Stop", {"decision": "block", "reason": " "}),
        ("Stop", {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "x"}}),
    ],
)
def test_what_is_not_supported_fails_and_counts_as_nothing(moment: Moment, fields: dict[str, Any]):
    found = spoke(moment, **fields)
    assert (found.status, found.allows, found.updated) == ("failed", False, None)


@every(
    ("moment", "fields"),
    [
        ("PreToolUse", {"permissionDecision": "ask"}),
        ("PreToolUse", {"permissionDecision": "deny"}),
        ("PreToolUse", {"updatedInput": {"command": "x"}}),
        ("PreToolUse", {"decision": {"behavior": "deny"}}),
        ("PermissionRequest", {"decision": {"behavior": "allow", "interrupt": True}}),
        ("PermissionRequest", {"decision": {"behavior": "allow", "updatedInput": {"a": 1}}}),
        ("PermissionRequest", {"decision": {"behavior": "allow", "updatedPermissions": []}}),
        ("PostToolUse", {"updatedMCPToolOutput": "x"}),
        ("PostToolUse", {"permissionDecision": "deny", "permissionDecisionReason": "x"}),
    ],
)
def test_what_a_moment_does_not_know_fails(moment: Moment, fields: dict[str, Any]):
    found = specific(moment, **fields)
    assert (found.status, found.allows, found.updated) == ("failed", False, None)


def test_an_answer_for_another_moment_fails():
    text = '{"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}'
    assert said("PreToolUse", 0, text, "").status == "failed"


def test_yes_no_changes_and_contexts():
    yes = specific(
        "PreToolUse", permissionDecision="allow", updatedInput={"a": 1}, additionalContext="c"
    )
    assert (yes.allows, yes.updated, yes.context) == (True, {"a": 1}, "c")
    no = specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="r")
    assert (no.status, no.reason) == ("blocked", "r")
    old = spoke("PreToolUse", decision="block", reason="r")
    assert (old.status, old.reason) == ("blocked", "r")
    allowed = specific("PermissionRequest", decision={"behavior": "allow"})
    assert allowed.allows
    denied = specific("PermissionRequest", decision={"behavior": "deny", "message": "m"})
    assert (denied.status, denied.reason) == ("blocked", "m")
    stopped = spoke("PostToolUse", **{"continue": False}, stopReason="s", systemMessage="told")
    assert (stopped.status, stopped.reason, stopped.message) == ("stopped", "s", "told")


@pytest.mark.proves("Z09", "codex-13.1", "codex-13.2")
def test_results_of_the_first_design_modify_block_and_continue():
    assert spoke("PreToolUse", action="continue") == Said()
    assert spoke("UserPromptSubmit", action="block", reason="r").status == "blocked"
    assert spoke("UserPromptSubmit", action="modify", value="new").updated == "new"
    assert spoke("PreToolUse", action="modify", value={"command": "x"}).updated == {"command": "x"}
    assert spoke("PreToolUse", action="modify", value="x").status == "failed"
    assert spoke("Stop", action="modify", value="x").status == "failed"
    assert spoke("SessionEnd", action="block", reason="r").status == "failed"


@pytest.mark.proves("Z12")
@every("moment", list(NAMES))
def test_every_answer_that_the_schema_takes_is_understood_and_no_other(moment: Moment):
    rule = schema(f"{NAMES[moment]}.command.output")
    tried = 0
    for answer in _answers(moment):
        tried += 1
        text = msgspec.json.encode(answer).decode()
        found = said(moment, 0, text, "")
        is_unknown = found.status == "failed" and found.reason.startswith("its JSON is")
        assert is_unknown == bool(wrong(answer, rule, rule)), (text, found)
    assert tried > 50


def _answers(moment: Moment):
    """Answers of many shapes, of which some fit."""
    tops: list[dict[str, Any]] = [
        {},
        {"continue": False, "stopReason": "s"},
        {"systemMessage": "m", "suppressOutput": False},
        {"decision": "block", "reason": "r"},
        {"decision": "approve"},
        {"decision": "perhaps"},
        {"continue": "no"},
        {"strange": 1},
    ]
    inner: list[dict[str, Any] | None] = [
        None,
        {"additionalContext": "c"},
        {"permissionDecision": "allow"},
        {"permissionDecision": "maybe"},
        {"permissionDecision": "deny", "permissionDecisionReason": "r"},
        {"decision": {"behavior": "allow"}},
        {"decision": {"behavior": "perhaps"}},
        {"decision": {"behavior": "deny", "message": "m", "more": 1}},
        {"updatedMCPToolOutput": {"x": 1}},
        {"strange": 1},
        {},
    ]
    for top, more in itertools.product(tops, inner):
        if more is None:
            yield top
        else:
            yield {**top, "hookSpecificOutput": {"hookEventName": moment, **more}}


@pytest.mark.proves("Z12")
@every(
    ("text", "status"),
    [
        ('{"ok": true}', "completed"),
        ('```json\n{"ok": false, "reason": "r"}\n```', "blocked"),
        ('{"ok": false}', "failed"),
        ('{"ok": "yes"}', "failed"),
        ('{"ok": true, "more": 1}', "failed"),
        ("yes", "failed"),
        ("", "failed"),
    ],
)
def test_a_models_answer_is_strict(text: str, status: str):
    assert judged("PreToolUse", text).status == status
