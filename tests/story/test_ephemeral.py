"""`--ephemeral`: a session that leaves no file, however it ends."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.core.commands import Compact, Fork, Review
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.review import ReviewExited
from ouroboros.llm.turns import Turn
from tests import forked
from tests.cases import every
from tests.story.stage import call, stage
from tests.story.test_cli_run import ouro, script
from tests.story.test_daily_limit import DOLLAR, DONE, LOOK
from tests.story.test_hooks import hook, said
from tests.story.test_killed_with_a_command import appears
from tests.story.test_learned_window import LISTS
from tests.story.test_review import finding, reply, repository

GONE: dict[str, Any] = {"ephemeral": True}
LONG = "seq 1 30000"


def files(folder: Path) -> dict[str, str]:
    """Every file and folder below one, with what is in it."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        )
        for path in folder.rglob("*")
    }


def variables(tmp_path: Path) -> dict[str, str]:
    """Homes and folders for what is thrown away, each of their own."""
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return {
        "OUROBOROS_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path / "person"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def calls(*each: tuple[str, dict[str, object]]) -> dict[str, object]:
    return {"text": "", "tool_calls": [{"name": name, "arguments": given} for name, given in each]}


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
def test_a_run_leaves_no_file_and_what_it_did_stays(tmp_path: Path) -> None:
    work, given = tmp_path / "work", variables(tmp_path)
    work.mkdir()
    (work / "ship.py").write_text("def row(): ...\n", encoding="utf-8")
    did = calls(
        ("call_tool", {"name": "repo_map", "arguments": {}}),
        ("shell", {"command": f"echo made > made.txt; {LONG}"}),
        ("exec_command", {"cmd": "echo also"}),
        ("write", {"path": "written.txt", "content": "x\n"}),
    )
    model = script(tmp_path, did, {"text": "Done."})
    words = ("run", "--ephemeral", "--model", model, "--mode", "full-auto", "Do it.")
    done = ouro(*words, cwd=work, **given)
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "--resume" not in done.stderr
    assert sorted(each.name for each in work.iterdir()) == [*("made.txt", "ship.py", "written.txt")]
    assert files(tmp_path / "tmp") == {}
    assert not (tmp_path / "home").exists()
    assert not (tmp_path / "person").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
def test_a_home_with_sessions_is_as_it_was(tmp_path: Path) -> None:
    work, given = tmp_path / "work", variables(tmp_path)
    work.mkdir()
    assert ouro("run", "--model", "echo", "kept", cwd=work, **given).returncode == 0
    before = files(tmp_path / "home")
    assert "ouroboros.db" in before
    model = script(tmp_path, calls(("shell", {"command": LONG})), {"text": "Gone."})
    limits = {"OUROBOROS_LIMITS_DAILY_COST": "5", "OUROBOROS_LIMITS_ACTIONS_PER_HOUR": "9"}
    done = ouro("run", "--ephemeral", "--model", model, "gone", cwd=work, **given, **limits)
    assert done.stdout == "Gone.\n"
    assert files(tmp_path / "home") == before
    listed = ouro("sessions", "list", cwd=work, **given).stdout
    assert ("kept" in listed, "gone" in listed) == (True, False)


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
def test_a_run_that_is_killed_leaves_no_file(tmp_path: Path) -> None:
    work, given = tmp_path / "work", variables(tmp_path)
    work.mkdir()
    waits: dict[str, object] = {"command": "echo yes > made; sleep 60", "timeout": 90}
    model = script(tmp_path, calls(("shell", {"command": LONG}), ("shell", waits)))
    process = forked.Popen(
        [
            *(sys.executable, "-m", "ouroboros", "run", "--ephemeral", "--model", model),
            *("--mode", "full-auto", "--sandbox", "danger-full-access", "Do it."),
        ],
        cwd=work,
        env={**os.environ, **given},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        appears(work / "made")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert sorted(each.name for each in work.iterdir()) == ["made"]
    assert files(tmp_path / "tmp") == {}
    assert not (tmp_path / "home").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
@every("more", [("--continue",), ("--resume", "ses_1"), ("--cache",), ("--browser",)])
def test_what_needs_files_contradicts_it(tmp_path: Path, more: tuple[str, ...]) -> None:
    done = ouro("run", "--ephemeral", *more, "x", cwd=tmp_path, **variables(tmp_path))
    assert done.returncode == 2
    assert f"--ephemeral and {more[0]} contradict each other" in done.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.proves("codex-16.6")
def test_help_says_what_is_not_kept(tmp_path: Path) -> None:
    told = " ".join(ouro("run", "--help", cwd=tmp_path).stdout.split())
    assert "--ephemeral Keep nothing: no session to go on with, no checkpoints" in told


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
async def test_it_does_all_that_a_kept_session_does(tmp_path: Path) -> None:
    """The same events in the same order, the same requests, a summary, hooks, and no file."""
    turns = [
        Turn(tool_calls=(call("shell", command=LONG), call("ls", path="."))),
        Turn(text="One."),
        Turn(text="A summary."),
        Turn(text="Two."),
    ]
    long = "python3 -c \"print('begin ' + 'x' * 20000 + ' end')\""
    hooks = {"UserPromptSubmit": hook(long)}
    types: list[list[str]] = []
    for name, opening in (("kept", {}), ("gone", GONE)):
        folder = tmp_path / name
        folder.mkdir()
        checkpoints = {"enabled": False}
        async with stage(folder, turns, opening=opening, hooks=hooks, checkpoints=checkpoints) as s:
            assert (await s.run()).final == "One."
            await s.session.send(Compact())
            assert (await s.run("On.")).final == "Two."
            assert len(s.events(ContextCompacted)) == 1
            assert ("the whole is not kept" in said(s)) is (name == "gone")
            assert "xxx end" in said(s)
        types.append(s.types)
    assert types[0] == types[1]
    assert not (tmp_path / "gone" / "home").exists()
    assert (tmp_path / "kept" / "home" / "ouroboros.db").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
async def test_what_works_apart_for_it_leaves_no_file_either(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    agent = {"type": "agent", "prompt": "Is this right?"}
    turns = [
        Turn(text="Hello."),
        Turn(text='{"ok": true}'),
        reply(finding(str(folder / "a.py"), 1)),
    ]
    async with stage(
        tmp_path, turns, opening=GONE, check=False, hooks={"Stop": [{"hooks": [agent]}]}
    ) as s:
        await s.run()
        await s.session.send(Review())
        assert [one.outcome for one in s.events(ReviewExited)] == ["completed"]
        with pytest.raises(Misuse, match="not kept"):
            await s.session.send(Fork())
    assert not (tmp_path / "home").exists()


@pytest.mark.proves("codex-16.6")
async def test_tools_that_keep_files_of_ours_are_not_offered(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"tools": {"scripts": True}, "browser": {"tools": True}}
    settings |= {"cache_replies": True, "sessions": {"mirror": True}}
    async with stage(tmp_path, [Turn(text="Hello.")], opening=GONE, **settings) as s:
        await s.run()
        names = {each["function"]["name"] for each in s.body()["tools"]}
        assert {"exec_command", "write"} <= names
        assert names.isdisjoint({"python", "create_tool", "js", "browser_execute"})
    assert not (tmp_path / "home").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
async def test_what_a_server_says_of_its_window_counts_and_is_not_kept(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="Hello.")], format="ollama", opening=GONE) as s:
        s.server.pages = LISTS["ollama"]
        await s.session.warm()
        await s.run()
        assert s.session.meter().window < 12_001
    assert not (tmp_path / "home").exists()


@pytest.mark.deep
@pytest.mark.proves("codex-16.6")
async def test_what_it_spends_counts_for_itself_with_all_others(tmp_path: Path) -> None:
    async with stage(tmp_path, [LOOK, DONE], models=DOLLAR) as s:
        await s.run()
    limits = {"daily_cost": 3.5}
    turns = [LOOK, LOOK, DONE]
    async with stage(tmp_path, turns, models=DOLLAR, limits=limits, opening=GONE) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:daily_cost"
        assert len(s.server.exchanges) == 2
    told = {"OUROBOROS_HOME": str(tmp_path / "home"), "OUROBOROS_LIMITS_DAILY_COST": "3.5"}
    shown = await to_thread.run_sync(lambda: ouro("limits", cwd=tmp_path, **told))
    assert "$2.0000\tof $3.50" in shown.stdout
