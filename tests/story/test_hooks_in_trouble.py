"""Hooks that come with a folder, that misbehave, and that hear of everything a session does."""

import os
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.config import trust
from ouroboros.app.config.layers import Loaded, load
from ouroboros.app.hooks import offline
from ouroboros.core.commands import Compact, Interrupt, Rewind, Steer
from ouroboros.core.errors import ModelFailed
from ouroboros.core.events import PermissionRequested, TaskCompleted, ToolResulted
from ouroboros.core.events.hooks import HookFinished, HookStarted
from ouroboros.llm.turns import Turn
from tests.leftovers import left
from tests.story.rlm_stage import block, rlm_stage
from tests.story.stage import call, stage
from tests.story.test_hooks import DONE, ends, hook, said, shell
from tests.unit.plugins.schemas import schema, wrong
from tests.unit.plugins.test_hook_answers import NAMES


def kept(folder: Path) -> str:
    """A command that keeps what it reads, one line each."""
    return f"cat >> {folder}/seen.jsonl; echo >> {folder}/seen.jsonl"


def seen(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "seen.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines if line]


@pytest.mark.proves("Z06", "divergences-hooks-of-write-stdin")
async def test_every_moment_is_told_in_order_by_codexs_schemas(tmp_path: Path):
    names = (
        *("SessionStart", "beforeInbound", "beforeToolCall", "PermissionRequest", "PostToolUse"),
        *("beforeOutbound", "transformResponse", "PreCompact", "PostCompact", "onSessionEnd"),
    )
    hooks = {name: hook(kept(tmp_path)) for name in names}
    turns = [shell("python3 -c 'print(1)'"), DONE, Turn(text="A summary."), DONE]
    async with stage(tmp_path, turns, hooks=hooks, mode="ask") as s:
        await s.run()
        await s.session.send(Compact())
        await s.run("Again.")
    told = seen(tmp_path)
    assert [each["hook_event_name"] for each in told] == [
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest"),
        *("Stop", "TransformResponse", "PreCompact", "PostCompact"),
        *("SessionStart", "UserPromptSubmit", "Stop", "TransformResponse", "SessionEnd"),
    ]
    assert [each["source"] for each in told if "source" in each] == ["startup", "compact"]
    for each in told:
        if name := NAMES.get(each["hook_event_name"]):
            rule = schema(f"{name}.command.input")
            assert wrong(each, rule, rule) == [], each


@pytest.mark.deep
async def test_a_call_is_told_with_its_answer(tmp_path: Path):
    hooks = {name: hook(kept(tmp_path)) for name in ("PreToolUse", "PostToolUse")}
    async with stage(tmp_path, [shell("echo hello"), DONE], hooks=hooks) as s:
        await s.run()
    before, after = seen(tmp_path)
    assert (before["tool_name"], before["tool_input"]) == ("Bash", {"command": "echo hello"})
    assert before["permission_mode"] == "bypassPermissions"
    assert before["tool_use_id"] == after["tool_use_id"]
    assert "hello" in after["tool_response"]
    for name, each in (("pre-tool-use", before), ("post-tool-use", after)):
        rule = schema(f"{name}.command.input")
        assert wrong(each, rule, rule) == []


async def test_a_summary_can_be_stopped(tmp_path: Path):
    stop = """printf '%s' '{"continue": false, "stopReason": "not now"}'"""
    hooks = {"PreCompact": hook(stop, "manual")}
    async with stage(tmp_path, [DONE], hooks=hooks) as s:
        await s.run()
        with pytest.raises(ModelFailed, match="not now"):
            await s.session.send(Compact())
        assert len(s.server.exchanges) == 1


@pytest.mark.deep
async def test_a_cleared_conversation_begins_anew(tmp_path: Path):
    hooks = {"SessionStart": hook(kept(tmp_path), "clear|resume")}
    async with stage(tmp_path, [DONE, DONE], hooks=hooks, check=False) as s:
        await s.run()
        words = next(each.id for each in s.session.history() if each.kind == "plain")
        await s.session.send(Rewind(message_id=words))
        await s.run("Anew.")
    assert [each["source"] for each in seen(tmp_path)] == ["clear"]


@pytest.mark.deep
@pytest.mark.proves("codex-13.3", "codex-13.4", "codex-13.7")
async def test_long_contexts_are_kept_beside_and_shown_in_part(tmp_path: Path):
    long = "python3 -c \"print('begin ' + 'x' * 20000 + ' end')\""
    async with stage(tmp_path, [DONE], hooks={"UserPromptSubmit": hook(long)}) as s:
        await s.run()
        text = said(s)
        assert len(text) < 14_000
        assert "begin xxx" in text
        assert "xxx end" in text
        path = text.partition("the whole is in ")[2].partition(" ")[0]
        assert len(await anyio.Path(path).read_bytes()) == 20_010


@pytest.mark.proves("permissions-hooks-attacks")
async def test_a_key_that_a_hook_prints_reaches_nobody(tmp_path: Path):
    secret = "sk-ant-api03-" + "k3Y9x" * 18
    hooks = {
        "UserPromptSubmit": hook(f"echo {secret}"),
        "PreToolUse": hook(f"echo {secret} >&2; exit 2"),
    }
    environment = {"MY_TOOL_TOKEN": secret, "PLAIN": "word"}
    show = hook(f'echo "[$MY_TOOL_TOKEN] $PLAIN" > {tmp_path}/env')
    hooks["UserPromptSubmit"] += show
    async with stage(tmp_path, [shell("echo x"), DONE], hooks=hooks, environment=environment) as s:
        await s.run()
        assert secret not in said(s)
        assert all(secret not in str(each) for each in s.shown)
    assert (tmp_path / "env").read_text() == "[] word\n"
    for path in (tmp_path / "home").rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


@pytest.mark.deep
@pytest.mark.proves("permissions-hooks-attacks")
async def test_a_flood_and_what_it_started_are_ended(tmp_path: Path):
    flood = hook("yes flooding-the-hook")
    forks = hook("(setsid sleep 60 &) ; sleep 60", timeout=1)
    hooks = {"PreToolUse": [*flood, *forks]}
    async with stage(tmp_path, [shell("echo x"), DONE], hooks=hooks) as s:
        await s.run()
        texts = {each.text for each in s.events(HookFinished)}
        assert texts == {"it printed more than 16,777,216 bytes", "it took longer than 1 s"}
        assert next(iter(s.results.values())).status == "done"
        assert left(tmp_path, descent=False) == {}


@pytest.mark.proves("permissions-hooks-attacks")
async def test_a_stop_ends_a_hook_that_never_ends(tmp_path: Path):
    hooks = {"PreToolUse": hook("sleep 60")}
    async with stage(tmp_path, [shell("echo x"), DONE], hooks=hooks) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(HookStarted)
            await s.session.send(Interrupt())
        assert ends(s) == [("PreToolUse", "cancelled")]
        assert s.events(ToolResulted)[0].status == "cancelled"
        assert left(tmp_path, descent=False) == {}


@pytest.mark.deep
async def test_words_that_no_hook_let_through_are_not_kept_by_a_stop(tmp_path: Path):
    hooks = {"UserPromptSubmit": hook(f"[ -e {tmp_path}/go ] || sleep 60")}
    async with stage(tmp_path, [DONE], hooks=hooks) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Unheard words.")
            await s.until(HookStarted)
            await s.session.send(Interrupt())
        (tmp_path / "go").touch()
        await s.run("Heard words.")
        assert "Heard words." in said(s)
        assert "Unheard words." not in said(s)


@pytest.mark.deep
@pytest.mark.proves("permissions-hooks-attacks")
async def test_a_hook_beside_the_session_is_not_waited_for_and_ends_with_it(tmp_path: Path):
    command = f"echo ignored; echo no >&2; touch {tmp_path}/began; sleep 60; exit 2"
    hooks = {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": command, "async": True}]}]
    }
    async with stage(tmp_path, [DONE], hooks=hooks) as s:
        assert (await s.run()).reason == "completed"
        await s.until(HookStarted)
        assert ends(s) == []
        assert "ignored" not in said(s)
    assert left(tmp_path, descent=False) == {}


@pytest.mark.deep
async def test_words_during_a_run_are_heard_by_hooks_too(tmp_path: Path):
    refuse = hook("grep -q forbidden && { echo never >&2; exit 2; } || exit 0")
    hooks = {
        "UserPromptSubmit": refuse,
        "PreToolUse": hook(f"until [ -e {tmp_path}/go ]; do sleep 0.02; done"),
    }
    async with stage(tmp_path, [shell("echo x"), DONE], hooks=hooks) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(HookStarted, 2)
            await s.session.send(Steer(text="forbidden words"))
            await s.session.send(Steer(text="other words"))
            (tmp_path / "go").touch()
        assert "other words" in said(s)
        assert "forbidden" not in said(s)


@pytest.mark.deep
@pytest.mark.proves("codex-4.4")
async def test_stop_hooks_cannot_go_on_for_ever(tmp_path: Path):
    turns = [Turn(text=f"Reply {number}.") for number in range(26)]
    async with stage(tmp_path, turns, hooks={"Stop": hook("echo more >&2; exit 2")}) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "Reply 25.")
        assert len(s.events(TaskCompleted)) == 1


