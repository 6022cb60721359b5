"""What goes over the websockets of the API, both ways."""

from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.core.commands import Command
from ouroboros.core.events import Envelope
from ouroboros.faces.web.snapshots import Listed
from ouroboros.faces.wording.face import Level


class _Frame(Struct, frozen=True, kw_only=True, tag_field="kind"):
    pass


class Hello(_Frame, frozen=True, kw_only=True, tag="hello"):
    """The first frame; ``seq`` is the session's last event, and those after the cursor follow.

    Attributes:
        client: The name of this connection, for presence.
    """

    session: str
    seq: int
    client: str
    api: int = 1


class Events(_Frame, frozen=True, kw_only=True, tag="events"):
    """Events in order, none twice; deltas carry the number of the event before them."""

    events: tuple[Envelope, ...]


class Lost(_Frame, frozen=True, kw_only=True, tag="gap"):
    """The reader was too slow: what was live is left out, and all after ``after`` comes again from the log."""

    after: int


class Ping(_Frame, frozen=True, kw_only=True, tag="ping"):
    """The server is there; an answer keeps a client among those who are present."""


class Pong(_Frame, frozen=True, kw_only=True, tag="pong"):
    """The reader is there; so does every other frame of its say."""


class Do(_Frame, frozen=True, kw_only=True, tag="command"):
    """A command; ``id`` is the sender's own and comes back with the answer."""

    id: str
    command: Command


class Done(_Frame, frozen=True, kw_only=True, tag="done"):
    """The command was carried out, or what it began has begun."""

    id: str


class Declined(_Frame, frozen=True, kw_only=True, tag="refused"):
    """The command, or a frame that nobody understands (then ``id`` is empty), had no effect."""

    id: str
    error: str
    hint: str = ""


class Sessions(_Frame, frozen=True, kw_only=True, tag="sessions"):
    """All open sessions; sent first, and after each change."""

    sessions: tuple[Listed, ...]


class Here(Struct, frozen=True, kw_only=True):
    """One client of this server.

    Attributes:
        session: What it looks at; empty for the list of all.
        since: Seconds for which it has been here.
        leads: It came before all others.
    """

    id: str
    session: str
    since: float
    leads: bool = False


class Present(_Frame, frozen=True, kw_only=True, tag="present"):
    """Who is here, the earliest first; who was not heard of for three beats is left out.

    Attributes:
        count: How many there are; of many only the first are named.
    """

    count: int
    clients: tuple[Here, ...]


class Told(_Frame, frozen=True, kw_only=True, tag="told"):
    """What a command says after its line was answered; it is no event, and kept nowhere."""

    text: str
    level: Level = "info"
    hint: str = ""


class Closed(_Frame, frozen=True, kw_only=True, tag="closed"):
    """The session was closed; looking at it again opens it."""

    reason: Literal["closed", "failed"] = "closed"
    error: str = ""


type Received = Do | Pong
type Sent = Hello | Events | Lost | Ping | Done | Declined | Told | Closed | Sessions | Present

read: msgspec.json.Decoder[Received] = msgspec.json.Decoder(Received)
read_command: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
write = msgspec.json.Encoder()
