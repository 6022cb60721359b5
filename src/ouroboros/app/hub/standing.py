"""The one server of a home folder: a file that says where it is, locked while it is there."""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from ouroboros.core.errors import Misuse, StoreFailed
from ouroboros.safety.own_servers import announced
from ouroboros.store.layout import make_private

__all__ = ("alone", "announced")

_MOST_BYTES = 200


@contextmanager
def alone(home: Path) -> Generator[Callable[[str], None]]:
    """Holds the place of a home's server; what it gives takes the address, once that is known.

    The system frees the place of a server that is killed. Blocking.

    Raises:
        Misuse: Another server has the place; the message says where it is.
        StoreFailed: The file cannot be written.
    """
    path = home / "server.lock"
    make_private(home)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreFailed(f"cannot write {path}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.pread(descriptor, _MOST_BYTES, 0).decode("utf-8", "replace").strip()
            raise Misuse(
                f"a server of this home runs already{f', at {said}' if said else ''}",
                hint="open the address that it printed, or stop it first",
            ) from None

        def write(address: str) -> None:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{address} (process {os.getpid()})\n".encode(), 0)

        os.ftruncate(descriptor, 0)
        yield write
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