@pytest.mark.proves("E21")
async def test_a_hooks_yes_does_not_count_after_text_from_outside(tmp_path: Path):
    yes = """printf '%s' '{"hookSpecificOutput":{"hookEventName":"NAME",MORE}}'"""
    pre = yes.replace("NAME", "PreToolUse").replace("MORE", '"permissionDecision":"allow"')
    ask = yes.replace("NAME", "PermissionRequest").replace(
        "MORE", '"decision":{"behavior":"allow"}'
    )
    hooks = {"PreToolUse": hook(pre), "PermissionRequest": hook(ask)}
    turns = [
        Turn(tool_calls=(call("read", path="AGENTS.md"),)),
        Turn(tool_calls=(call("shell", command="git push origin main"),)),
        DONE,
    ]
    async with stage(tmp_path, turns, hooks=hooks) as s:
        (s.cwd / "AGENTS.md").write_text("Read by a stranger.\n")
        s.session.state.taint(("web page",))
        await s.run()
        (question,) = s.events(PermissionRequested)
        assert question.sources
        assert list(s.results.values())[1].status == "denied"


def project(tmp_path: Path, script: str = "exit 0") -> tuple[Path, dict[str, str]]:
    """A folder that brings a hook, and the variables of a person who works there."""
    folder = tmp_path / "work"
    own = folder / ".ouroboros"
    (own / "hooks").mkdir(parents=True)
    (own / "hooks" / "check.sh").write_text(f"touch {tmp_path}/ran\n{script}\n")
    handler = {"type": "command", "command": "sh .ouroboros/hooks/check.sh"}
    table = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}
    (own / "hooks.json").write_bytes(msgspec.json.encode(table))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "OUROBOROS_HOME": str(tmp_path / "home"),
    }
    return folder, environment


