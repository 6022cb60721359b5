"""codex's approval policies in whole runs: what is asked, what runs, and how often."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny, Submit
from ouroboros.core.events import PermissionAnswered, PermissionRequested, TaskCompleted
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

DONE = Turn(text="done")


def run(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


@asynccontextmanager
async def held(
    tmp_path: Path,
    policy: str,
    *commands: str,
    interactive: bool = False,
    first: Turn | None = None,
    **more: Any,
) -> AsyncGenerator[tuple[Stage, Path]]:
    """A session whose commands may write in the workspace only, and a folder outside of it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    sandbox = {"exclude_tmp": True, **more.pop("sandbox", {})}
    turns = [*([first] if first else []), *map(run, commands), DONE]
    async with stage(
        tmp_path, turns, interactive=interactive, approval_policy=policy, sandbox=sandbox, **more
    ) as s:
        yield s, outside


async def answered(s: Stage, *, yes: bool = True) -> None:
    """Says something, and answers the one question that comes up."""
    async with anyio.create_task_group() as group:
        group.start_soon(s.session.send, Submit(text="go"))
        await s.until(PermissionRequested)
        id = s.events(PermissionRequested)[-1].request_id
        await s.session.send(Approve(request_id=id) if yes else Deny(request_id=id))
        await s.until(TaskCompleted)


def statuses(s: Stage) -> list[str]:
    return [result.status for result in s.results.values()]


# C7.1, C7.3
ROWS = [
    ("untrusted", "touch a", "denied", 1),
    ("on-failure", "touch a", "done", 0),
    ("on-request", "rm -rf a", "denied", 1),
    ("never", "rm -rf a", "denied", 0),
]
MORE = [
    ("untrusted", "ls", "done", 0),
    ("on-request", "touch a", "done", 0),
    ("never", "touch a", "done", 0),
    ("granular", "touch a", "done", 0),
    ("on-failure", "rm -rf a", "denied", 1),
]


@pytest.mark.deep
@pytest.mark.proves("codex-7.3", "codex-7.4")
@pytest.mark.parametrize("rows", [ROWS, pytest.param(MORE, marks=pytest.mark.deep)])
async def test_what_a_policy_lets_run(
    tmp_path: Path, rows: list[tuple[str, str, str, int]]
) -> None:
    found: list[tuple[str, str, str, int]] = []
    for number, (policy, command, _, _) in enumerate(rows):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with held(folder, policy, command, "ls") as (s, _):
            await s.run()
            status, last = statuses(s)
            assert last == "done"
            found.append((policy, command, status, s.types.count("permission.requested")))
    assert found == rows


# C7.4
@pytest.mark.proves("codex-7.3", "codex-7.4")
async def test_with_everything_open_never_runs_what_is_dangerous(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a").mkdir()
    open_ = {"mode": "danger-full-access"}
    async with held(tmp_path, "never", "rm -rf a", sandbox=open_) as (s, _):
        await s.run()

        assert not (s.cwd / "a").exists()
        assert s.events(PermissionRequested) == []


# C8.1
@pytest.mark.deep
@pytest.mark.proves("codex-8.1")
@every("allowed", [True, False])
async def test_on_failure_asks_once_when_the_sandbox_stopped_it(
    tmp_path: Path, allowed: bool
) -> None:
    async with held(tmp_path, "on-failure", "touch ../outside/f", interactive=True) as (s, outside):
        await answered(s, yes=allowed)

        assert len(s.events(PermissionRequested)) == 1
        assert (outside / "f").exists() is allowed
        assert statuses(s) == ["done" if allowed else "denied"]


# C8.2
@pytest.mark.deep
@pytest.mark.proves("codex-8.2")
async def test_on_request_tells_the_model_what_the_sandbox_stopped(tmp_path: Path) -> None:
    async with held(tmp_path, "on-request", "touch ../outside/f", interactive=True) as (s, outside):
        await s.run()

        assert s.events(PermissionRequested) == []
        assert not (outside / "f").exists()
        (result,) = s.results.values()
        assert result.status == "failed"
        assert "ermission denied" in str(result.parts) or "ead-only" in str(result.parts)


# C8.3
@pytest.mark.deep
@pytest.mark.proves("codex-8.3")
async def test_untrusted_asks_once_for_a_command_that_the_sandbox_stops_after_the_yes(
    tmp_path: Path,
) -> None:
    async with held(tmp_path, "untrusted", "touch ../outside/f", interactive=True) as (s, outside):
        await answered(s)

        assert len(s.events(PermissionRequested)) == 1
        assert (outside / "f").exists()


# C8.4
@pytest.mark.deep
@pytest.mark.proves("F05", "codex-8.4")
@every("policy", ["untrusted", "on-failure"])
async def test_a_command_runs_twice_at_most(tmp_path: Path, policy: str) -> None:
    command = "echo x >> count; touch ../outside/f; touch /proc/no/such"
    async with held(tmp_path, policy, command, interactive=True) as (s, outside):
        await answered(s)

        assert (s.cwd / "count").read_text(encoding="utf-8") == "x\nx\n"
        assert (outside / "f").exists()
        assert len(s.events(PermissionAnswered)) == 1


@pytest.mark.deep
async def test_a_policy_file_lets_a_command_out_of_the_sandbox(tmp_path: Path) -> None:
    rules = tmp_path / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "x.rules").write_text('prefix_rule(["touch", "../outside/f"])', encoding="utf-8")
    async with held(tmp_path, "never", "touch ../outside/f", "touch ../outside/g") as (s, outside):
        await s.run()

        assert [path.name for path in outside.iterdir()] == ["f"]


