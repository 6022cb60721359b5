"""What a hook changes of a call is not said yes to by that."""

from pathlib import Path

import pytest

from ouroboros.core.events import PermissionAnswered, ToolAttempted
from tests.cases import every
from tests.story.stage import stage
from tests.story.test_hooks import DONE, answer, hook, shell

CHANGED = """printf '%s' '{"action":"modify","value":{"command":"python3 -c 1"}}'"""
YES = answer("PreToolUse", permissionDecision="allow")


@pytest.mark.proves("Z07", "E21")
@every(
    ("commands", "deciders", "decisions"),
    [((CHANGED,), ["nobody"], []), ((CHANGED, YES), [], ["hook:allowed"])],
)
async def test_a_call_that_a_hook_changed_is_asked_about_unless_one_said_yes(
    tmp_path: Path, commands: tuple[str, ...], deciders: list[str], decisions: list[str]
):
    hooks = {"PreToolUse": [each for command in commands for each in hook(command)]}
    async with stage(tmp_path, [shell("echo first"), DONE], hooks=hooks, mode="ask") as s:
        await s.run()
        assert [each.decider for each in s.events(PermissionAnswered)] == deciders
        assert [each.decision for each in s.events(ToolAttempted)] == decisions