@pytest.mark.deep
@pytest.mark.proves("codex-13.8", "W07")
async def test_a_projects_hook_runs_once_folder_and_hook_are_trusted(tmp_path: Path):
    folder, environment = project(tmp_path)
    home = tmp_path / "home"
    verdicts: list[str] = []
    for step in ("nothing", "folder", "hook"):

        def decide(step: str = step) -> Loaded:
            if step == "folder":
                trust.grant(home, trust.read(folder, home))
            loaded = load(folder, environment, {})
            if step == "hook":
                offline.trust(home, offline.waiting(loaded))
            verdicts.extend(each.verdict for each in offline.listed(loaded)[0])
            return loaded

        loaded = await to_thread.run_sync(decide)
        async with stage(tmp_path, [shell("echo x"), DONE], hooks_of=loaded) as s:
            await s.run()
            assert bool(s.events(HookFinished)) is (step == "hook")
            assert (tmp_path / "ran").exists() is (step == "hook")
    assert verdicts == ["folder not trusted", "not trusted", "active"]


@pytest.mark.deep
@pytest.mark.proves("codex-13.8", "W07")
async def test_a_script_that_is_changed_meanwhile_runs_no_more(tmp_path: Path):
    folder, environment = project(tmp_path)
    home = tmp_path / "home"

    def decide() -> Loaded:
        trust.grant(home, trust.read(folder, home))
        loaded = load(folder, environment, {})
        offline.trust(home, offline.waiting(loaded))
        return loaded

    loaded = await to_thread.run_sync(decide)
    turns = [shell("echo one"), DONE, shell("echo two"), DONE]
    async with stage(tmp_path, turns, hooks_of=loaded) as s:
        await s.run()
        assert ends(s) == [("PreToolUse", "completed")]
        (tmp_path / "ran").unlink()
        (folder / ".ouroboros" / "hooks" / "check.sh").write_text(f"touch {tmp_path}/ran\n# else\n")
        await s.run("Again.")
        assert ends(s)[-1] == ("PreToolUse", "failed")
        assert "changed since you trusted it" in s.events(HookFinished)[-1].text
        assert not (tmp_path / "ran").exists()


