"""The recorded exchanges, and a reply as a message that can be sent back."""

import base64
import json
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ouroboros.core.parts import Message, Origin, Part
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame, Framing
from ouroboros.llm.framing.sse import Decoder
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import Failed, Finished, StreamEvent

FOLDER = Path(__file__).parent / "recorded"
FILES = sorted(FOLDER.glob("*/*.json"))
KINDS = {
    "sse": "text/event-stream",
    "base64-eventstream": "application/vnd.amazon.eventstream",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
}
"""How a stream is written down, and the content type it came with."""

ORIGIN = Origin(provider="vendor", protocol="any", model="model")


class Recording(NamedTuple):
    """One exchange."""

    path: Path
    protocol: str
    encoding: str
    status: int
    body: Any
    facts: dict[str, Any]

    @property
    def raw(self) -> bytes:
        """The response's bytes."""
        if self.encoding == "base64-eventstream":
            return base64.b64decode(self.body)
        if isinstance(self.body, str):
            return self.body.encode()
        # Google prints a list over many lines.
        return json.dumps(self.body, indent=2 if isinstance(self.body, list) else None).encode()

    @property
    def is_stream(self) -> bool:
        """Whether it came in pieces; a list of JSON objects did."""
        return self.encoding != "json" or isinstance(self.body, list)

    def frames(self, cuts: Sequence[int] = ()) -> list[Frame]:
        """The frames of a stream, when its bytes arrive in pieces that end at ``cuts``."""
        framing = by_name(self.protocol).framing(KINDS[self.encoding])
        assert framing is not None
        return frames_of(self.raw, cuts, framing)


def load(path: Path) -> Recording:
    record = json.loads(path.read_bytes())
    return Recording(
        path,
        record["protocol"],
        record["encoding"],
        record["status"],
        record["response_body"],
        record["facts"],
    )


def replies() -> Iterator[Recording]:
    """Exchanges that are no HTTP errors."""
    for path in FILES:
        recording = load(path)
        if recording.status == 200:
            yield recording


def streams() -> list[Recording]:
    return [recording for recording in map(load, FILES) if recording.is_stream]


def frames_of(raw: bytes, cuts: Sequence[int] = (), framing: Framing | None = None) -> list[Frame]:
    """The frames, when the bytes arrive in pieces that end at ``cuts``."""
    decoder = framing or Decoder()
    places = [0, *sorted(cuts), len(raw)]
    found: list[Frame] = []
    for start, end in pairwise(places):
        found += decoder.feed(raw[start:end])
    return found + decoder.end()


def events_of(recording: Recording, dialect: Dialect | None = None) -> list[StreamEvent]:
    """All events of the first reply in a recording."""
    decoder = by_name(recording.protocol).start(dialect or Dialect())
    if not recording.is_stream:
        return list(decoder.read(recording.raw))
    events: list[StreamEvent] = []
    for frame in recording.frames():
        events += decoder.step(frame)
    return events + list(decoder.finish())


def parts_of(recording: Recording) -> tuple[Part, ...]:
    last = events_of(recording)[-1]
    assert isinstance(last, Finished | Failed)
    return last.parts


def kept(parts: tuple[Part, ...], origin: Origin = ORIGIN) -> Message:
    """A reply after a trip through the log."""
    message = Message(id="reply", role="assistant", parts=parts, origin=origin)
    return msgspec.json.decode(msgspec.json.encode(message), type=Message)


def some_cuts(raw: bytes, number: int, seed: str) -> list[int]:
    chance = random.Random(seed)
    return [chance.randrange(len(raw) + 1) for _ in range(number)]
