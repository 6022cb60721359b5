"""What the settings of the sandbox, of the safety checks and of Python change in a run."""

import socket
from collections.abc import Awaitable, Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.errors import Misuse
from ouroboros.core.events import ToolAttempted, ToolResulted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

type Effect = Callable[[Path], Awaitable[None]]

ANSWER = "y" * 9
"""What was reached; unlike a number, it is in no path that a refusal names."""

KEY = "ghp_" + "aB3dE5" * 6


def _there(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def _ran(folder: Path, name: str, words: dict[str, Any], **settings: Any) -> list[object]:
    """The events of one call."""
    turns = [Turn(tool_calls=(call(name, **words),)), Turn(text="done")]
    async with stage(_there(folder), turns, **settings) as s:
        await s.run()
        return [envelope.data for envelope in s.shown]


async def _said(folder: Path, command: str, **settings: Any) -> str:
    events = await _ran(folder, "shell", {"command": command}, **settings)
    (result,) = [event for event in events if isinstance(event, ToolResulted)]
    return "".join(part.text for part in result.parts if isinstance(part, Text))


async def _made(folder: Path, name: str, **sandbox: Any) -> bool:
    """Whether a command can make a file of this name, seen from the workspace."""
    beside = folder / "outside"
    beside.mkdir(parents=True, exist_ok=True)
    await _said(folder, f"touch {name}", sandbox={"exclude_tmp": True, **sandbox})
    return (folder / "work" / name).exists()


async def mode(folder: Path) -> None:
    for reach, written in (("read-only", False), ("workspace-write", True)):
        assert await _made(folder / reach, "made", mode=reach) is written


async def writable(folder: Path) -> None:
    assert not await _made(folder / "a", "../outside/made")
    assert await _made(folder / "b", "../outside/made", writable=["../outside"])


async def exclude_tmp(folder: Path) -> None:
    for name, excluded in (("a", True), ("b", False)):
        (folder / name / "outside").mkdir(parents=True)
        environment = {"TMPDIR": str(folder / name / "outside")}
        settings = {"sandbox": {"exclude_tmp": excluded}, "environment": environment}
        await _said(folder / name, "touch ../outside/made", **settings)
        is_there = (folder / name / "outside" / "made").exists()
        assert is_there is not excluded


async def caches(folder: Path) -> None:
    for name, writable in (("read", False), ("write", True)):
        home = folder / name / "person"
        for each in (".cache/pip", ".npm", "own"):
            (home / each).mkdir(parents=True)
        environment = {"HOME": str(home), "UV_CACHE_DIR": str(home / "own")}
        settings = {
            "sandbox": {"caches": name, "exclude_tmp": True},
            "environment": environment,
        }
        text = "touch ~/.cache/pip/a ~/.npm/b ~/own/c ~/.cache/d ~/e"
        await _said(folder / name, text, **settings)
        made = {path.name for path in home.rglob("?") if path.is_file()}
        assert made == ({"a", "b", "c"} if writable else set())


async def _read(folder: Path, path: str, **settings: Any) -> bool:
    return ANSWER in await _said(folder, f"python3 -c \"print(open('{path}').read())\"", **settings)


async def hide(folder: Path) -> None:
    for name, hidden in (("a", []), ("b", ["../outside"])):
        (folder / name / "outside").mkdir(parents=True)
        (folder / name / "outside" / "answer").write_text(ANSWER)
        is_read = await _read(folder / name, "../outside/answer", sandbox={"hide": hidden})
        assert is_read is (hidden == [])


async def reveal(folder: Path) -> None:
    for name, revealed in (("a", []), ("b", ["~/.netrc"])):
        home = folder / name / "person"
        home.mkdir(parents=True)
        (home / ".netrc").write_text(ANSWER)
        settings = {"sandbox": {"reveal": revealed}, "environment": {"HOME": str(home)}}
        # Spelled so that only the cage can know what it is.
        said = await _said(folder / name, "cat ../person/.n*c", **settings)
        assert (ANSWER in said) is (revealed != [])


async def bubblewrap(folder: Path) -> None:
    sandbox = {"bubblewrap": "off"}
    events = await _ran(folder, "shell", {"command": "true"}, sandbox=sandbox)
    (attempt,) = [event for event in events if isinstance(event, ToolAttempted)]
    assert attempt.sandbox == "landlock"


async def landlock_alone(folder: Path) -> None:
    for name, written in (("strict", False), ("restore", True), ("loose", True)):
        (folder / name / "work" / ".git").mkdir(parents=True)
        (folder / name / "work" / ".git" / "config").touch()
        made = await _made(folder / name, "made", bubblewrap="off", landlock_alone=name)
        assert made is written


async def git(folder: Path) -> None:
    for name, written in (("closed", False), ("open", True)):
        (folder / name / "work" / ".git").mkdir(parents=True)
        made = await _made(folder / name, ".git/made", git=name)
        assert made is written


async def processes(folder: Path) -> None:
    said = await _said(folder, "ulimit -u", sandbox={"processes": 777})
    assert "777" in said


async def local_sockets(folder: Path) -> None:
    for name, reached in (("closed", False), ("open", True)):
        there = _there(folder / name / "work") / "socket"
        with socket.socket(socket.AF_UNIX) as listener, chdir(there.parent):
            listener.bind(there.name)  # a socket's name may be short only
            listener.listen()
            text = "import socket as s; s.socket(s.AF_UNIX).connect('socket'); print('y' * 9)"
            there.with_name("reach.py").write_text(text)
            sandbox = {"network": "on", "local_sockets": name}
            assert (
                ANSWER in await _said(folder / name, "python3 reach.py", sandbox=sandbox)
            ) is reached


async def safety_off(folder: Path) -> None:
    with pytest.raises(Misuse, match="confirm_disable"):
        await _said(folder, "true", safety={"enabled": False})
    off = {"enabled": False, "confirm_disable": True}
    assert KEY in await _said(folder, f"echo {KEY}", safety=off)


async def actions(folder: Path) -> None:
    for action, shown in (("redact", False), ("warn", True)):
        said = await _said(
            folder / action, f"echo {KEY}", safety={"actions": {"github-pat": action}}
        )
        assert (KEY in said) is shown


async def python(folder: Path) -> None:
    events = await _ran(folder, "python", {"code": "1"}, tools={"python": "/nowhere/python"})
    (result,) = [event for event in events if isinstance(event, ToolResulted)]
    assert result.status == "failed"
    assert "/nowhere/python" in str(result.parts)


CAGE_EFFECTS: dict[str, Effect] = {
    "safety.actions": actions,
    "safety.confirm_disable": safety_off,
    "safety.enabled": safety_off,
    "sandbox.bubblewrap": bubblewrap,
    "sandbox.caches": caches,
    "sandbox.exclude_tmp": exclude_tmp,
    "sandbox.git": git,
    "sandbox.hide": hide,
    "sandbox.landlock_alone": landlock_alone,
    "sandbox.local_sockets": local_sockets,
    "sandbox.mode": mode,
    "sandbox.processes": processes,
    "sandbox.reveal": reveal,
    "sandbox.writable": writable,
    "tools.python": python,
}
