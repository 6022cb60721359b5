"""Damaged, reordered and nonsensical frames end a reply; they never raise."""

import base64
import json
import random
from itertools import pairwise
from typing import Any, cast

import msgspec
import pytest

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.protocols import NAMES, by_name
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockEnded, BlockStarted, Failed, Finished, StreamEvent
from tests.cases import every
from tests.wire.recordings import KINDS, ORIGIN, Recording, kept, replies, streams

STREAMS = streams()
REPLIES = list(replies())
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
    if isinstance(value.get("bytes"), str) and chance.random() < 0.8:
        inner = mutated(json.loads(base64.b64decode(value["bytes"])), chance)
        value["bytes"] = base64.b64encode(json.dumps(inner).encode()).decode()
        return Frame(frame.event, json.dumps(value))
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


def drive(name: str, rounds: int, seed: str) -> None:
    chance = random.Random(f"{name} {seed}")
    known = [(one, one.frames()) for one in STREAMS if one.protocol == name]
    for _ in range(rounds):
        recording, whole = chance.choice(known)
        frames = shuffled(whole, chance)
        try:
            check(recording, frames)
        except BaseException:
            print(recording.path.stem, frames)
            raise


@pytest.mark.proves("spine-bad-input", "providers-protocols", "A05", "H07")
@pytest.mark.parametrize("name", NAMES)
def test_mutated_streams(name: str) -> None:
    drive(name, 250, "quick")


@pytest.mark.proves("providers-protocols")
@pytest.mark.deep
@every("name", NAMES)
def test_more_mutated_streams(name: str) -> None:
    drive(name, 1_000, "deep")


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_many_mutated_streams(name: str) -> None:
    drive(name, 100_000 // len(NAMES), "soak")


def drive_bodies(name: str, rounds: int, seed: str) -> None:
    chance = random.Random(f"{name} {seed}")
    bodies = [one for one in REPLIES if one.encoding == "json" and one.protocol == name]
    for _ in range(rounds):
        recording = chance.choice(bodies)
        body = json.dumps(mutated(recording.body, chance)).encode()
        events = by_name(recording.protocol).start(Dialect()).read(body)
        endings = [event for event in events if isinstance(event, Finished | Failed)]
        assert len(endings) == 1, body
        assert events[-1] is endings[0]
        msgspec.json.encode(events)


@pytest.mark.proves("spine-bad-input", "providers-protocols", "H10")
@every("name", NAMES)
def test_mutated_bodies(name: str) -> None:
    drive_bodies(name, 250, "bodies")


@pytest.mark.soak
@every("name", NAMES)
def test_many_mutated_bodies(name: str) -> None:
    drive_bodies(name, 5_000, "soak bodies")


def damaged(raw: bytes, chance: random.Random) -> bytes:
    """The bytes with a few of them changed, gone, doubled or foreign."""
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(raw) + 1)
        end = min(len(raw), start + chance.choice((0, 1, 1, 2, 30)))
        noise = chance.choice((
            b"",
            b"\x00",
            b"\n",
            b"\r\n\r\n",
            b'"',
            b"}",
            b"]",
            b"\xff\xfe",
            raw[start:end] * 2,
        ))
        raw = raw[:start] + noise + raw[end:]
    return raw[: chance.randrange(len(raw) + 1)] if chance.random() < 0.2 else raw


def heard(recording: Recording, raw: bytes, cuts: list[int]) -> list[StreamEvent]:
    """The events of bytes that arrive in pieces, as a route hands them on."""
    protocol = by_name(recording.protocol)
    framing = protocol.framing(KINDS[recording.encoding])
    assert framing is not None
    decoder = protocol.start(Dialect())
    events: list[StreamEvent] = []
    try:
        for start, end in pairwise((0, *sorted(cuts), len(raw))):
            for frame in framing.feed(raw[start:end]):
                events += decoder.step(frame)
        for frame in framing.end():
            events += decoder.step(frame)
    except ModelFailed as error:
        decoder.reply.fail(error.failure)
        return events + decoder.reply.take()
    return events + list(decoder.finish())


def drive_bytes(name: str, rounds: int, seed: str) -> None:
    chance = random.Random(f"{name} {seed}")
    known = [one for one in STREAMS if one.protocol == name]
    for _ in range(rounds):
        recording = chance.choice(known)
        raw = damaged(recording.raw[: chance.choice((3_000, 30_000))], chance)
        cuts = [chance.randrange(len(raw) + 1) for _ in range(5)]
        try:
            events = heard(recording, raw, cuts)
            assert heard(recording, raw, []) == events
            assert sum(isinstance(event, Finished | Failed) for event in events) == 1
            assert isinstance(events[-1], Finished | Failed)
        except BaseException:
            print(recording.path.stem, raw, cuts)
            raise


@pytest.mark.deep
@pytest.mark.proves("providers-protocols")
@every("name", NAMES)
def test_damaged_bytes(name: str) -> None:
    drive_bytes(name, 150, "quick")


@pytest.mark.soak
@every("name", NAMES)
def test_many_damaged_bytes(name: str) -> None:
    drive_bytes(name, 3_000, "soak")


@pytest.mark.proves("providers-protocols")
@every("protocol", NAMES)
@every(
    "body", [b"", b"null", b"[]", b"{}", b"<html>", b'{"error":"x"}', b'{"detail":[3]}', b"\xff"]
)
def test_a_body_that_is_no_reply_fails_or_is_empty(protocol: str, body: bytes) -> None:
    events = by_name(protocol).start(Dialect()).read(body)
    assert len(events) == 1
    assert isinstance(events[0], Failed)
    assert events[0].parts == ()
