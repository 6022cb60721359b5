"""The vendor of the benchmark: three wire formats on loopback, as a process of its own.

Usage: python -m bench.llm.server; it prints its port. Only the standard library, one thread for
each connection. The request's model says which reply it wants and how fast: ``bench-short``,
``bench-long`` (as fast as the socket takes it) or ``bench-paced``. Each event is a chunk of its
own, as vendors send them.
"""

import json
import socket
import sys
import threading
import time
from functools import cache
from itertools import count

from bench.llm.streams import Stream, make

PATHS = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}
PLANS = {"short": (2, 4, 4), "long": (600, 1_200, 600), "paced": (200, 500, 300)}
"""Deltas of thoughts, words and arguments in a reply of each name."""

EVENTS_A_SECOND = 200
_STAGGERED = count()


@cache
def stream_of(wire: str, plan: str) -> Stream:
    """The reply that a plan stands for."""
    return make(wire, *PLANS[plan])


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


@cache
def _chunks(wire: str, plan: str) -> list[bytes]:
    stream = stream_of(wire, plan)
    ending = (_chunk(stream.tail) if stream.tail else b"") + b"0\r\n\r\n"
    return [*map(_chunk, stream.frames), ending]


@cache
def _whole(wire: str, plan: str) -> bytes:
    return b"".join(_chunks(wire, plan))


def _read(connection: socket.socket, rest: bytes) -> tuple[str, str, bytes] | None:
    """The path and the plan of the next request, and what came after it."""
    while b"\r\n\r\n" not in rest:
        piece = connection.recv(65_536)
        if not piece:
            return None
        rest += piece
    head, _, rest = rest.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines[1:])}
    length = int(fields["content-length"])
    while len(rest) < length:
        rest += connection.recv(65_536)
    model = json.loads(rest[:length])["model"]
    path = lines[0].split(" ")[1].partition("?")[0]
    return path, str(model).rpartition("-")[2], rest[length:]


def _serve(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    rest = b""
    with connection:
        while True:
            try:
                asked = _read(connection, rest)
                if asked is None:
                    return
                path, plan, rest = asked
                wire = next(one for ending, one in PATHS.items() if path.endswith(ending))
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n"
                )
                if plan == "paced":
                    _pace(connection, _chunks(wire, plan))
                else:
                    connection.sendall(_whole(wire, plan))
            except ConnectionError:
                return


def _pace(connection: socket.socket, chunks: list[bytes]) -> None:
    # Streams that run beside each other send at different moments, as strangers do.
    due = time.monotonic() + next(_STAGGERED) * 0.618 % 1 / EVENTS_A_SECOND
    for chunk in chunks:
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        connection.sendall(chunk)
        due += 1 / EVENTS_A_SECOND


def main() -> None:
    """Serves until it is stopped."""
    sys.setswitchinterval(0.0005)
    for wire in PATHS.values():
        for plan in PLANS:
            _whole(wire, plan)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
