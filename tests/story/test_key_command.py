"""A key command in a whole run: only from settings that are trusted, and gone when the program is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from tests import forked
from tests.story.crash import environment
from tests.unit.llm.auth_server import AuthServer, authorizing


def settings(server: AuthServer, command: str) -> str:
    return f"""
model = "mine/m"
[providers.mine]
base_url = "{server.url}/v1"
auth = "command"
command = '''{command}'''
"""


def started(home: Path, cwd: Path, *words: str) -> subprocess.Popen[str]:
    return forked.Popen(
        [sys.executable, "-I", "-m", "ouroboros", *words],
        env=environment(home),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def ouro(home: Path, cwd: Path, *words: str) -> tuple[int, str, str]:
    process = await to_thread.run_sync(started, home, cwd, *words)
    out, errors = await to_thread.run_sync(process.communicate)
    return process.returncode, out, errors


@pytest.mark.proves("H16", "W07")
async def test_a_project_s_command_runs_only_when_trusted(tmp_path: Path) -> None:
    project, trace = tmp_path / "project", tmp_path / "ran"
    await anyio.Path(project / ".git").mkdir(parents=True)
    await anyio.Path(project / ".ouroboros").mkdir()
    async with authorizing() as server:
        server.live = {"token"}
        text = settings(server, f"touch {trace}; echo token")
        await anyio.Path(project / ".ouroboros" / "config.toml").write_text(text)
        code, _, errors = await ouro(tmp_path, project, "run", "Hi")
        assert (code, trace.exists(), server.exchanges) == (2, False, [])
        assert "not trusted" in errors

        _, _, shown = await ouro(tmp_path, project, "trust", "--yes")
        assert "providers.mine.command" in shown
        code, out, errors = await ouro(tmp_path, project, "run", "Hi")
        assert (code, out, trace.exists()) == (0, "ready\n", True), errors
        code, out, _ = await ouro(tmp_path, project, "providers", "test", "mine/m")
        assert (code, "token" in out.replace("token counts", "")) == (0, False)


@pytest.mark.deep
@pytest.mark.proves("H16")
async def test_a_command_does_not_outlive_a_program_that_was_killed(tmp_path: Path) -> None:
    home = tmp_path / ".ouroboros"
    await anyio.Path(home).mkdir()
    os.mkfifo(tmp_path / "pid")
    async with authorizing() as server:
        text = settings(server, f"sleep 0.7; echo $$ > {tmp_path / 'pid'}; sleep 600")
        await anyio.Path(home / "config.toml").write_text(text)
        process = await to_thread.run_sync(started, tmp_path, tmp_path, "run", "Hi")
        pid = int(await anyio.Path(tmp_path / "pid").read_text())
        process.send_signal(signal.SIGKILL)
        await to_thread.run_sync(process.communicate)
        with anyio.fail_after(60):
            await gone(pid)


async def gone(pid: int) -> None:
    """Waits for the end of a process that is no child of ours."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await anyio.wait_readable(watch)
    finally:
        os.close(watch)
