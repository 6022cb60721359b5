"""Runs inside a network namespace: hands a listener on its loopback out to the proxy, and ends.

    python -I -S outlet.py DESCRIPTOR PORT

A socket stays in the namespace that it was made in, so the proxy accepts what connects in there, and nothing
else leads out. This file knows nothing but the standard library.
"""

import socket
import sys


def main(words: list[str]) -> None:
    """Makes the listener and sends it away."""
    descriptor, port = map(int, words)
    with (
        socket.create_server(("127.0.0.1", port), backlog=128) as listener,
        socket.socket(fileno=descriptor) as outside,
    ):
        socket.send_fds(outside, [b"."], [listener.fileno()])


if __name__ == "__main__":
    main(sys.argv[1:])
