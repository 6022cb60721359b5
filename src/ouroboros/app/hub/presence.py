"""Who is here: the clients of one server know of each other.

Pure: the time is handed in.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

BEAT_SECONDS = 15.0
"""So often a client says that it is there."""

MISSED = 3
"""So many beats may be missed before a client counts as gone."""

type Look = Literal["session", "list", "browser"]


class Client(Struct, frozen=True, kw_only=True):
    """One connection.

    Attributes:
        joined: When it came, by the clock that is handed in; ``beat`` is when it was last heard of.
        session: What it looks at; empty for the list of all.
    """

    id: str
    joined: float
    beat: float
    session: str = ""
    look: Look = "session"


class Presence:
    """Those who are here, in the order in which they came."""

    def __init__(self) -> None:
        """Nobody is."""
        self._clients: dict[str, Client] = {}

    def join(self, id: str, now: float, *, session: str = "", look: Look = "session") -> Client:
        """One more is here."""
        client = Client(id=id, joined=now, beat=now, session=session, look=look)
        self._clients[id] = client
        return client

    def beat(self, id: str, now: float) -> bool:
        """It is still here; true where that is news, since it counted as gone."""
        client = self._clients.get(id)
        if client is None:
            return False
        self._clients[id] = replace(client, beat=now)
        return _is_stale(client, now)

    def leave(self, id: str) -> None:
        """It is not here any more; nothing happens where it never was."""
        self._clients.pop(id, None)

    def present(self, now: float) -> tuple[Client, ...]:
        """Those who were heard of, the one that leads first: it came before all others."""
        return tuple(each for each in self._clients.values() if not _is_stale(each, now))

    def leader(self, now: float) -> str:
        """The one that came first of those who are here; empty where nobody is."""
        return next((each.id for each in self.present(now)), "")


def _is_stale(client: Client, now: float) -> bool:
    return now - client.beat > MISSED * BEAT_SECONDS