@pytest.mark.proves("codex-13.8", "W07")
def test_a_changed_definition_has_to_be_trusted_again(tmp_path: Path):
    folder, environment = project(tmp_path)
    home = tmp_path / "home"
    trust.grant(home, trust.read(folder, home))
    offline.trust(home, offline.waiting(load(folder, environment, {})))
    path = folder / ".ouroboros" / "hooks.json"
    path.write_bytes(path.read_bytes().replace(b"check.sh", b"check.sh; curl x"))
    trust.grant(home, trust.read(folder, home))
    found, warnings = offline.listed(load(folder, environment, {}))
    assert [each.verdict for each in found] == ["changed"]
    assert "changed since you trusted them" in warnings[0]


@pytest.mark.deep
@pytest.mark.proves("permissions-hooks-attacks")
async def test_a_run_that_writes_code_has_hooks_too(tmp_path: Path):
    hooks = {
        "PreToolUse": hook("echo no files >&2; exit 2", "read"),
        "Stop": hook(
            f"[ -e {tmp_path}/again ] || {{ touch {tmp_path}/again; echo say two >&2; exit 2; }}"
        ),
        "SessionStart": hook("echo a word of mine"),
        "SubagentStart": hook(kept(tmp_path)),
        "SubagentStop": hook(kept(tmp_path)),
    }
    turns = [
        block("let r; try { r = await read('a.txt') } catch (e) { r = e.message }; console.log(r)"),
        block("setFinal(await llm_query('One?', 'x'))"),
        Turn(text="One."),
        block("setFinal('Two.')"),
    ]
    async with rlm_stage(tmp_path, turns, hooks=hooks) as s:
        (s.cwd / "a.txt").write_text("hello\n")
        outcome = await s.run()
        assert outcome.final == "Two."
        assert {("Stop", "blocked"), ("PreToolUse", "blocked")} <= set(ends(s))
        assert "a word of mine" in s.server.exchanges[0].body
        bodies = [exchange.body for exchange in s.server.exchanges]
        assert "say two" in bodies[-1]
    told = [each for each in seen(tmp_path) if each["hook_event_name"].startswith("Subagent")]
    assert sorted(each["hook_event_name"] for each in told) == ["SubagentStart", "SubagentStop"]
    for each in told:
        rule = schema(f"{NAMES[each['hook_event_name']]}.command.input")
        assert wrong(each, rule, rule) == []
