"""Sessions over a local socket: newline-terminated JSON, one session for each connection."""

import os
import socket
import struct
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.core.errors import Misuse
from ouroboros.core.ipc.lines import Lines, TooLong
from ouroboros.core.ipc.messages import LINE_BYTES
from ouroboros.faces.ipc.link import Link, Load, Open, no_repositories
from ouroboros.faces.ipc.outbox import Outbox
from ouroboros.faces.wording.worker import Told, refused

_encoder = msgspec.json.Encoder(enc_hook=str)


async def serve(path: Path, opening: Open, *, load: Load = no_repositories) -> None:
    """Listens until cancelled; the socket is the person's own and goes away in the end.

    Raises:
        Misuse: Another program listens there, or the path cannot be used.
    """
    await to_thread.run_sync(_make_room, path)
    try:
        listener = await anyio.create_unix_listener(path, mode=0o600)
    except OSError as error:
        raise Misuse(
            f"cannot listen at {str(path)!r}: {error.strerror or error}", hint="name another path"
        ) from error
    try:
        async with listener:
            await listener.serve(lambda stream: _connected(stream, opening, load))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: path.unlink(missing_ok=True))


async def _connected(stream: SocketStream, opening: Open, load: Load) -> None:
    async with stream:
        if not _is_own(stream):
            return
        out = Outbox(stream.send, (anyio.BrokenResourceError, anyio.ClosedResourceError))
        link = Link(opening, lambda told: _tell(out, told), load=load)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(out.drain)
            await link.serve(_lines(stream, out))
            await out.flushed()
            tasks.cancel_scope.cancel()


def _tell(out: Outbox, told: Told) -> None:
    out.send(_encoder.encode(told) + b"\n")


async def _lines(stream: SocketStream, out: Outbox) -> AsyncGenerator[bytes]:
    lines = Lines(LINE_BYTES)
    while not out.is_gone:
        try:
            piece = await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return
        for line in lines.feed(piece):
            if isinstance(line, TooLong):
                _tell(out, refused(Misuse(f"a message may have {line.limit:,} bytes")))
            else:
                yield line


def _is_own(stream: SocketStream) -> bool:
    """The other end is of the same user; the socket's mode says so where the system cannot."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    raw = stream.extra_attributes[SocketAttribute.raw_socket]()
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return user == os.getuid()


def _make_room(path: Path) -> None:
    """Removes a socket that nobody listens at any more."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise Misuse(
                f"cannot use {str(path)!r}: {error.strerror}", hint="name another"
            ) from error
    raise Misuse(f"another program listens at {str(path)!r}", hint="name another path")
