"""A program that is killed while git talks with a slow host takes that git along."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

DRIVER = """
import os, sys
from pathlib import Path
import anyio
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.git import Git

async def main(folder, address):
    git = Git(Path(folder), environment=dict(os.environ), bounds=Bounds(), scheme="http")
    await git.call("ls-remote", address)

anyio.run(main, *sys.argv[1:])
"""


@pytest.mark.proves("sandbox-f-processes")
def test_a_kill_of_us_ends_the_git_that_waits_for_a_host(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/some/repo"
        words = [sys.executable, "-c", DRIVER, str(tmp_path), address]
        with subprocess.Popen(words, env={**os.environ, "no_proxy": "127.0.0.1"}) as running:
            asks, _ = server.accept()
            with asks:
                asks.settimeout(60)
                assert asks.recv(65_536).startswith(b"GET /some/repo/info/refs")
                running.kill()
                assert running.wait(60) == -signal.SIGKILL
                assert asks.recv(65_536) == b""  # its git is gone, and nobody else has the line
