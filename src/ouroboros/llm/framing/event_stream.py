"""AWS event streams: bytes in, frames out, the same ones however the bytes were cut."""

from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from ouroboros.core.errors import Failure
from ouroboros.llm.fields import Fields, parse, text_of
from ouroboros.llm.framing.frame import Frame

EXCEPTION = ":exception"
DAMAGE = ":damage"
FAILURES = (EXCEPTION, DAMAGE)
"""Kinds of frames that tell of a failure; no event of a vendor begins with a colon."""


class _Message(Protocol):
    @property
    def headers(self) -> Mapping[str, object]: ...

    @property
    def payload(self) -> bytes: ...


class _Buffer(Protocol):
    def add_data(self, data: bytes) -> None: ...

    def __iter__(self) -> Iterator[_Message]: ...


class Decoder:
    """Turns bytes into frames: the event's type, and its payload as text.

    What is no event but an exception or an error becomes one frame of kind ``EXCEPTION``, with its
    headers and its payload; damaged bytes become one of kind ``DAMAGE``, and nothing follows it.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response; the buffer is loaded with that."""
        self._buffer: _Buffer | None = None
        self._damage: tuple[type[Exception], ...] = ()
        self._is_damaged = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        if self._is_damaged:
            return []
        if self._buffer is None:
            self._buffer, self._damage = _open_buffer()
        self._buffer.add_data(chunk)
        return self._frames(self._buffer)

    def end(self) -> list[Frame]:
        """What was left open when the bytes ended is part of a message, and no frame."""
        return []

    def _frames(self, buffer: _Buffer) -> list[Frame]:
        frames: list[Frame] = []
        messages = iter(buffer)
        while True:
            try:
                message = next(messages, None)
                if message is None:
                    return frames
                frames.append(_frame(message))
            except self._damage as error:
                self._is_damaged = True
                return [*frames, Frame(DAMAGE, text_of({"reason": type(error).__name__}))]


def framing(kind: str) -> Decoder | None:
    """The framing of a vendor that streams these messages and answers whole in JSON."""
    return None if kind == "application/json" else Decoder()


def _open_buffer() -> tuple[_Buffer, tuple[type[Exception], ...]]:
    """AWS's own buffer where it is installed, and all that it raises for damaged bytes."""
    import struct
    from importlib import import_module

    try:
        module = import_module("botocore.eventstream")
    except ImportError:
        module = import_module("ouroboros.llm.framing.event_stream_reader")
    damage = (cast("type[Exception]", module.ParserError), struct.error, ValueError, LookupError)
    return cast("_Buffer", module.EventStreamBuffer()), damage


def _frame(message: _Message) -> Frame:
    headers = message.headers
    payload = message.payload.decode("utf-8", "replace")
    if headers.get(":message-type") not in {"exception", "error"}:
        return Frame(str(headers.get(":event-type", "")), payload)
    known = {name: value for name, value in headers.items() if isinstance(value, str)}
    return Frame(EXCEPTION, text_of({**known, "payload": payload}))


def error_of(frame: Frame) -> Fields:
    """What a frame of ``FAILURES`` tells, as far as it can be read."""
    event = parse(frame.data) or {}
    payload = event.get("payload")
    if isinstance(payload, str):
        event["payload"] = parse(payload) or {"message": payload}
    return event


def failure_of(frame: Frame, error: Fields) -> Failure:
    """The failure that a frame of ``FAILURES`` tells of."""
    if frame.event == DAMAGE:
        reason = error.get("reason", "it cannot be read")
        return Failure(
            kind="transport",
            message=f"The model's stream arrived damaged ({reason}).",
            retryable=True,
        )
    from ouroboros.llm.failures import classify

    return classify(200, {}, error, now=0.0)
