"""Old images go first, in blocks, and never the latest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.context import images, tokens
from ouroboros.agent.context.messages import Builder
from ouroboros.agent.mind import ToolMind
from ouroboros.agent.speaking.speaker import Tuning
from ouroboros.core.parts import Media, Message, Text, ToolCall, ToolResult
from ouroboros.core.state import State
from ouroboros.testing.ids import SequentialIds
from tests.cases import every
from tests.unit.agent.test_lineup import lineup

counts_of_messages = st.lists(st.integers(0, 4), max_size=40)


def shot(number: int) -> Media:
    return Media(media_type="image/png", data=f"shot{number}")


def said(number: int, *more: Media) -> Message:
    text = Text(text=f"look {number}")
    return Message(id=f"u{number}", role="user", parts=(shot(number), *more, text))


def sent(messages: tuple[Message, ...]) -> list[str]:
    """The images that travel, in order."""
    found: list[str] = []
    for message in messages:
        for part in message.parts:
            inner = part.parts if isinstance(part, ToolResult) else (part,)
            found += [one.data for one in inner if isinstance(one, Media)]
    return found


@pytest.mark.proves("J12")
def test_the_budget_is_the_smallest_of_three() -> None:
    assert images.most(40_000, 1_000_000) == 20
    assert images.most(40_000, 128_000) == 16
    assert images.most(40_000, 1_000_000, vendor=5) == 5
    assert images.most(0, 8_000) == 1


@pytest.mark.proves("J12")
@given(counts=counts_of_messages, most=st.integers(1, 12))
def test_what_is_dropped_only_grows_and_the_latest_stays(counts: list[int], most: int) -> None:
    before = 0
    for length in range(len(counts) + 1):
        total = sum(counts[:length])
        dropped = images.dropped(counts[:length], most)
        latest = next((number for number in reversed(counts[:length]) if number), 0)
        assert before <= dropped <= total - latest
        assert total - dropped <= max(most, latest)
        before = dropped


def test_thirty_screenshots_change_the_beginning_twice() -> None:
    state, builder = State(), Builder()
    changes, last = 0, builder.build(state, 16)
    for number in range(30):
        state.history.append(said(number))
        built = builder.build(state, 16)
        changes += built[: len(last)] != last
        last = built
        kept = sent(built)
        assert kept == [f"shot{one}" for one in range(number + 1)][-len(kept) :]
        assert min(number + 1, 9) <= len(kept) <= 16
    assert changes == 2
    assert last[0].text == "(The older image is left out here.)look 0"
    assert builder.build(state) == tuple(state.history)
    assert Builder().build(state, 16) == last


@pytest.mark.proves("J12")
def test_images_in_results_are_dropped_one_by_one() -> None:
    call = ToolCall(id="c", name="screenshot")
    state = State(history=[Message(id="a", role="assistant", parts=(call,)), said(3), said(4)])
    state.results["c"] = ToolResult(
        call_id="c", name="screenshot", parts=(shot(0), Text(text="two"), shot(1))
    )
    built = Builder().build(state, 3)
    assert sent(built) == ["shot1", "shot3", "shot4"]
    result = built[1].parts[0]
    assert isinstance(result, ToolResult)
    assert result.text == "(The older image is left out here.)two"
    assert state.results["c"].parts[0] == shot(0)


def test_the_newest_message_keeps_all_of_its_images() -> None:
    state = State(history=[said(0), said(1, shot(2), shot(3))])
    assert sent(Builder().build(state, 2)) == ["shot1", "shot2", "shot3"]


def test_other_media_than_images_stay() -> None:
    paper = Media(media_type="application/pdf", data="paper", name="a.pdf")
    first = Message(id="p", role="user", parts=(paper,))
    state = State(history=[first, said(1), said(2)])
    assert sent(Builder().build(state, 1)) == ["paper", "shot2"]


@pytest.mark.proves("J12")
def test_images_that_are_left_out_do_not_count_as_used() -> None:
    state, builder = State(history=[said(number) for number in range(5)]), Builder()
    assert builder.relief(state, 4) == 2 * 2000
    assert tokens.used(state, 0) - builder.relief(state, 4) < 3 * 2000 + 100
    reply = Message(id="a", role="assistant", parts=(Text(text="seen"),))
    state.history.append(reply)
    state.measured_tokens, state.measured_at = 9_000, len(state.history)
    assert builder.relief(state, 4) == 0
    state.history += [said(5), said(6)]
    assert builder.relief(state, 4) == 2 * 2000
    assert sent(builder.build(state, 4)) == ["shot4", "shot5", "shot6"]


@pytest.mark.proves("J12")
@every(("most", "is_full"), [(4, False), (16, True)])
async def test_images_that_are_left_out_make_room(most: int, is_full: bool) -> None:
    told = ToolMind(
        lineup=lineup()[0],
        prompts={},
        system=(),
        tools=lambda: (),
        ids=SequentialIds(),
        context=lambda state: None,
    )
    reply = Message(id="a", role="assistant", parts=(Text(text="seen"),))
    state = State(history=[*(said(number) for number in range(5)), reply])
    tuning = Tuning(most_images=most, fixed_limit=8_000)
    assert told.would_fill(state, tuning) == is_full
