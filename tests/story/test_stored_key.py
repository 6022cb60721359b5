"""A key from the key file or a trusted project's .env reaches the provider, and only it."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests import forked
from tests.story.crash import environment


def ouro(home: Path, cwd: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return forked.run(
        [sys.executable, "-I", "-m", "ouroboros", *words],
        env=environment(home),
        cwd=cwd,
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.deep
@pytest.mark.proves("W08")
async def test_a_key_of_the_key_file_is_sent(tmp_path: Path) -> None:
    keys = tmp_path / ".ouroboros" / "keys.toml"
    keys.parent.mkdir()
    keys.write_text('OPENAI_API_KEY = "sk-from-the-key-file"\n')
    keys.chmod(0o600)
    async with serving([Turn(text="Hello.")]) as server:
        words = ("run", "--model", "openai/x", "--base-url", server.url, "Hi")
        ended = await to_thread.run_sync(ouro, tmp_path, tmp_path, *words)
        assert (ended.returncode, ended.stdout) == (0, "Hello.\n"), ended.stderr
        assert server.exchanges[0].headers["authorization"] == "Bearer sk-from-the-key-file"


@pytest.mark.proves("W10")
async def test_a_key_that_was_typed_is_sent_and_lies_in_no_file(tmp_path: Path) -> None:
    key = "sk-that-somebody-typed"
    words = ("providers", "login", "openai", "--key-stdin")
    login = await to_thread.run_sync(lambda: ouro(tmp_path, tmp_path, *words, typed=f"{key}\n"))
    assert login.returncode == 0, login.stderr
    assert "OPENAI_API_KEY is kept in" in login.stderr
    async with serving([Turn(text="Hello.")]) as server:
        words = ("run", "--model", "openai/x", "--base-url", server.url, "Hi")
        ended = await to_thread.run_sync(ouro, tmp_path, tmp_path, *words)
        assert (ended.returncode, ended.stdout) == (0, "Hello.\n"), ended.stderr
        assert server.exchanges[0].headers["authorization"] == f"Bearer {key}"
    files = [Path(path) async for path in anyio.Path(tmp_path).rglob("*") if await path.is_file()]
    assert {"keys.sealed", "ouroboros.db"} <= {path.name for path in files}
    holding = [path for path in files if key.encode() in await anyio.Path(path).read_bytes()]
    assert holding == []


@pytest.mark.proves("W08")
@pytest.mark.deep
async def test_an_env_file_counts_only_in_a_trusted_folder(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".env").write_text("OPENAI_API_KEY=sk-from-the-project\nPATH=/nowhere\n")
    async with serving([Turn(text="One."), Turn(text="Two.")]) as server:
        words = ("run", "--model", "openai/x", "--base-url", server.url, "Hi")
        ended = await to_thread.run_sync(ouro, tmp_path, project, *words)
        assert ended.returncode == 0, ended.stderr
        assert "authorization" not in server.exchanges[0].headers
        await to_thread.run_sync(ouro, tmp_path, project, "trust", "--yes")
        ended = await to_thread.run_sync(ouro, tmp_path, project, *words)
        assert ended.returncode == 0, ended.stderr
        assert server.exchanges[1].headers["authorization"] == "Bearer sk-from-the-project"
