"""Event streams of Bedrock: odd events, exceptions, damage, and the makers' streams inside."""

import base64
import json
import random
import struct
import subprocess
import sys
import zlib
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

from ouroboros.core.parts import Foreign, Reasoning, Text, ToolCall, Usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame, event_stream
from ouroboros.llm.framing import event_stream_reader as own
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import CallReady, Failed, Finished, StreamEvent
from ouroboros.testing.replies.event_stream import GARBAGE, event, exception, message
from tests.cases import every

pytestmark = pytest.mark.real

botocore: Any = import_module("botocore.eventstream")
START = ("messageStart", {"role": "assistant"})
COUNTS: dict[str, dict[str, object]] = {
    "usage": {"inputTokens": 3, "outputTokens": 2, "cacheReadInputTokens": 5}
}


def delta(index: int, **what: Any) -> tuple[str, dict[str, Any]]:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": what}


def start(index: int, **what: Any) -> tuple[str, dict[str, Any]]:
    return "contentBlockStart", {"contentBlockIndex": index, "start": what}


def stop(index: int) -> tuple[str, dict[str, Any]]:
    return "contentBlockStop", {"contentBlockIndex": index}


def ending(reason: str) -> tuple[str, dict[str, Any]]:
    return "messageStop", {"stopReason": reason}


def frames(*events: tuple[str, Any]) -> list[Frame]:
    return [Frame(kind, json.dumps(body)) for kind, body in events]


def heard(*events: tuple[str, Any]) -> list[StreamEvent]:
    decoder = by_name("bedrock-converse").start(Dialect())
    found = [one for frame in frames(*events) for one in decoder.step(frame)]
    return [*found, *decoder.finish()]


