"""Programs of the person around a session: real shells, what they may say, and what the model then sees."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from ouroboros.core.commands import Approve
from ouroboros.core.events import (
    PermissionAnswered,
    PermissionBlocked,
    PermissionRequested,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    UserMessage,
)
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.events.hooks import HookFinished, HookStarted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

DONE = Turn(text="All done.")


def shell(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


def hook(command: str, matcher: str = "", **more: Any) -> list[dict[str, Any]]:
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}]


def answer(event: str, **specific: Any) -> str:
    text = msgspec.json.encode({"hookSpecificOutput": {"hookEventName": event, **specific}})
    return f"cat > /dev/null; printf '%s' '{text.decode()}'"


def ends(s: Stage) -> list[tuple[str, str]]:
    return [(each.event, each.status) for each in s.events(HookFinished)]


def said(s: Stage, number: int = -1) -> str:
    return msgspec.json.encode(s.body(number)["messages"]).decode()


@pytest.mark.proves("Z09", "codex-13.1", "codex-13.2")
async def test_exit_code_2_blocks_a_command_and_the_model_reads_why(tmp_path: Path):
    hooks = {"PreToolUse": hook("echo not on a Friday >&2; exit 2", "Bash")}
    async with stage(tmp_path, [shell("touch made"), DONE], hooks=hooks) as s:
        await s.run()
        (result,) = s.results.values()
        assert result.status == "denied"
        assert "Command blocked by PreToolUse hook: not on a Friday. Command: touch made" in said(s)
        assert not (s.cwd / "made").exists()
        assert s.events(PermissionBlocked)[0].rule == "hook"
        assert ends(s) == [("PreToolUse", "blocked")]
        assert s.events(HookStarted)[0].call_id == result.call_id


@pytest.mark.deep
@pytest.mark.proves("Z09", "codex-13.1", "codex-13.2")
async def test_updated_input_is_what_runs(tmp_path: Path):
    changed = answer(
        "PreToolUse", permissionDecision="allow", updatedInput={"command": "echo other"}
    )
    async with stage(
        tmp_path, [shell("echo first"), DONE], hooks={"PreToolUse": hook(changed)}
    ) as s:
        await s.run()
        (result,) = s.results.values()
        text = "".join(part.text for part in result.parts if isinstance(part, Text))
        assert ("other" in text, "first" in text) == (True, False)
        assert "hooks:changed" in s.events(ToolAttempted)[0].steps


@pytest.mark.proves("E21")
async def test_what_a_hook_wrote_is_judged_like_the_models_own(tmp_path: Path):
    changed = answer(
        "PreToolUse", permissionDecision="allow", updatedInput={"command": "rm -rf keep"}
    )
    permissions = {"deny": ["Bash(rm:*)"]}
    async with stage(
        tmp_path,
        [shell("echo first"), DONE],
        hooks={"PreToolUse": hook(changed)},
        permissions=permissions,
    ) as s:
        (s.cwd / "keep").mkdir()
        await s.run()
        assert [each.rule for each in s.events(PermissionBlocked)] == ["Bash(rm:*)"]
        assert (s.cwd / "keep").exists()


@pytest.mark.deep
@pytest.mark.proves("Z07", "codex-13.5", "codex-13.6")
async def test_a_crash_and_a_late_hook_count_as_nothing_said(tmp_path: Path):
    hooks = {"PreToolUse": [*hook("echo oops >&2; exit 1"), *hook("sleep 60", timeout=1)]}
    async with stage(tmp_path, [shell("echo ran"), DONE], hooks=hooks) as s:
        await s.run()
        assert next(iter(s.results.values())).status == "done"
        failed = {each.text for each in s.events(HookFinished) if each.status == "failed"}
        assert failed == {"it ended with code 1: oops", "it took longer than 1 s"}


async def test_contexts_stand_before_and_after_the_words(tmp_path: Path):
    hooks = {"SessionStart": hook("echo at the start"), "UserPromptSubmit": hook("echo at words")}
    async with stage(tmp_path, [DONE, DONE], hooks=hooks) as s:
        await s.run("Do it.")
        await s.run("And again.")
        text = said(s)
        order = [text.index(each) for each in ("at the start", "Do it.", "at words", "And again.")]
        assert order == sorted(order)
        assert text.count("at the start") == 1
        assert text.count("at words") == 2


@pytest.mark.proves("Z09", "codex-13.1", "codex-13.2")
async def test_refused_words_reach_neither_record_nor_model(tmp_path: Path):
    hooks = {
        "UserPromptSubmit": hook("grep -q magic && { echo no magic here >&2; exit 2; } || true")
    }
    async with stage(tmp_path, [DONE], hooks=hooks) as s:
        refused = await s.run("Use magic.")
        assert (refused.reason, refused.exit_code) == ("failed", 1)
        assert s.server.exchanges == []
        assert not any("magic" in each.message.text for each in s.events(UserMessage))
        assert s.events(HookFinished)[0].text == "no magic here"
        again = await s.run("Use care.")
        assert again.reason == "completed"
        assert "magic" not in said(s)


@pytest.mark.proves("codex-4.4")
async def test_a_stop_hook_sends_the_model_back_once(tmp_path: Path):
    command = (
        'python3 -c "import json,sys; d=json.load(sys.stdin); '
        "print('run the tests', file=sys.stderr) or sys.exit(2) if not d['stop_hook_active'] else 0\""
    )
    async with stage(
        tmp_path, [Turn(text="First."), Turn(text="Second.")], hooks={"Stop": hook(command)}
    ) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "Second.")
        assert '<hook_prompt hook_run_id=\\"stop:1:session\\">run the tests</hook_prompt>' in said(
            s
        )
        assert ends(s) == [("Stop", "blocked"), ("Stop", "completed")]


@pytest.mark.deep
async def test_a_blocked_result_is_replaced_by_the_reason(tmp_path: Path):
    hooks = {"PostToolUse": hook("echo do not look >&2; exit 2", "Bash")}
    async with stage(tmp_path, [shell("echo hidden-word"), DONE], hooks=hooks) as s:
        await s.run()
        assert "do not look" in said(s)
        (result,) = s.results.values()
        assert result.parts == (Text(text="do not look"),)


@pytest.mark.proves("Z07", "codex-13.5", "codex-13.6")
async def test_a_permission_hook_answers_before_the_person(tmp_path: Path):
    allow = answer("PermissionRequest", decision={"behavior": "allow"})
    deny = answer("PermissionRequest", decision={"behavior": "deny", "message": "not today"})
    broken = answer("PermissionRequest", decision={"behavior": "allow", "interrupt": True})
    for name, command, decider, allowed in (
        ("yes", [*hook(allow)], "hook", True),
        ("no", [*hook(allow), *hook(deny)], "hook", False),
        ("broken", [*hook(broken)], "nobody", False),
        ("crash", [*hook("exit 1")], "nobody", False),
    ):
        (tmp_path / name).mkdir()
        async with stage(
            tmp_path / name,
            [shell("python3 -c 'print(1)'"), DONE],
            hooks={"PermissionRequest": command},
            mode="ask",
        ) as s:
            await s.run()
            (found,) = s.events(PermissionAnswered)
            assert (found.decider, found.allowed) == (decider, allowed), name


@pytest.mark.deep
async def test_continue_false_ends_the_turn_after_the_call(tmp_path: Path):
    stop = """printf '%s' '{"continue": false, "stopReason": "enough"}'"""
    async with stage(
        tmp_path, [shell("echo one"), shell("echo two"), DONE], hooks={"PostToolUse": hook(stop)}
    ) as s:
        outcome = await s.run()
        assert outcome.reason == "cancelled"
        assert s.events(TaskCancelled)[0].reason == "a hook stopped it: enough"
        assert len(s.results) == 1
        assert next(iter(s.results.values())).status == "done"


@pytest.mark.proves("Z06")
async def test_an_answer_may_be_transformed(tmp_path: Path):
    hooks = {"transformResponse": hook("""printf '%s' '{"action":"modify","value":"In short."}'""")}
    async with stage(tmp_path, [DONE], hooks=hooks) as s:
        assert (await s.run()).final == "In short."
        assert s.events(TaskCompleted)[0].final == "In short."


def judge(kind: str, prompt: str, matcher: str = "") -> list[dict[str, Any]]:
    return [{"matcher": matcher, "hooks": [{"type": kind, "prompt": prompt}]}]


@pytest.mark.proves("Z12", "divergences-hooks-that-are-async-prompt")
@every(
    ("verdict", "status", "result"),
    [
        ('{"ok": false, "reason": "it deletes"}', "blocked", "denied"),
        ('{"ok": true}', "completed", "done"),
        ("Looks fine to me.", "failed", "done"),
        ('{"ok": false}', "failed", "done"),
    ],
)
async def test_a_model_answers_a_hook_with_strict_json(
    tmp_path: Path, verdict: str, status: str, result: str
):
    turns = [shell("echo x"), Turn(text=verdict), DONE]
    hooks = {"PreToolUse": judge("prompt", "Is this safe? $ARGUMENTS")}
    async with stage(tmp_path, turns, hooks=hooks, check=False) as s:
        await s.run()
        assert [each.status for each in s.events(HookFinished)] == [status]
        assert next(iter(s.results.values())).status == result
        asked = said(s, 1)
        assert "Is this safe?" in asked
        assert "echo x" in asked
        assert any(each.child == "hook" for each in s.events(SubagentReplied))


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_an_agent_looks_at_the_files_and_changes_nothing(tmp_path: Path):
    turns = [
        Turn(text="Finished."),
        Turn(tool_calls=(call("read", path="state.txt"), call("write", path="x", content="y"))),
        Turn(text='{"ok": false, "reason": "state.txt says open"}'),
        Turn(text="Now it is closed."),
        Turn(text='{"ok": true}'),
    ]
    hooks = {"Stop": judge("agent", "Is the work done? Read state.txt.")}
    async with stage(tmp_path, turns, hooks=hooks, check=False) as s:
        (s.cwd / "state.txt").write_text("open\n")
        outcome = await s.run()
        assert outcome.final == "Now it is closed."
        assert not (s.cwd / "x").exists()
        assert "open" in said(s, 2)
        assert "state.txt says open" in said(s, 3)
        assert ends(s) == [("Stop", "blocked"), ("Stop", "completed")]


@pytest.mark.deep
@pytest.mark.proves("E21")
async def test_a_yes_before_a_call_takes_the_place_of_the_question(tmp_path: Path):
    yes = answer("PreToolUse", permissionDecision="allow")
    turns = [shell("python3 -c 'print(1)'"), shell("python3 -c 'print(2)'"), DONE]
    async with stage(
        tmp_path, turns, hooks={"PreToolUse": hook(yes)}, mode="ask", limits={"actions_per_hour": 1}
    ) as s:
        await s.run()
        assert [each.status for each in s.results.values()] == ["done", "done"]
        assert {each.decision for each in s.events(ToolAttempted)} == {"hook:allowed"}
        assert s.events(PermissionAnswered) == []


@pytest.mark.deep
@pytest.mark.proves("E21")
async def test_a_limit_on_what_happens_unasked_is_not_beaten_by_a_hook(tmp_path: Path):
    hooks = {
        "PreToolUse": hook(answer("PreToolUse", permissionDecision="allow")),
        "PermissionRequest": hook(answer("PermissionRequest", decision={"behavior": "allow"})),
    }
    turns = [shell("touch one"), shell("touch two"), DONE]
    async with stage(tmp_path, turns, hooks=hooks, limits={"actions_per_hour": 1}) as s:
        await s.run()
        assert [each.status for each in s.results.values()] == ["done", "denied"]


@pytest.mark.deep
@pytest.mark.proves("E21")
async def test_what_a_person_writes_instead_is_shown_to_hooks_again(tmp_path: Path):
    refuse = "grep -q secret && { echo never that >&2; exit 2; } || exit 0"
    async with stage(
        tmp_path,
        [shell("python3 -c 'print(1)'"), DONE],
        hooks={"PreToolUse": hook(refuse)},
        mode="ask",
        interactive=True,
    ) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            question = s.events(PermissionRequested)[0]
            await s.session.send(Approve(request_id=question.request_id, input="cat secret"))
        assert next(iter(s.results.values())).status == "denied"
        assert "never that" in said(s)
        assert ends(s) == [("PreToolUse", "completed"), ("PreToolUse", "blocked")]


@pytest.mark.deep
@pytest.mark.proves("Z07", "codex-13.5", "codex-13.6")
async def test_a_folder_that_is_gone_fails_the_hook_and_not_the_run(tmp_path: Path):
    hooks = {"Stop": hook("exit 0"), "PreToolUse": hook('rmdir "$OUROBOROS_PROJECT_DIR"')}
    async with stage(tmp_path, [shell("echo x"), DONE], hooks=hooks) as s:
        outcome = await s.run()
        assert outcome.reason == "completed"
        assert ends(s)[-1] == ("Stop", "failed")
