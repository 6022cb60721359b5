"""A login that several processes share: renewed by one of them, and whole after every kill."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.llm.auth.oauth import LoginFile, Tokens
from tests import forked
from tests.story.crash import environment
from tests.unit.llm.auth_server import CLIENT, AuthServer, authorizing

RUN = (sys.executable, "-I", "-m", "ouroboros", "run", "--model", "mine/m", "Hi")
WRITER = """
import sys
from pathlib import Path
import anyio
from ouroboros.llm.auth.oauth import LoginFile, Tokens
async def main():
    file = LoginFile(Path(sys.argv[1]), "mine")
    for number in range(100_000):
        async with await file.hold() as held:
            await held.reserve()
            await held.write(Tokens(access_token="a" * (number % 3000 + 1), refresh_token="r"))
        if not number:
            print("begun", flush=True)
anyio.run(main)
"""


async def prepared(server: AuthServer, home: Path) -> LoginFile:
    """A home with a provider that wants a login, and a login that has just expired."""
    folder = home / ".ouroboros"
    client = server.client()
    lines = (
        "[providers.mine]",
        f'base_url = "{server.url}/v1"',
        'auth = "oauth"',
        "[providers.mine.oauth]",
        *(f'{name} = "{getattr(client, name)}"' for name in ("client_id", "token_url")),
        f'authorize_url = "{client.authorize_url}"',
    )
    await anyio.Path(folder).mkdir(parents=True)
    await anyio.Path(folder / "config.toml").write_text("\n".join(lines))
    given = server.grant()
    server.live.clear()
    words = {**given, "client_id": CLIENT, "expires_at": 1.0}
    file = LoginFile(folder, "mine")
    async with await file.hold() as held:
        await held.write(msgspec.convert(words, Tokens))
    return file


def started(home: Path) -> subprocess.Popen[bytes]:
    return forked.Popen(
        RUN,
        env=environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.proves("providers-auth", "H15")
@pytest.mark.deep
async def test_four_processes_renew_an_expired_login_once(tmp_path: Path) -> None:
    async with authorizing() as server:
        server.wait = 0.5
        file = await prepared(server, tmp_path)
        runs = [await to_thread.run_sync(started, tmp_path) for _ in range(4)]
        ended = [await to_thread.run_sync(run.communicate) for run in runs]
        assert [run.returncode for run in runs] == [0] * 4, ended
        assert [out for out, _ in ended] == [b"ready\n"] * 4
        assert (server.refreshes, server.reused) == (1, 0)
        found = await file.read()
    assert found is not None
    assert found.refresh_token in server.refresh_tokens


@pytest.mark.proves("H15")
@pytest.mark.deep
async def test_a_process_killed_while_it_renews_keeps_nobody_waiting(tmp_path: Path) -> None:
    async with authorizing() as server:
        server.wait = 60
        await prepared(server, tmp_path)
        first = await to_thread.run_sync(started, tmp_path)
        with anyio.fail_after(60):
            await server.token_asked.wait()
        first.send_signal(signal.SIGKILL)
        await to_thread.run_sync(first.communicate)
        server.wait = 0
        second = await to_thread.run_sync(started, tmp_path)
        out, errors = await to_thread.run_sync(second.communicate)
    assert (second.returncode, out) == (0, b"ready\n"), errors
    assert server.refreshes == 1


def kills(home: Path, seed: int, count: int) -> None:
    chance = random.Random(seed)
    file = LoginFile(home, "mine")
    for _ in range(count):
        command = [sys.executable, "-c", WRITER, str(home)]
        with forked.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"begun\n"
            time.sleep(chance.uniform(0, 0.02))
            os.kill(writer.pid, signal.SIGKILL)
        tokens = anyio.run(file.read)
        assert tokens is not None
        assert set(tokens.access_token) == {"a"}
        assert all(each.stat().st_mode & 0o077 == 0 for each in file.path.parent.iterdir())


@pytest.mark.proves("H15")
@pytest.mark.parametrize(
    "count",
    [pytest.param(6, marks=pytest.mark.deep), pytest.param(200, marks=pytest.mark.soak)],
)
def test_a_writer_killed_anywhere_leaves_a_whole_login(tmp_path: Path, count: int) -> None:
    kills(tmp_path, seed=count, count=count)