def finished(events: list[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def failed(events: list[StreamEvent]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed)
    return last


@pytest.mark.proves("providers-protocols")
def test_the_end_waits_for_the_counts() -> None:
    decoder = by_name("bedrock-converse").start(Dialect())
    steps = [
        list(decoder.step(frame))
        for frame in frames(START, delta(0, text="Hi"), ending("end_turn"), ("metadata", COUNTS))
    ]
    assert steps[2] == []
    last = steps[3][-1]
    assert isinstance(last, Finished)
    assert last.usage == Usage(input_uncached=3, cache_read=5, output_text=2, raw=COUNTS["usage"])
    assert decoder.finish() == []


def test_a_stream_may_end_without_counts_but_not_without_a_reason() -> None:
    assert finished(heard(START, delta(0, text="Hi"), ending("end_turn"))).usage is None
    cut = failed(heard(START, delta(0, text="Hi"), ("metadata", COUNTS)))
    assert (cut.failure.kind, cut.failure.retryable) == ("transport", True)
    assert cut.parts == (Text(text="Hi"),)


@every(
    ("reason", "wanted"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        ("model_context_window_exceeded", "overflow"),
        ("tool_use", "unknown"),
        ("news", "unknown"),
    ],
)
def test_reasons_to_stop(reason: str, wanted: str) -> None:
    last = finished(heard(START, delta(0, text="Hi"), ending(reason)))
    assert (last.stop_reason, last.raw_stop_reason) == (wanted, reason)


@every(
    ("reason", "kind"),
    [("malformed_tool_use", "invalid_tool_output"), ("malformed_model_output", "server")],
)
def test_what_bedrock_could_not_read_may_be_tried_again(reason: str, kind: str) -> None:
    failure = failed(heard(START, ending(reason), ("metadata", COUNTS))).failure
    assert (failure.kind, failure.retryable) == (kind, True)


@pytest.mark.proves("H08")
def test_calls_may_interleave_and_are_ready_when_they_close() -> None:
    events = heard(
        START,
        start(0, toolUse={"toolUseId": "a", "name": "read"}),
        start(1, toolUse={"toolUseId": "b", "name": "shot"}),
        delta(1, toolUse={"input": '{"n":'}),
        delta(0, toolUse={"input": '{"path":"x"}'}),
        delta(1, toolUse={"input": "1}"}),
        stop(1),
        stop(0),
        ending("tool_use"),
        ("metadata", COUNTS),
    )
    ready = [one.call for one in events if isinstance(one, CallReady)]
    assert ready == [
        ToolCall(id="b", name="shot", arguments='{"n":1}'),
        ToolCall(id="a", name="read", arguments='{"path":"x"}'),
    ]
    assert finished(events).parts == (ready[1], ready[0])


def test_a_call_cut_off_by_length_is_not_made() -> None:
    events = heard(
        START,
        start(0, toolUse={"toolUseId": "a", "name": "read"}),
        delta(0, toolUse={"input": '{"pa'}),
        ending("max_tokens"),
    )
    assert finished(events).parts == ()


def test_thoughts_keep_what_must_go_back() -> None:
    events = heard(
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        delta(0, reasoningContent={"signature": "si"}),
        delta(0, reasoningContent={"signature": "g"}),
        stop(0),
        delta(1, reasoningContent={"redactedContent": "Wg=="}),
        stop(1),
        delta(2, text="Yes."),
        ending("end_turn"),
    )
    assert finished(events).parts == (
        Reasoning(text="Hm.", meta={"signature": "sig"}),
        Reasoning(meta={"redacted": "Wg=="}),
        Text(text="Yes."),
    )


def test_hosted_tools_are_carried_and_not_run() -> None:
    events = heard(
        START,
        start(0, toolUse={"toolUseId": "x", "name": "python", "type": "server_tool_use"}),
        delta(0, toolUse={"input": '{"a": 1}'}),
        stop(0),
        start(1, toolResult={"toolUseId": "x", "status": "success"}),
        delta(1, toolResult=[{"text": "2"}]),
        stop(1),
        delta(2, text="Two."),
        delta(2, citation={"title": "t"}),
        ending("end_turn"),
    )
    call, result, text = finished(events).parts
    assert isinstance(call, Foreign)
    assert isinstance(result, Foreign)
    assert json.loads(call.content)["toolUse"]["input"] == {"a": 1}
    assert json.loads(result.content)["toolResult"]["content"] == [{"text": "2"}]
    assert text == Text(text="Two.", meta={"citations": [{"title": "t"}]})


@pytest.mark.proves("providers-protocols")
@every(
    ("kind", "payload", "wanted"),
    [
        ("throttlingException", {"message": "Too many requests"}, ("rate_limit", True)),
        ("internalServerException", {"message": "oops"}, ("server", True)),
        (
            "modelStreamErrorException",
            {"message": "failed", "originalStatusCode": 400, "originalMessage": "x"},
            ("server", True),
        ),
        ("serviceUnavailableException", {"message": "later"}, ("overloaded", True)),
        ("modelTimeoutException", {"message": "slow"}, ("timeout", True)),
        (
            "validationException",
            {"message": "Input is too long for requested model."},
            ("context_overflow", False),
        ),
        ("validationException", {"message": "no such field"}, ("invalid_request", False)),
        ("accessDeniedException", {"message": "no"}, ("permission", False)),
    ],
)
@every("name", ["bedrock-converse", "bedrock-invoke-stream"])
def test_an_exception_within_the_stream(
    name: str, kind: str, payload: dict[str, Any], wanted: tuple[str, bool]
) -> None:
    hello: dict[str, Any] = {"type": "message_start", "message": {"id": "m"}}
    if name == "bedrock-converse":
        raw = event("messageStart", b'{"role":"assistant"}')
    else:
        raw = event("chunk", json.dumps({"bytes": packed(hello), "p": "abc"}).encode())
    found = read(name, raw + exception(kind, json.dumps(payload).encode()))
    failure = failed(found).failure
    assert (failure.kind, failure.retryable) == wanted
    assert failure.message.startswith(payload["message"])
    assert failure.code == kind


def test_an_error_message_of_the_stream() -> None:
    headers = {":message-type": "error", ":error-code": "InternalError", ":error-message": "Broke."}
    failure = failed(read("bedrock-converse", message(headers, b""))).failure
    assert (failure.kind, failure.message, failure.retryable) == ("server", "Broke.", True)


def packed(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def read(name: str, raw: bytes, cuts: tuple[int, ...] = ()) -> list[StreamEvent]:
    """What comes of these bytes, as a route reads them."""
    decoder = by_name(name).start(Dialect())
    framing = event_stream.Decoder()
    events: list[StreamEvent] = []
    for first, last in pairwise((0, *cuts, len(raw))):
        for frame in framing.feed(raw[first:last]):
            events += decoder.step(frame)
    assert framing.end() == []
    return [*events, *decoder.finish()]


WHOLE = b"".join(
    event(kind, json.dumps(body).encode())
    for kind, body in (START, delta(0, text="Grüße"), ending("end_turn"), ("metadata", COUNTS))
)


@pytest.mark.proves("providers-protocols", "H09")
def test_every_cut_gives_the_same() -> None:
    wanted = read("bedrock-converse", WHOLE)
    assert finished(wanted).parts == (Text(text="Grüße"),)
    for place in range(len(WHOLE) + 1):
        assert read("bedrock-converse", WHOLE, (place,)) == wanted
    assert read("bedrock-converse", WHOLE, tuple(range(1, len(WHOLE)))) == wanted


@pytest.mark.proves("H07")
def test_a_stream_that_breaks_off_anywhere_failed() -> None:
    ended = len(WHOLE) - len(event("metadata", json.dumps(COUNTS).encode()))
    for length in range(ended):
        failure = failed(read("bedrock-converse", WHOLE[:length])).failure
        assert failure.kind == "transport"
    finished(read("bedrock-converse", WHOLE[:ended]))


@pytest.mark.proves("providers-protocols")
def test_a_flipped_bit_is_a_broken_transport() -> None:
    chance = random.Random("flips")
    places = {chance.randrange(len(WHOLE)) for _ in range(200)}
    for place in places:
        broken = bytearray(WHOLE)
        broken[place] ^= 1 << chance.randrange(8)
        last = read("bedrock-converse", bytes(broken))[-1]
        # A flip in a length may also make it wait for bytes that never come.
        assert isinstance(last, Failed), place
        assert (last.failure.kind, last.failure.retryable) == ("transport", True)


@pytest.mark.proves("providers-protocols")
def test_what_came_before_the_damage_counts() -> None:
    text = event("contentBlockDelta", json.dumps(delta(0, text="Hi")[1]).encode())
    for cuts in ((), (len(text),)):
        last = failed(read("bedrock-converse", text + GARBAGE + WHOLE, cuts))
        assert last.parts == (Text(text="Hi"),)
        assert last.failure.message == "The model's stream arrived damaged (ChecksumMismatch)."


@pytest.mark.proves("providers-protocols")
def test_nothing_follows_the_damage() -> None:
    framing = event_stream.Decoder()
    assert [frame.event for frame in framing.feed(GARBAGE)] == [":damage"]
    assert framing.feed(b"") == framing.feed(WHOLE) == []


def guarded(headers: bytes, payload: bytes, *, total: int | None = None) -> bytes:
    """A message whose checksums are right, whatever it says of itself."""
    length = 16 + len(headers) + len(payload) if total is None else total
    prelude = struct.pack(">II", length, len(headers))
    raw = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return raw + struct.pack(">I", zlib.crc32(raw))


@every(
    "raw",
    [
        guarded(b"\x05abc", b""),
        guarded(b"\x01a\x63zz", b""),
        guarded(b"\x01a\x07\x00\x01\xff", b""),
        guarded(b"\x01a\x00\x01a\x00", b""),
        guarded(b"", b"", total=0),
        guarded(b"", b"", total=2**31),
    ],
    ids=["short header", "unknown type", "no UTF-8", "twice", "no length", "too long"],
)
def test_nonsense_with_right_checksums_is_a_broken_transport(raw: bytes) -> None:
    assert failed(read("bedrock-converse", raw + WHOLE)).failure.kind == "transport"


@pytest.mark.proves("providers-protocols")
@every("seed", range(5))
def test_any_bytes_end_in_one_way(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        raw = bytearray(WHOLE)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(raw))
            raw[place : place + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
        events = read("bedrock-converse", bytes(raw), (chance.randrange(len(raw)),))
        endings = [one for one in events if isinstance(one, Finished | Failed)]
        assert endings == events[-1:]


def invoked(*inner: Any) -> list[StreamEvent]:
    raw = b"".join(
        event("chunk", json.dumps({"bytes": packed(one), "p": "abcd"}).encode()) for one in inner
    )
    return read("bedrock-invoke-stream", raw)


METRICS = {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 7, "outputTokenCount": 4}}


@every(
    ("pieces", "wanted"),
    [
        ([{"outputText": "A"}, {"outputText": "B", "completionReason": "FINISH"} | METRICS], "end"),
        ([{"generation": "A"}, {"generation": "B", "stop_reason": "length"} | METRICS], "length"),
        (
            [
                {"outputs": [{"text": "A", "stop_reason": None}]},
                {"outputs": [{"text": "B", "stop_reason": "stop"}]} | METRICS,
            ],
            "end",
        ),
        (
            [
                {"choices": [{"delta": {"content": "A"}}]},
                {"choices": [{"delta": {"content": "B"}, "finish_reason": "stop"}]} | METRICS,
            ],
            "end",
        ),
    ],
    ids=["titan", "llama", "mistral", "chat"],
)
def test_makers_that_give_one_text(pieces: list[Any], wanted: str) -> None:
    last = finished(invoked(*pieces))
    assert last.parts == (Text(text="AB"),)
    assert last.stop_reason == wanted
    assert last.usage is not None
    assert (last.usage.input_uncached, last.usage.output_text) == (7, 4)
    cut = failed(invoked(*pieces[:-1]))
    assert (cut.failure.kind, cut.parts) == ("transport", (Text(text="A"),))


def test_nova_gives_a_text_in_many_blocks_and_it_stays_one() -> None:
    last = finished(
        invoked(
            {"messageStart": {"role": "assistant"}},
            *({kind: body} for kind, body in (delta(0, text="A"), stop(0), delta(1, text="B"))),
            {"contentBlockStop": {"contentBlockIndex": 1}},
            {"messageStop": {"stopReason": "end_turn"}},
            {"metadata": {"usage": {"inputTokens": 5, "cacheReadInputTokenCount": 2}}} | METRICS,
        )
    )
    assert last.parts == (Text(text="AB"),)
    assert last.usage is not None
    assert (last.usage.input_uncached, last.usage.cache_read) == (5, 2)


def test_a_guardrail_that_spoke_instead() -> None:
    said = {"outputText": "Blocked", "amazon-bedrock-guardrailAction": "INTERVENED"}
    assert finished(invoked(said)).stop_reason == "content_filter"
    more = {"completionReason": "FINISH", "amazon-bedrock-guardrailAction": "NONE"}
    assert finished(invoked(said, more)).stop_reason == "content_filter"


@every(
    "outer",
    [b"{}", b"no json", b'{"bytes":"***"}', b'{"bytes":"bm8="}', b'{"bytes":"eyJhIjoxfQ=="}'],
)
def test_a_chunk_that_cannot_be_read_spoils_the_reply(outer: bytes) -> None:
    good = json.dumps({"bytes": packed({"outputText": "A", "completionReason": "FINISH"})})
    for raw in (event("chunk", outer) + event("chunk", good.encode()),
                event("chunk", good.encode()) + event("chunk", outer)):  # fmt: skip
        last = read("bedrock-invoke-stream", raw)[-1]
        if outer == b'{"bytes":"eyJhIjoxfQ=="}' and raw.startswith(event("chunk", good.encode())):
            assert isinstance(last, Finished)  # once the maker is known, its news are skipped
        else:
            assert isinstance(last, Failed)
            assert last.failure.kind == "transport"


def test_news_of_the_stream_itself_is_skipped() -> None:
    said = {"outputText": "A", "completionReason": "FINISH"}
    raw = event("initial-response", b"{}") + event(
        "chunk", json.dumps({"bytes": packed(said)}).encode()
    )
    assert finished(read("bedrock-invoke-stream", raw)).parts == (Text(text="A"),)
    raw = event("initial-response", b"{}") + WHOLE
    assert finished(read("bedrock-converse", raw)).parts == (Text(text="Grüße"),)


@pytest.mark.proves("H18")
def test_whole_replies() -> None:
    converse = by_name("bedrock-converse")
    whole: dict[str, Any] = {
        "output": {"message": {"content": [{"text": "Hi"}, {"guardContent": {"text": {}}}, 3]}},
        "stopReason": "end_turn",
        "usage": COUNTS["usage"],
    }
    last = finished(list(converse.start(Dialect()).read(json.dumps(whole).encode())))
    assert last.parts[0] == Text(text="Hi")
    assert isinstance(last.parts[1], Foreign)
    assert last.usage is not None
    assert last.usage.input_total == 8
    call = b'{"toolUse":{"toolUseId":"a","name":"t","input":{"z": 1.50,  "a": []}}}'
    block = b'{"searchResult": {"x":1.50}}'
    raw = b'{"output":{"message":{"content":[%b,%b]}},"stopReason":"tool_use"}' % (call, block)
    kept, carried = finished(list(converse.start(Dialect()).read(raw))).parts
    assert kept == ToolCall(id="a", name="t", arguments='{"z": 1.50,  "a": []}')
    assert isinstance(carried, Foreign)
    assert carried.content == block.decode()
    odd = b'{"output":{"message":{"content":[{"text":"\xed\xa0\xbdHi"}]}},"x":NaN,"stopReason":"end_turn"}'
    assert finished(list(converse.start(Dialect()).read(odd))).parts != ()
    refused = failed(list(converse.start(Dialect()).read(b'{"message":"no"}')))
    assert refused.failure.message == "no"
    invoke = by_name("bedrock-invoke-stream")
    nova = failed(list(invoke.start(Dialect()).read(json.dumps(whole).encode())))
    assert (nova.failure.kind, nova.failure.retryable) == ("invalid_request", False)
    assert "bedrock-converse" in nova.failure.message


def outcome(buffer: Any, raw: bytes, cut: int) -> list[object]:
    """The messages, and whether damage ended them."""
    found: list[object] = []
    try:
        for piece in (raw[:cut], raw[cut:]):
            buffer.add_data(piece)
            for one in buffer:
                texts = {key: value for key, value in one.headers.items() if isinstance(value, str)}
                found.append((texts, one.payload))
    except (botocore.ParserError, own.ParserError, struct.error, ValueError, LookupError):
        found.append("damage")
    return found


HEADERS = (
    b"\x0b:event-type\x07\x00\x01x\x01b\x06\x00\x02zz\x01t\x00\x01f\x01\x01n\x04abcd"
    b"\x01s\x03ab\x01c\x02a\x01l\x0512345678\x01m\x0812345678\x01u\x091234567812345678"
)
FORGED = guarded(HEADERS, b"{}")[:12]


def nearly(chance: random.Random) -> bytes:
    """A stream whose bytes, or whose headers under right checksums, are changed in a few places."""
    headers = bytearray(HEADERS)
    if chance.random() < 0.4:
        headers[chance.randrange(len(headers))] = chance.randrange(256)
        return guarded(bytes(headers), b"{}") + WHOLE
    raw = bytearray(chance.choice((WHOLE, guarded(HEADERS, b"{}") + WHOLE)))
    for _ in range(chance.randrange(3)):
        place = chance.randrange(len(raw))
        raw[place : place + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
    return bytes(raw)


def compare(rounds: int, seed: str) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        raw = nearly(chance)
        cut = chance.randrange(len(raw))
        wanted = outcome(botocore.EventStreamBuffer(), raw, cut)
        mine = outcome(own.EventStreamBuffer(), raw, cut)
        # Headers that lie under right checksums are cut short by AWS's own reader.
        assert mine == wanted or (mine == ["damage"] and raw.startswith(FORGED)), raw


@pytest.mark.proves("providers-protocols")
def test_our_reader_reads_as_amazons() -> None:
    compare(2_000, "few")


@pytest.mark.soak
@every("seed", range(4))
def test_our_reader_reads_as_amazons_again_and_again(seed: int) -> None:
    compare(50_000, f"many {seed}")


@pytest.mark.proves("providers-protocols")
def test_without_botocore_streams_are_read_all_the_same() -> None:
    program = (
        "import sys; sys.modules['botocore'] = None\n"
        "from ouroboros.llm.framing.event_stream import Decoder\n"
        "for frame in Decoder().feed(sys.stdin.buffer.read()):\n    print(frame.event)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], input=WHOLE + GARBAGE, capture_output=True, check=True
    ).stdout
    wanted = [b"messageStart", b"contentBlockDelta", b"messageStop", b"metadata", b":damage"]
    assert told.split() == wanted
