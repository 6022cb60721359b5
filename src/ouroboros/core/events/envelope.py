"""The envelope every event travels in, and what all events have in common."""

from typing import ClassVar, Literal

from msgspec import Struct

type Source = Literal["user", "agent", "system"]

# gc=False: an event never leads back to itself, and a log of 100,000 is not worth tracking.


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A fact. ``type`` is its name on the wire; ``durable`` events are numbered and kept."""

    type: ClassVar[str] = ""
    durable: ClassVar[bool] = True
    source: ClassVar[Source] = "system"


class Envelope(Struct, frozen=True, kw_only=True, gc=False):
    """One event with its place in a session.

    Attributes:
        v: Version of this schema.
        seq: 1, 2, 3 … without a gap for durable events; a delta carries the number of the last
            durable event before it, and its ``data`` a part number.
        ts: Seconds since the epoch.
        turn: 0 before the first turn.
    """

    v: int = 1
    id: str
    session: str
    turn: int
    seq: int
    ts: float
    type: str
    source: Source
    data: Event
