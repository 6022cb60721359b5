"""The servers of this program on this machine, which nothing that a model steers may open.

A server locks a file named by its port for as long as it listens, so that one that was killed is forgotten.
"""

import fcntl
import ipaddress
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from anyio import CancelScope, to_thread

from ouroboros.safety.origins import address

REASON = "servers of Ouroboros are the person's; no model reaches them"


@asynccontextmanager
async def announced(home: Path, port: int) -> AsyncGenerator[None]:
    """Tells every process of this home, while the block runs, that a server of ours listens at ``port``.

    Raises:
        OSError: The file cannot be written.
    """
    path = _folder(home) / str(port)
    held = await to_thread.run_sync(_hold, path)
    try:
        yield
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(_let_go, path, held)


class OwnServers:
    """Where the servers of one home listen, as far as it was looked up."""

    def __init__(self, home: Path) -> None:
        """Nothing is looked up yet."""
        self._home = home
        self._ports: frozenset[int] = frozenset()

    async def look(self) -> None:
        """Finds out where they listen now."""
        self._ports = await to_thread.run_sync(_ports, self._home)

    def bars(self, url: str) -> bool:
        """Whether an address leads to one of them."""
        if not self._ports:
            return False
        read = address(url)
        return read is not None and read.port in self._ports and _is_here(read.host)

    async def bars_now(self, url: str) -> bool:
        """As ``bars``, looked up again where it leads to this machine."""
        if not leads_here(url):
            return False
        await self.look()
        return self.bars(url)


def leads_here(url: str) -> bool:
    """Whether an address leads to this machine by one of its names."""
    read = address(url)
    return read is not None and _is_here(read.host)


def _ports(home: Path) -> frozenset[int]:
    found: set[int] = set()
    with suppress(FileNotFoundError), os.scandir(_folder(home)) as entries:
        for entry in entries:
            if entry.name.isascii() and entry.name.isdigit() and _is_held(entry.path):
                found.add(int(entry.name))
    return frozenset(found)


def _hold(path: Path) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def _let_go(path: Path, held: int) -> None:
    path.unlink(missing_ok=True)
    os.close(held)


def _folder(home: Path) -> Path:
    return home / "servers"


def _is_held(path: str) -> bool:
    with suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
    return False


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        found = ipaddress.ip_address(host)
        return found.is_loopback or found.is_unspecified
    return False
