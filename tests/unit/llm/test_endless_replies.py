"""Replies without an end, or with far more in them than anybody needs, cost little and then fail."""

from collections.abc import Sequence

import anyio
import msgspec
import pytest
from anyio.lowlevel import checkpoint

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.catalog import discovery
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame, sse
from ouroboros.llm.http_route import REPLY_BYTES
from ouroboros.llm.lifecycle import MOST_PARTS, MOST_TEXT
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import Failed
from ouroboros.llm.turns import Turn
from ouroboros.testing.raw import LAST, Answer, Speech, Step, chunk
from tests.cases import every
from tests.unit.llm.fault_ground import asked, facing, listen
from tests.unit.llm.test_fault_matrix_answers import MEBI, gzipped, packed_head

pytestmark = pytest.mark.real

COMMENT = gzipped((b":" + b" " * 65_534 + b"\n") * 16)


def bomb(speech: Speech) -> Sequence[Step]:
    members = COMMENT * (REPLY_BYTES // MEBI + 8)
    assert len(members) < 2 * MEBI
    return [packed_head(speech, "gzip"), chunk(members), LAST]


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
async def test_what_unpacks_without_an_end_is_given_up_and_lets_others_run() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await checkpoint()
            turns += 1

    async with (
        facing([bomb], Turn(text="x"), "openai-chat") as (client, server, _),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(others)
        events, error = await listen(client, asked("openai-chat"))
        assert error is not None
        assert f"more than {REPLY_BYTES} bytes" in error.message
        assert isinstance(events[-1], Failed)
        assert len(server.exchanges) == 1
        tasks.cancel_scope.cancel()
    assert turns > REPLY_BYTES // MEBI


def test_an_event_of_endless_lines_is_refused() -> None:
    decoder = sse.Decoder()
    lines = b"data: " + b"x" * (sse.LARGEST_BYTES // 20) + b"\n"
    for _ in range(19):
        decoder.feed(lines)
    with pytest.raises(ModelFailed, match="An event of the stream") as caught:
        decoder.feed(lines)
    assert caught.value.failure.kind == "transport"


def test_events_that_each_end_with_the_next_read_may_go_on_for_ever() -> None:
    decoder = sse.Decoder()
    lines = b"\ndata: " + b"x" * (sse.LARGEST_BYTES // 40) + b"\n"
    assert sum(len(decoder.feed(lines)) for _ in range(50)) == 49


@pytest.mark.deep
def test_a_list_of_models_is_taken_as_far_as_it_makes_sense() -> None:
    many = b",".join(b'{"id":"m%d"}' % number for number in range(discovery.MOST_LISTED + 5))
    odd = b'{"id":"a\\u001b[31m"},{"id":"%b"},{"id":"big","context_length":%d}' % (
        b"x" * 600,
        10**30,
    )
    found = discovery.parse(b'{"data":[%b,%b]}' % (odd, many))
    assert found is not None
    assert len(found) == discovery.MOST_LISTED - 2
    assert list(found)[:2] == ["big", "m0"]
    assert found["big"].window is None


@every(
    "pricing",
    [
        b'"input":-5,"output":-1',
        b'"input":1,"output":-1',
        b'"prompt":"1","completion":"1","input_cache_read":"-1"',
    ],
)
def test_a_price_below_nothing_is_no_price(pricing: bytes) -> None:
    found = discovery.parse(b'{"data":[{"id":"m","pricing":{%b}}]}' % pricing)
    assert found is not None
    assert found["m"].price is None


def calls_for_ever(speech: Speech) -> Sequence[Step]:
    delta = (
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":%s}]}}]}'
    )
    function = '{"name":"read","arguments":"{}"}'
    frames = "".join(
        f"data: {delta % (number, number, function)}\n\n" for number in range(MOST_PARTS + 9)
    )
    return [speech.head, chunk(frames.encode()), chunk(b"data: [DONE]\n\n"), LAST]


def words_for_ever(speech: Speech) -> Sequence[Step]:
    delta = '{"choices":[{"index":0,"delta":{"content":"%s"}}]}' % ("x" * (MOST_TEXT // 8))
    frame = f"data: {delta}\n\n".encode()
    return [speech.head, *([chunk(frame)] * 9), chunk(b"data: [DONE]\n\n"), LAST]


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize(
    ("answer", "said"),
    [(calls_for_ever, f"{MOST_PARTS} parts"), (words_for_ever, f"{MOST_TEXT} characters")],
)
async def test_a_reply_that_goes_on_and_on_is_given_up(answer: Answer, said: str) -> None:
    async with facing([answer], Turn(text="x"), "openai-chat") as (client, server, _):
        events, error = await listen(client, asked("openai-chat"))
        assert error is not None
        assert f"more than {said}" in error.message
        assert isinstance(events[-1], Failed)
        assert len([event for event in events if isinstance(event, Failed)]) == 1
        assert len(server.exchanges) == 1


def test_citations_are_kept_in_order_whatever_stood_there_first() -> None:
    decoder = by_name("anthropic-messages").start(Dialect())
    begun = {"type": "text", "text": "", "citations": {"odd": 1}}
    said = {"type": "text_delta", "text": "so"}
    cited = [{"type": "citations_delta", "citation": {"number": number}} for number in range(99)]
    events = [
        {"type": "content_block_start", "index": 0, "content_block": begun},
        *({"type": "content_block_delta", "index": 0, "delta": one} for one in (said, *cited)),
    ]
    for event in events:
        decoder.step(Frame("", msgspec.json.encode(event).decode()))
    [part] = decoder.reply.parts()
    assert msgspec.to_builtins(part)["meta"]["citations"] == [each["citation"] for each in cited]
