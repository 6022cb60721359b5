"""Envelopes as bytes and back: one line of JSON an event.

All families are imported here and only here, so that a live run does not pay for the ones it
does not use.
"""

from functools import cache
from inspect import isclass
from types import ModuleType

import msgspec

from ouroboros.core.events import (
    approval,
    asides,
    browser,
    call,
    changes,
    checkpoint,
    code,
    fleet,
    goal,
    guardian,
    hooks,
    memory,
    network,
    process,
    question,
    review,
    run,
    safety,
    session,
    turn,
)
from ouroboros.core.events.envelope import Envelope, Event, Source

SCHEMA_VERSION = 1


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """An envelope whose data is still bytes."""

    v: int
    id: str
    session: str
    turn: int
    seq: int
    ts: float
    type: str
    source: Source
    data: msgspec.Raw


class Unreadable(ValueError):
    """A line that is not an event of a version and type this build knows."""


_sealed = msgspec.json.Decoder(Sealed)


@cache
def registry() -> dict[str, type[Event]]:
    """Every event type by its name on the wire."""
    found: dict[str, type[Event]] = {}
    families = (
        approval,
        asides,
        browser,
        call,
        changes,
        checkpoint,
        code,
        fleet,
        goal,
        guardian,
        hooks,
        memory,
        network,
        process,
        question,
        review,
        run,
        safety,
        session,
        turn,
    )
    for family in families:
        for event in _events_of(family):
            found[event.type] = event
    return found


def decode(line: bytes) -> Envelope:
    """Reads one event.

    Raises:
        Unreadable: The line is torn, of a later version, or of an unknown type.
    """
    try:
        sealed = _sealed.decode(line)
        if sealed.v > SCHEMA_VERSION:
            raise Unreadable(
                f"event {sealed.id!r} has schema {sealed.v}, known is {SCHEMA_VERSION}"
            )
        decoder = _decoder(sealed.type)
        data = decoder.decode(sealed.data)
    except (msgspec.DecodeError, RecursionError) as broken:
        raise Unreadable(f"not an event: {broken}") from broken
    return Envelope(
        v=sealed.v,
        id=sealed.id,
        session=sealed.session,
        turn=sealed.turn,
        seq=sealed.seq,
        ts=sealed.ts,
        type=sealed.type,
        source=sealed.source,
        data=data,
    )


@cache
def _decoder(name: str) -> msgspec.json.Decoder[Event]:
    known = registry().get(name)
    if known is None:
        raise Unreadable(f"unknown event type {name!r}")
    return msgspec.json.Decoder(known)


def _events_of(family: ModuleType) -> list[type[Event]]:
    return [
        value
        for value in vars(family).values()
        if isclass(value) and issubclass(value, Event) and value.type
    ]
