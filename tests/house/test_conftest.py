"""The guards every test relies on do guard."""

import os
import socket
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute
from blockbuster import BlockingError

import ouroboros


def test_a_look_up_beyond_loopback_is_refused() -> None:
    with pytest.raises(RuntimeError, match="only reach loopback"):
        socket.getaddrinfo("example.com", 443)


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_a_connection_beyond_loopback_is_refused(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with (
        socket.socket(family, socket.SOCK_STREAM) as line,
        pytest.raises(RuntimeError, match="only reach loopback"),
    ):
        line.connect((address, 443))


async def test_loopback_is_open() -> None:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(SocketAttribute.local_port)
    async with listener, await anyio.connect_tcp("localhost", port):
        pass


def test_a_test_sees_neither_a_home_nor_a_key(fresh_home: Path) -> None:
    assert Path.home() == fresh_home
    assert not fresh_home.exists()
    assert os.environ["OUROBOROS_HOME"] == str(fresh_home / ".ouroboros")
    assert [name for name in os.environ if name.endswith("_API_KEY")] == []


async def test_our_own_code_may_not_block_the_loop() -> None:
    # The guard looks for frames of our package: compile a sleep as if it stood there.
    package = Path(ouroboros.__file__).parent
    sleep = "import time; time.sleep(0)"
    with pytest.raises(BlockingError):
        exec(compile(sleep, str(package / "sleeper.py"), "exec"), {})
    exec(compile(sleep, "/elsewhere/sleeper.py", "exec"), {})
