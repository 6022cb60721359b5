"""A model asks to give one command more than the sandbox lets through, and no other."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

DONE = Turn(text="Done.")
SOCKET = "python3 -c 'import socket; socket.socket().close(); print(\"there is a network\")'"
ON: dict[str, Any] = {
    "tools": {"additional_permissions": True, "login_shell": False},
    "sandbox": {"exclude_tmp": True},
    "interactive": True,
    "approval_policy": "on-request",
}


def command(cmd: str, **more: Any) -> ScriptedCall:
    asked: dict[str, Any] = {}
    if more:
        asked = {
            "sandbox_permissions": "with_additional_permissions",
            "additional_permissions": more,
            "justification": "it builds there",
        }
    return call("exec_command", cmd=cmd, **asked)


async def ran(s: Stage, *answers: type[Approve | Deny]) -> list[str]:
    """What came of each call, when the questions are answered like this."""

    async def answer() -> None:
        for number, allowed in enumerate(answers, 1):
            await s.until(PermissionRequested, number)
            asked = s.events(PermissionRequested)[number - 1].request_id
            await s.session.send(allowed(request_id=asked))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await s.run()
    return [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]


def turns(*calls: ScriptedCall) -> list[Turn]:
    return [*(Turn(tool_calls=(each,)) for each in calls), DONE]


@pytest.mark.deep
@pytest.mark.proves("codex-2.2", "codex-7", "codex-8")
async def test_one_command_writes_in_one_more_folder_and_the_next_does_not(tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    more = {"write": [str(other)]}
    calls = turns(command(f"echo x > {other}/a", file_system=more), command(f"echo x > {other}/b"))
    async with stage(tmp_path, calls, **ON) as s:
        first, second = await ran(s, Approve)
        (question,) = s.events(PermissionRequested)
        assert question.action == f"Run with write in {other} echo x > {other}/a"
        assert question.scopes == ("once",)
        assert "with more than the sandbox allows: it builds there" in question.reason
    assert "exited with code 0" in first
    assert (other / "a").exists()
    assert "exited with code 0" not in second
    assert not (other / "b").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-2.2", "codex-7", "codex-8")
async def test_one_command_reaches_the_network_and_the_next_does_not(tmp_path: Path):
    calls = turns(command(SOCKET, network={"enabled": True}), command(SOCKET))
    async with stage(tmp_path, calls, **ON) as s:
        first, second = await ran(s, Approve, Deny)  # the second is asked to run outside instead
    assert "there is a network" in first
    assert "there is a network" not in second


@pytest.mark.deep
async def test_a_no_runs_nothing(tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    asks = command(f"touch ran; echo x > {other}/a", file_system={"write": [str(other)]})
    async with stage(tmp_path, turns(asks), **ON) as s:
        (said,) = await ran(s, Deny)
    assert "was refused" in said
    assert not (tmp_path / "work" / "ran").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-2.2", "codex-7", "codex-8")
async def test_what_was_granted_for_a_time_is_not_asked_about_again(tmp_path: Path):
    other = tmp_path / "other"
    (other / "below").mkdir(parents=True)
    granted = call(
        "call_tool",
        name="request_permissions",
        arguments={"reason": "to build", "write": [str(other)]},
    )
    asks = command(f"echo x > {other}/below/a", file_system={"write": [str(other / "below")]})
    async with stage(tmp_path, turns(granted, asks), **ON) as s:
        await ran(s, Approve)
        assert len(s.events(PermissionRequested)) == 1
    assert (other / "below" / "a").exists()


@pytest.mark.proves("codex-2.2", "codex-7", "codex-8")
@every(
    ("asked", "words"),
    [
        ({"file_system": {"write": ["{home}"]}}, "not granted to a model"),
        ({"file_system": {"write": ["/"]}}, "is everything there is"),
        ({"file_system": {"write": ["other"]}}, "is not absolute"),
        ({"file_system": {"write": ["{work}/gone"]}}, "is no folder that exists"),
        ({"file_system": {"read": ["{person}/.ssh"]}}, "holds keys"),
        ({"network": {"enabled": False}}, "say what you need"),
        ({"network": {"enabled": True, "hosts": ["a"]}}, "hosts"),
    ],
)
async def test_what_cannot_be_granted_is_refused_before_anybody_is_asked(
    tmp_path: Path, asked: dict[str, Any], words: str
):
    (tmp_path / ".ssh").mkdir()
    places = {"home": tmp_path / "home", "work": tmp_path / "work", "person": tmp_path}

    written = msgspec.json.encode(asked).decode()
    for name, place in places.items():
        written = written.replace(f"{{{name}}}", str(place))
    filled: dict[str, Any] = msgspec.json.decode(written)
    async with stage(tmp_path, turns(command("touch ran", **filled)), **ON) as s:
        (said,) = await ran(s)
        assert s.events(PermissionRequested) == []
    assert words in said
    assert not (tmp_path / "work" / "ran").exists()


@pytest.mark.deep
@every(
    ("arguments", "words"),
    [
        (
            {"sandbox_permissions": "with_additional_permissions"},
            "additional_permissions is missing",
        ),
        (
            {"additional_permissions": {"network": {"enabled": True}}},
            "needs sandbox_permissions with_additional_permissions",
        ),
    ],
)
async def test_both_halves_of_the_wish_are_needed(
    tmp_path: Path, arguments: dict[str, Any], words: str
):
    asks = call("exec_command", cmd="touch ran", **arguments)
    async with stage(tmp_path, turns(asks), **ON) as s:
        (said,) = await ran(s)
    assert words in said
    assert not (tmp_path / "work" / "ran").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-2.2", "codex-7", "codex-8")
async def test_it_is_offered_only_where_it_is_switched_on(tmp_path: Path):
    asks = command("touch ran", network={"enabled": True})
    off: dict[str, Any] = {**ON, "tools": {"login_shell": False}}
    async with stage(tmp_path, turns(asks), **off) as s:
        (said,) = await ran(s)
        assert "with_additional_permissions" not in str(s.body()["tools"])
        assert s.events(PermissionRequested) == []
    assert "additional_permissions" in said
    assert not (tmp_path / "work" / "ran").exists()
    (tmp_path / "on").mkdir()
    async with stage(tmp_path / "on", [DONE], **ON) as s:
        await s.run()
        assert "with_additional_permissions" in str(s.body()["tools"])
