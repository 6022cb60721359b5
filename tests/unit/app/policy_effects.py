"""What the settings of approval policies and of the guardian change in a run."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ouroboros.core.events import PermissionAnswered
from ouroboros.core.events.guardian import GuardianReviewed
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.story.stage import Stage, call, stage

type Effect = Callable[[Path], Awaitable[None]]

TOUCH = Turn(tool_calls=(call("shell", command="touch a"),))
REMOVE = Turn(tool_calls=(call("shell", command="rm -rf /tmp/nothing-of-the-kind"),))
ALLOW = Turn(text='{"outcome": "allow"}')


def made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


async def _asked(folder: Path, turn: Turn, **settings: Any) -> tuple[int, str]:
    """How many questions came up, and how the call ended."""
    async with stage(made(folder), [turn, Turn(text="done")], **settings) as s:
        await s.run()
        (result,) = s.results.values()
        return len(s.events(PermissionAnswered)), result.status


async def approval_policy(folder: Path) -> None:
    untrusted = await _asked(folder / "a", TOUCH, approval_policy="untrusted")
    never = await _asked(folder / "b", REMOVE, approval_policy="never")
    assert untrusted == (1, "denied")
    assert never == (0, "denied")


async def strict_approvals(folder: Path) -> None:
    for name, strict, code in (("a", True, 4), ("b", False, 0)):
        turns = [TOUCH, Turn(text="done")]
        async with stage(made(folder / name), turns, mode="ask", strict_approvals=strict) as s:
            assert (await s.run()).exit_code == code


async def sandbox_approval(folder: Path) -> None:
    for name, allowed, asked in (("a", True, 1), ("b", False, 0)):
        found = await _asked(
            folder / name,
            REMOVE,
            approval_policy="granular",
            approval={"sandbox_approval": allowed},
        )
        assert found == (asked, "denied")


async def rules(folder: Path) -> None:
    for name, allowed, asked in (("a", True, 1), ("b", False, 0)):
        home = folder / name / "home" / "rules"
        home.mkdir(parents=True)
        (home / "x.rules").write_text('prefix_rule(["touch"], "prompt")', encoding="utf-8")
        found = await _asked(
            folder / name, TOUCH, approval_policy="granular", approval={"rules": allowed}
        )
        assert found == (asked, "denied")


async def request_permissions(folder: Path) -> None:
    wish = {"name": "request_permissions", "arguments": {"reason": "x", "network": True}}
    more = Turn(tool_calls=(call("call_tool", **wish),))
    for name, allowed, asked in (("a", True, 1), ("b", False, 0)):
        found = await _asked(
            folder / name,
            more,
            approval_policy="granular",
            approval={"request_permissions": allowed, "sandbox_approval": not allowed},
        )
        assert found == (asked, "denied")


@asynccontextmanager
async def _judged(
    folder: Path, review: Turn, *, mode: str = "ask", **guardian: Any
) -> AsyncGenerator[tuple[Stage, ScriptedServer]]:
    made(folder)
    async with serving([review]) as judge:
        vendor = {"base_url": judge.url, "protocol": "openai-chat", "auth": "none"}
        chosen = {"enabled": True, "model": "judge/strict", **guardian}
        async with stage(
            folder,
            [TOUCH, Turn(text="done")],
            mode=mode,
            providers={"judge": vendor},
            guardian=chosen,
        ) as s:
            await s.run()
            yield s, judge


async def enabled(folder: Path) -> None:
    for name, wanted in (("a", True), ("b", False)):
        async with _judged(folder / name, ALLOW, enabled=wanted) as (s, _):
            assert (s.cwd / "a").exists() is wanted


async def strict(folder: Path) -> None:
    for name, wanted in (("a", True), ("b", False)):
        async with _judged(folder / name, ALLOW, mode="full-auto", strict=wanted) as (s, _):
            assert bool(s.events(GuardianReviewed)) is wanted


async def model(folder: Path) -> None:
    async with _judged(folder, ALLOW, model="judge/other") as (_, judge):
        assert msgspec.json.decode(judge.exchanges[0].body)["model"] == "other"


async def effort(folder: Path) -> None:
    async with _judged(folder, ALLOW, effort="high") as (_, judge):
        assert msgspec.json.decode(judge.exchanges[0].body)["reasoning_effort"] == "high"


async def timeout(folder: Path) -> None:
    late = Turn(text=ALLOW.text, delay_seconds=30)
    async with _judged(folder, late, timeout=0.1) as (s, _):
        assert [each.outcome for each in s.events(GuardianReviewed)] == ["timed_out"]


POLICY_EFFECTS: dict[str, Effect] = {
    "approval_policy": approval_policy,
    "strict_approvals": strict_approvals,
    "approval.sandbox_approval": sandbox_approval,
    "approval.rules": rules,
    "approval.request_permissions": request_permissions,
    "guardian.enabled": enabled,
    "guardian.strict": strict,
    "guardian.model": model,
    "guardian.effort": effort,
    "guardian.timeout": timeout,
}
