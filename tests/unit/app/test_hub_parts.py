"""The pure parts of a hub: who is here, what waits for a reader, and what is being said."""

import pytest
from msgspec.structs import replace

from ouroboros.app.hub.feed import Feed
from ouroboros.app.hub.presence import Presence
from ouroboros.app.hub.tail import Tail
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    TaskCompleted,
    ToolProgress,
    TurnStarted,
)
from ouroboros.core.events.turn import DeltaPhase
from ouroboros.core.parts import Message, Text


def envelope(data: Event, seq: int) -> Envelope:
    return Envelope(
        id="evt" if data.durable else "",
        session="ses",
        turn=1,
        seq=seq,
        ts=0.0,
        type=data.type,
        source=data.source,
        data=data,
    )


def delta(text: str, *, part: int = 0, phase: DeltaPhase = "delta", seq: int = 1) -> Envelope:
    return envelope(ModelDelta(part=part, phase=phase, text=text), seq)


def turn(seq: int) -> Envelope:
    return envelope(TurnStarted(turn=seq), seq)


def reply(seq: int, *, partial: bool = False) -> Envelope:
    message = Message(id="msg", role="assistant", parts=(Text(text="x"),))
    return envelope(AgentMessage(message=message, stop_reason="end", partial=partial), seq)


def said(found: list[Envelope]) -> list[tuple[int, str, str]]:
    return [
        (each.data.part, each.data.phase, each.data.text)
        for each in found
        if isinstance(each.data, ModelDelta)
    ]


@pytest.mark.proves("T13")
def test_the_first_who_came_leads_and_who_misses_three_beats_counts_as_gone() -> None:
    here = Presence()
    for at, name in enumerate("abc"):
        here.join(name, float(at), session=f"ses_{name}")
    assert [each.id for each in here.present(3.0)] == ["a", "b", "c"]
    assert here.leader(3.0) == "a"
    late = 45.5
    assert here.leader(45.0) == "a", "three beats of 15 s may be missed"
    assert here.beat("b", late - 1.0) is False
    assert [each.id for each in here.present(late)] == ["b", "c"]
    assert here.leader(late) == "b"
    assert here.beat("a", late) is True
    assert here.leader(late) == "a", "it came before the others, and is here again"
    here.leave("a")
    here.leave("nobody")
    assert here.beat("a", late) is False
    assert here.leader(late) == "b"
    assert here.leader(10 * late) == ""


def test_a_feed_loses_deltas_first_and_then_itself() -> None:
    feed = Feed(4)
    for each in (turn(1), delta("a"), delta("b"), turn(2), turn(3), delta("c", seq=3)):
        feed.put(each)
    assert [each.seq for each in feed.take(0)] == [1, 2, 3, 3]
    for number in range(4, 10):
        feed.put(turn(number))
    assert feed.is_lost
    assert feed.take(3) == []
    feed.put(turn(10))
    assert feed.take(3) == [], "it takes nothing more until its reader has caught up"
    feed.start_over()
    feed.put(turn(11))
    assert [each.seq for each in feed.take(10)] == [11]


def test_a_feed_gives_nothing_twice_to_who_has_read_on_from_the_log() -> None:
    feed = Feed(10)
    for each in (turn(4), delta("old", seq=4), turn(5), delta("new", seq=5), turn(6)):
        feed.put(each)
    assert [(each.seq, each.data.durable) for each in feed.take(5)] == [(5, False), (6, True)]


def test_a_reader_in_the_middle_of_a_reply_gets_each_open_block_from_its_beginning() -> None:
    tail = Tail()
    begun = (delta("", phase="start"), delta("Hel"), delta("lo"), delta("", phase="end"))
    for each in (*begun, delta("", part=1, phase="start"), delta("wor", part=1)):
        tail.take(each)
    assert said(tail.of(7, output=True)) == [
        (0, "start", ""),
        (0, "delta", "Hello"),
        (0, "end", ""),
        (1, "start", ""),
        (1, "delta", "wor"),
    ]
    assert {each.seq for each in tail.of(7, output=True)} == {7}
    tail.take(reply(8, partial=True))
    assert said(tail.of(8, output=True)) == [(1, "start", ""), (1, "delta", "wor")]
    tail.take(delta("", part=1, phase="start"))
    assert said(tail.of(8, output=True)) == [(1, "start", "")], "a reply that is asked for again"
    tail.take(reply(9))
    assert tail.of(9, output=True) == []


def test_output_of_a_call_is_bounded_and_only_for_who_has_none_of_it() -> None:
    tail = Tail()
    piece = envelope(ToolProgress(call_id="c", part=0, text="x" * 1_000), 3)
    for number in range(200):
        data = replace(ToolProgress(call_id="c", part=number, text="x" * 1_000))
        tail.take(replace(piece, data=data))
    found = tail.of(3, output=True)
    assert 60 <= len(found) <= 66
    assert isinstance(last := found[-1].data, ToolProgress)
    assert last.part == 199
    assert tail.of(3, output=False) == []
    tail.take(envelope(TaskCompleted(reason="completed", final=""), 4))
    assert tail.of(4, output=True) == []
