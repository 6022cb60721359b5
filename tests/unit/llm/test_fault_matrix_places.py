"""A reply that breaks off: every way, at every place, in every wire format."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from anyio import create_task_group

from ouroboros.core.parts import Text
from ouroboros.llm.stream import BlockGrew, CallReady, Failed, Finished, Retrying, StreamEvent
from ouroboros.llm.turns import Fault, ScriptedCall, Turn
from ouroboros.testing.raw import LAST, Answer, Close, Drip, Pause, Speech, Step, chunk, head
from ouroboros.testing.replies import event_stream
from ouroboros.testing.replies.piece import REFUSALS
from tests.cases import deep_after, every
from tests.passing import hurrying
from tests.unit.llm.fault_ground import FEW, FORMATS, asked, calls, facing, listen, said

pytestmark = pytest.mark.real

WORDS = "Hello there, this is a reply."
TEXT = Turn(text=WORDS, chunk=4)
LONG = ScriptedCall(name="read", arguments={"path": "a/rather/long/path.txt"})
CALL = Turn(tool_calls=(LONG,), chunk=4)
SILENCE = 1.5

type Part = Callable[[Speech], bytes]
type Fate = Callable[[Speech, bytes], Sequence[Step]]


def up_to_half(speech: Speech) -> bytes:
    """Frames with half of the turn's characters, and half of the frame behind them."""
    total, sent, begun = sum(piece.characters for piece in speech.pieces), 0, b""
    for piece in speech.pieces:
        if piece.characters and sent >= total // 2:
            return begun + piece.frame[: len(piece.frame) // 2]
        sent += piece.characters
        if piece.characters == total:  # a call that comes whole is cut within
            return begun + piece.frame[: len(piece.frame) // 2]
        begun += piece.frame
    raise AssertionError


PLACES: dict[str, tuple[Turn, Part]] = {
    "the first byte": (TEXT, lambda speech: speech.body[:1]),
    "mid-text": (TEXT, up_to_half),
    "mid-arguments": (CALL, up_to_half),
    "the last byte": (TEXT, lambda speech: speech.body[:-1]),
}

FATES: dict[str, Fate] = {
    "ends": lambda speech, begun: [speech.head, chunk(begun), LAST],
    "closes": lambda speech, begun: [speech.head, chunk(begun), Close()],
    "resets": lambda speech, begun: [speech.head, chunk(begun), Pause(0.02), Close(reset=True)],
    "falls silent": lambda speech, begun: [speech.head, chunk(begun), Pause(3600)],
    "turns to nonsense": lambda speech, begun: [
        speech.head,
        chunk(begun + b"\n\n" + speech.speaks.manner.garbage),
        LAST,
    ],
}


def goes_wrong(part: Part, fate: Fate) -> Answer:
    return lambda speech: fate(speech, part(speech))


def whole(speech: Speech) -> Sequence[Step]:
    return [speech.whole]


def before_retry(events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
    place = next(n for n, event in enumerate(events) if isinstance(event, Retrying))
    return events[:place]


def visible(events: Sequence[StreamEvent]) -> str:
    return "".join(
        event.text for event in events if isinstance(event, BlockGrew) and event.kind == "text"
    )


async def broken(format: str, place: str, name: str) -> None:
    turn, part = PLACES[place]
    answers = [goes_wrong(part, FATES[name]), whole]
    patience = SILENCE if name == "falls silent" else 5.0
    async with facing(answers, turn, format, idle_timeout=patience) as (client, server, clock):
        events, error = await listen(client, asked(format))
        if place in {"mid-text", "the last byte"}:
            assert len(server.exchanges) == 1, (place, name)
            assert not any(isinstance(event, Retrying) for event in events)
            shown = visible(events)
            assert shown, (place, name)
            ending = events[-1]
            if isinstance(ending, Finished):
                assert place == "the last byte", name
                assert (error, shown) == (None, WORDS)
                return
            assert isinstance(ending, Failed), (place, name)
            assert error is not None
            assert WORDS.startswith(shown)
            assert "".join(p.text for p in ending.parts if isinstance(p, Text)) == shown
            expected = "timeout" if name == "falls silent" else "transport"
            assert ending.failure.kind == expected, (place, name)
            return
        assert error is None, (place, name, error)
        early = before_retry(events)
        assert visible(early) == ""
        assert not any(isinstance(event, CallReady | Finished | Failed) for event in early)
        assert (len(server.exchanges), clock.slept) == (2, [0.2]), (place, name)
        if turn is TEXT:
            assert said(events) == visible(events) == WORDS
        else:
            assert calls(events) == [("read", LONG.json)]


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("part", deep_after(1, range(3)))
async def test_a_stream_that_breaks_off_is_repeated_only_while_nothing_was_shown(part: int) -> None:
    async with create_task_group() as tasks:
        for format, place, name in product(tuple(FORMATS)[part::3], PLACES, FATES):
            tasks.start_soon(broken, format, place, name)


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
@every("place", ["the first byte", "mid-text", "mid-arguments"])
async def test_an_error_after_200_is_typed_wherever_it_comes(format: str, place: str) -> None:
    turn = PLACES[place][0]

    def error(speech: Speech) -> Sequence[Step]:
        begun = b"" if place == "the first byte" else up_to_half(speech)
        kept = b"".join(
            piece.frame
            for number, piece in enumerate(speech.pieces)
            if ends(speech, number) <= len(begun)
        )
        wrong = speech.speaks.refused(Fault(kind="overloaded"), REFUSALS["overloaded"])
        return [speech.head, chunk(kept + wrong.frame), LAST]

    async with facing([error, whole], turn, format) as (client, server, _):
        events, failed = await listen(client, asked(format))
        if place == "mid-text":
            assert failed is not None
            assert failed.failure.kind == "overloaded"
            assert isinstance(events[-1], Failed)
            assert len(server.exchanges) == 1
        else:
            assert failed is None
            (retry,) = (event for event in events if isinstance(event, Retrying))
            assert retry.reason
            assert len(server.exchanges) == 2


def ends(speech: Speech, number: int) -> int:
    """Where a frame ends in the body."""
    return sum(len(piece.frame) for piece in speech.pieces[: number + 1])


def keep_alive(format: str, speech: Speech) -> bytes:
    if format == "anthropic-messages":
        return b'event: ping\ndata: {"type": "ping"}\n\n'
    if format in {"ollama-chat", "gemini-array"}:
        return b"\n"
    if "eventstream" in speech.speaks.manner.kind:
        return event_stream.event("ping", b'{"p":"abc"}')
    return b": keep-alive\n\n"


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
async def test_ten_thousand_keep_alives_change_nothing(format: str) -> None:
    def patient(speech: Speech) -> Sequence[Step]:
        waiting = keep_alive(format, speech) * 5_000
        half = up_to_half(speech)
        begun = b"".join(
            piece.frame
            for number, piece in enumerate(speech.pieces)
            if ends(speech, number) <= len(half)
        )
        rest = speech.body[len(begun) :]
        return [speech.head, *map(chunk, (waiting, begun, waiting, rest)), LAST]

    async with facing([patient], TEXT, format) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert (error, said(events), visible(events)) == (None, WORDS, WORDS)
        assert len(server.exchanges) == 1


async def dripped(format: str) -> None:
    def slow(speech: Speech) -> Sequence[Step]:
        whole = speech.head + chunk(speech.body) + LAST
        return [Drip(whole[:250], 1.0), whole[250:]]

    async with facing([slow], TEXT, format, idle_timeout=60.0) as (client, server, _):
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, WORDS)
        assert len(server.exchanges) == 1


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("part", range(3))
async def test_one_byte_at_a_time_is_life_however_long_it_takes(part: int) -> None:
    async with hurrying(0.9), create_task_group() as tasks:
        for format in tuple(FORMATS)[part::3]:
            tasks.start_soon(dripped, format)


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
async def test_an_answer_in_http_1_0_is_understood(format: str) -> None:
    def old(speech: Speech) -> Sequence[Step]:
        opened = head({"content-type": speech.speaks.manner.kind}, "HTTP/1.0 200 OK")
        return [opened, speech.body, Close()]

    async with facing([old], TEXT, format) as (client, _, _):
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, WORDS)
