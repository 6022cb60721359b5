"""Damaged, reordered and nonsensical frames end a reply; they never raise."""

import json
import random
from typing import Any, cast

import msgspec
import pytest

from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockEnded, BlockStarted, Failed, Finished, StreamEvent
from tests.wire.recordings import ORIGIN, Recording, kept, replies, streams

STREAMS = streams()
JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1e300,
    "",
    "x",
    "tool_use",
    "\ud83d",
    "}",
    [],
    [None],
    [[]],
    {},
    {"text": 1},
    {"type": "text"},
    [{"index": 0}],
    {"message": "?"},
)


def mutated(value: Any, chance: random.Random) -> Any:
    """The value with something in it replaced, removed or doubled."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        copy = dict(cast("dict[str, Any]", value))
        key = chance.choice(sorted(copy))
        if chance.random() < 0.15:
            del copy[key]
        else:
            copy[key] = mutated(copy[key], chance)
        return copy
    if isinstance(value, list) and value and chance.random() < 0.8:
        items = list(cast("list[Any]", value))
        place = chance.randrange(len(items))
        items[place] = mutated(items[place], chance)
        return items * chance.choice((1, 1, 2))
    return chance.choice(JUNK)


def mutated_frame(frame: Frame, chance: random.Random) -> Frame:
    if chance.random() < 0.2 or frame.data[:1] != "{":
        place = chance.randrange(len(frame.data) + 1)
        noise = chance.choice(('"', "}", "{", "\\ud83d", "\x00", "[" * 2000, "é"))
        return Frame(frame.event, frame.data[:place] + noise + frame.data[place + 1 :])
    try:
        value = json.loads(frame.data)
    except ValueError:
        return frame
    return Frame(frame.event, json.dumps(mutated(value, chance)))


def shuffled(frames: list[Frame], chance: random.Random) -> list[Frame]:
    """A short stream with frames changed, dropped, doubled or moved."""
    start = chance.choice((0, 0, 0, chance.randrange(len(frames))))
    found: list[Frame] = []
    for frame in [*frames[start : start + 12], *frames[-6:]]:
        draw = chance.random()
        if draw < 0.35:
            found.append(mutated_frame(frame, chance))
        elif draw < 0.42:
            found += [frame, frame]
        elif draw > 0.5:
            found.append(frame)
    if chance.random() < 0.2:
        chance.shuffle(found)
    return found


def check(recording: Recording, frames: list[Frame]) -> None:
    protocol = by_name(recording.protocol)
    decoder = protocol.start(Dialect())
    events: list[StreamEvent] = []
    for frame in frames:
        events += decoder.step(frame)
    events += decoder.finish()
    endings = [event for event in events if isinstance(event, Finished | Failed)]
    assert len(endings) == 1
    assert events[-1] is endings[0]
    started = sorted(event.part for event in events if isinstance(event, BlockStarted))
    assert started == sorted(event.part for event in events if isinstance(event, BlockEnded))
    msgspec.json.encode(events)
    message = kept(endings[0].parts)
    dialect = Dialect(reasoning_send_back="details", stateless=False)
    json.loads(protocol.build_body(Request(model="m", messages=(message,)), dialect, ORIGIN))


def drive(rounds: int, seed: str) -> None:
    chance = random.Random(seed)
    known = {recording.path: recording.frames() for recording in STREAMS}
    for _ in range(rounds):
        recording = chance.choice(STREAMS)
        frames = shuffled(known[recording.path], chance)
        try:
            check(recording, frames)
        except BaseException:
            print(recording.path.stem, frames)
            raise


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_mutated_streams(seed: str) -> None:
    drive(800, seed)


def drive_bodies(rounds: int, seed: str) -> None:
    chance = random.Random(seed)
    bodies = [recording for recording in replies() if recording.encoding == "json"]
    for _ in range(rounds):
        recording = chance.choice(bodies)
        body = json.dumps(mutated(recording.body, chance)).encode()
        events = by_name(recording.protocol).decode(body, Dialect())
        endings = [event for event in events if isinstance(event, Finished | Failed)]
        assert len(endings) == 1, body
        assert events[-1] is endings[0]
        msgspec.json.encode(events)


def test_mutated_bodies() -> None:
    drive_bodies(1500, "bodies")


@pytest.mark.deep
def test_many_mutated_bodies() -> None:
    drive_bodies(30_000, "deep bodies")


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
def test_many_mutated_streams(seed: int) -> None:
    drive(10_000, f"deep {seed}")


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic-messages"])
@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{}", b"<html>", b'{"error":"x"}', b'{"detail":[3]}', b"\xff"]
)
def test_a_body_that_is_no_reply_fails_or_is_empty(protocol: str, body: bytes) -> None:
    events = by_name(protocol).decode(body, Dialect())
    assert len(events) == 1
    assert isinstance(events[0], Failed)
    assert events[0].parts == ()
