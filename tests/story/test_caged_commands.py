"""Commands of a session run in a cage; what it stops is told, asked about, and left once."""

from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

DONE = Turn(text="Done.")
KEY = "sk-canary-of-a-provider"


def outside(tmp_path: Path) -> Path:
    """A place that the cage keeps: the session's own home."""
    (tmp_path / "home").mkdir(exist_ok=True)
    return tmp_path / "home" / "made"


def asks(command: str) -> list[Turn]:
    return [Turn(tool_calls=(call("shell", command=command),)), DONE]


def cages(s: Stage) -> list[str]:
    return [event.sandbox for event in s.events(ToolAttempted)]


def answer_of(s: Stage) -> str:
    return next(m["content"] for m in s.body()["messages"] if m["role"] == "tool")


@pytest.mark.deep
@pytest.mark.proves("F04", "codex-10.1", "codex-10.4")
@every("bubblewrap", ["auto", "off"])
async def test_a_command_writes_in_the_workspace_and_nowhere_else(
    tmp_path: Path, bubblewrap: str
) -> None:
    made = outside(tmp_path)
    turns = asks(f"echo yes > here; cat here; echo no > {made}")
    async with stage(tmp_path, turns, sandbox={"bubblewrap": bubblewrap}) as s:
        await s.run("Go")
        assert cages(s) != ["none"]
        assert "yes" in answer_of(s)
        assert f"the sandbox {cages(s)[0]} stopped this" in answer_of(s)
    assert not made.exists()


@pytest.mark.deep
@pytest.mark.proves("codex-10.3")
@every(("bubblewrap", "said"), [("auto", "Read-only file system"), ("off", "Permission denied")])
async def test_a_cage_for_reading_lets_nothing_be_made_and_says_so(
    tmp_path: Path, bubblewrap: str, said: str
) -> None:
    sandbox = {"bubblewrap": bubblewrap, "mode": "read-only"}
    async with stage(tmp_path, asks("touch here"), sandbox=sandbox) as s:
        await s.run("Go")
        assert cages(s) != ["none"]
        assert said in answer_of(s)
        assert not (s.cwd / "here").exists()


@pytest.mark.proves("F05", "codex-8.1")
async def test_a_yes_runs_it_once_more_outside_and_a_no_does_not(tmp_path: Path) -> None:
    made = outside(tmp_path)
    turns = asks(f"echo x >> here; echo x >> {made}")
    for wish in ("no", "yes"):
        async with stage(tmp_path, turns, mode="ask", interactive=True) as s:

            async def answered(s: Stage = s, wish: str = wish) -> None:
                for number in (1, 2):
                    await s.until(PermissionRequested, number)
                    asked = s.events(PermissionRequested)[-1].request_id
                    if number == 1 or wish == "yes":
                        await s.session.send(Approve(request_id=asked))
                    else:
                        await s.session.send(Deny(request_id=asked))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(answered)
                await s.run("Go")
            reason = s.events(PermissionRequested)[1].reason
            assert "stopped it" in reason
            assert "read your keys" in reason
            assert cages(s)[1:] == (["none"] if wish == "yes" else [])
        assert made.exists() == (wish == "yes")


@pytest.mark.deep
@pytest.mark.proves("F04", "codex-10.2")
async def test_the_network_is_off_and_keys_are_not_to_be_found(tmp_path: Path) -> None:
    command = (
        "env; tr '\\0' '\\n' < /proc/$PPID/environ; cat /proc/*/environ; "
        "python3 -c 'import socket; socket.socket()'; echo ended"
    )
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "look.sh").write_text(command)
    turns = asks("sh look.sh")
    async with stage(tmp_path, turns, environment={"OPENAI_API_KEY": KEY}) as s:
        await s.run("Go")
        assert "ended" in answer_of(s)
        assert KEY not in answer_of(s)
        assert "OURO_SANDBOX_NETWORK_DISABLED=1" in answer_of(s)


@pytest.mark.proves("F02", "F04", "codex-10.1", "codex-10.4")
async def test_full_access_is_chosen_and_then_nothing_is_kept(tmp_path: Path) -> None:
    made = outside(tmp_path)
    settings = {"mode": "danger-full-access"}
    async with stage(tmp_path, asks(f"echo x > {made}"), sandbox=settings) as s:
        await s.run("Go")
        assert cages(s) == ["none"]
    assert await to_thread.run_sync(made.exists)


@pytest.mark.deep
@pytest.mark.proves("F04")
async def test_more_folders_are_writable_when_settings_say_so(tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    settings = {"writable": (str(more),), "exclude_tmp": True}
    turns = asks(f"echo x > {more}/made && ! touch {tmp_path}/not && echo as told")
    async with stage(tmp_path, turns, sandbox=settings) as s:
        await s.run("Go")
        assert "as told" in answer_of(s)
    assert (more / "made").exists()
