"""Every recorded exchange reads as an independent decoder read it, however its bytes are cut."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from ouroboros.app.offline.stream import Facts, decode_exchange, facts_of_frames
from ouroboros.core.parts import ToolCall
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import BlockEnded, BlockGrew, BlockStarted, CallReady, Failed, Finished
from tests.cases import deep_after, every
from tests.wire.recordings import FILES, Recording, events_of, load, some_cuts, streams

SMALL = 1_500
FOLDERS = sorted({path.parent.name for path in FILES})
STREAMS = streams()
REPLIES = [recording for recording in map(load, FILES) if recording.status == 200]


def name_of(recording: Recording) -> str:
    return recording.path.stem


def expected(facts: dict[str, Any]) -> dict[str, Any]:
    names = ("text", "reasoning", "raw_stop_reason", "raw_usage", "error")
    calls = [
        {key: call[key] for key in ("id", "name", "arguments", "server") if key in call}
        for call in facts["tool_calls"]
    ]
    return {**{name: facts[name] for name in names}, "tool_calls": calls}


def read(facts: Facts) -> dict[str, Any]:
    """Our facts as theirs, who did not put arguments together that come value by value."""
    found = msgspec.to_builtins(facts)
    for call in found["tool_calls"]:
        call.pop("pieced", None)
    return found


@pytest.mark.proves("spine-llm", "providers-protocols")
def test_all_recordings_are_here() -> None:
    folders = [path.parent.name for path in FILES]
    counts = {name: folders.count(name) for name in set(folders)}
    assert counts == {
        "openai-chat": 69,
        "openai-responses": 59,
        "anthropic-messages": 60,
        "bedrock-converse": 47,
        "bedrock-invoke-stream": 23,
        "gemini": 49,
        "ollama-chat": 6,
    }


@pytest.mark.proves("spine-llm", "providers-protocols")
@every("folder", FOLDERS)
def test_a_recording_decodes_to_its_facts(folder: str) -> None:
    for path in (path for path in FILES if path.parent.name == folder):
        wanted = expected(load(path).facts)
        facts = read(decode_exchange(path.read_bytes()).facts)
        assert {name: facts[name] for name in wanted} == wanted, path.name


@pytest.mark.deep
@pytest.mark.proves("providers-protocols", "H09")
@pytest.mark.parametrize("folder", deep_after(2, FOLDERS))
def test_cuts_change_no_frame(folder: str) -> None:
    for recording in (each for each in STREAMS if each.path.parent.name == folder):
        changed = [places for places, is_same in cut(recording) if not is_same]
        assert changed == [], recording.path.name


def cut(recording: Recording) -> Iterator[tuple[list[int], bool]]:
    """Places to cut a recording at, and whether its frames are then the same."""
    raw = recording.raw
    whole = recording.frames()
    if len(raw) < SMALL:
        cuts = [[place] for place in range(len(raw) + 1)] + [list(range(len(raw)))]
    else:
        cuts = [[place] for place in some_cuts(raw, 14, recording.path.stem)]
        cuts.append(some_cuts(raw, 50, recording.path.stem + "*"))
    for places in cuts:
        yield places, recording.frames(places) == whole


@pytest.mark.soak
@every("recording", STREAMS, ids=name_of)
def test_many_cuts_change_no_fact(recording: Recording) -> None:
    raw = recording.raw
    whole = recording.frames()
    protocol = by_name(recording.protocol)
    wanted = expected(recording.facts)
    for place in some_cuts(raw, 1_000, "soak" + recording.path.stem):
        assert recording.frames([place]) == whole
    for seed in range(5):
        frames = recording.frames(some_cuts(raw, 300, f"{seed}{recording.path.stem}"))
        facts = read(facts_of_frames(protocol, frames))
        assert {name: facts[name] for name in wanted} == wanted


@pytest.mark.proves("H07")
@every("recording", REPLIES, ids=name_of)
def test_blocks_open_grow_close_and_the_reply_ends_once(recording: Recording) -> None:
    events = events_of(recording)
    open_blocks: dict[int, str] = {}
    seen: set[int] = set()
    for event in events[:-1]:
        match event:
            case BlockStarted(part=part, kind=kind):
                assert part not in seen
                seen.add(part)
                open_blocks[part] = kind
            case BlockGrew(part=part, kind=kind, text=text):
                assert open_blocks[part] == kind
                assert text
            case BlockEnded(part=part, kind=kind):
                assert open_blocks.pop(part) == kind
            case CallReady():
                pass
            case _:
                pytest.fail(f"{event} before the end")
    assert open_blocks == {}
    last = events[-1]
    assert isinstance(last, Finished | Failed)
    ready = [event.call for event in events if isinstance(event, CallReady)]
    kept = [part for part in last.parts if isinstance(part, ToolCall)]
    assert sorted(call.id for call in ready) == sorted(call.id for call in kept)


@pytest.mark.deep
@pytest.mark.proves("H07")
@every("recording", STREAMS, ids=name_of)
def test_a_stream_that_stops_anywhere_still_ends_once(recording: Recording) -> None:
    frames = recording.frames()
    step = max(1, len(frames) // 8)
    for length in range(0, len(frames), step):
        decoder = by_name(recording.protocol).start(Dialect())
        events = [event for frame in frames[:length] for event in decoder.step(frame)]
        events += decoder.finish()
        events += decoder.finish()
        endings = [event for event in events if isinstance(event, Finished | Failed)]
        assert len(endings) == 1
        assert events[-1] is endings[0]
        started = sum(isinstance(event, BlockStarted) for event in events)
        assert started == sum(isinstance(event, BlockEnded) for event in events)