@pytest.mark.proves("E23", "divergences-broken-policy-file")
async def test_a_broken_policy_file_is_told_and_asks_about_everything(tmp_path: Path) -> None:
    rules = tmp_path / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "x.rules").write_text('prefix_rule(["rm"], "forbidden", why=1)', encoding="utf-8")
    async with stage(tmp_path, [run("ls"), DONE], mode="full-auto") as s:
        outcome = await s.run()

        assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)
        assert statuses(s) == ["denied"]
        assert any("x.rules:1:1" in warning for warning in s.session.warnings)
        assert "x.rules:1:1" in s.events(PermissionRequested)[0].reason


# C9.4
@pytest.mark.proves("codex-9.4")
async def test_a_yes_for_good_is_a_line_in_the_policy_file_and_later_calls_are_not_asked(
    tmp_path: Path,
) -> None:
    turns = [run("git pull"), run("git pull"), run("git pull --rebase"), run("git fetch"), DONE]
    file = tmp_path / "home" / "rules" / "default.rules"
    async with (
        stage(tmp_path, turns, mode="ask", interactive=True) as s,
        anyio.create_task_group() as group,
    ):
        group.start_soon(s.session.send, Submit(text="go"))
        await s.until(PermissionRequested)
        (asked,) = s.events(PermissionRequested)
        assert asked.amendment == ("git", "pull")
        assert "policy" in asked.scopes
        await s.session.send(Approve(request_id=asked.request_id, scope="policy"))
        await s.until(PermissionRequested, 2)
        second = s.events(PermissionRequested)[-1]
        assert second.input == "git fetch"
        await s.session.send(Deny(request_id=second.request_id))
        await s.until(TaskCompleted)
    assert file.read_text(encoding="utf-8") == (
        'prefix_rule(pattern=["git", "pull"], decision="allow")\n'
    )

    async with stage(tmp_path, [run("git pull"), DONE], mode="ask") as later:
        await later.run()
        assert later.events(PermissionRequested) == []


# C2.8
@pytest.mark.deep
@pytest.mark.proves("codex-2.8")
@every("policy", ["never", "untrusted", "on-failure"])
async def test_leaving_the_sandbox_is_refused_where_the_policy_lets_nobody_ask(
    tmp_path: Path, policy: str
) -> None:
    wish = call(
        "exec_command",
        cmd="touch a",
        sandbox_permissions="require_escalated",
        justification="Please?",
    )
    turns = [Turn(tool_calls=(wish,)), DONE]
    async with stage(tmp_path, turns, approval_policy=policy, interactive=True) as s:
        await s.run()

        (result,) = s.results.values()
        assert result.status == "denied"
        assert str(result.parts).count(policy) == 2
        assert not (s.cwd / "a").exists()
        assert s.events(PermissionRequested) == []


@pytest.mark.proves("codex-8.2")
async def test_on_request_asks_with_the_model_s_words_and_then_runs_it_outside(
    tmp_path: Path,
) -> None:
    wish = call(
        "exec_command",
        cmd="touch ../outside/f",
        sandbox_permissions="require_escalated",
        justification="It belongs there.",
        prefix_rule=["touch", "../outside/f"],
    )
    async with held(tmp_path, "on-request", interactive=True, first=Turn(tool_calls=(wish,))) as (
        s,
        outside,
    ):
        await answered(s)

        (asked,) = s.events(PermissionRequested)
        assert "It belongs there." in asked.reason
        assert asked.amendment == ("touch", "../outside/f")
        assert (outside / "f").exists()
