"""How long the server waits for who is slow."""

from msgspec import Struct


class Patience(Struct, frozen=True, kw_only=True):
    """Deadlines in seconds.

    Attributes:
        head: For the head of a request, from its first byte or from the connection's beginning.
        body: For its body.
        reading: For each piece of an answer to be read.
        ping: Between two pings over a websocket, and for the answer to each.
    """

    head: float = 10.0
    body: float = 30.0
    reading: float = 30.0
    ping: float = 20.0
