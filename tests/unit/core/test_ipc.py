"""The words between a supervisor and an agent: any cut of any bytes is read, or complained about."""

import json
import re
import time
from itertools import count

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.ipc.codec import Reader, Writer, WrongVersion
from ouroboros.core.ipc.lines import Lines, TooLong, decoded
from ouroboros.core.ipc.messages import (
    VERSION,
    Alive,
    Complaint,
    Initialize,
    Initialized,
    Log,
    Message,
    Payload,
    PermissionRequest,
    PermissionResponse,
    PermissionResult,
    PermissionWithdrawn,
    Result,
    Terminate,
)
from tests.cases import every

EVERY: tuple[Payload, ...] = (
    Initialize(agent_config_path="/a", system_prompt_path="/b", knowledge_graph_path="/k"),
    Initialized(pid=7, session="ses_1"),
    PermissionRequest(
        tool_name="shell",
        input=msgspec.Raw(b'{"command":"ls\\n"}'),
        permission_result=PermissionResult(message="may it?"),
        rules=("shell(ls)",),
    ),
    PermissionResponse(request_id="m1", behavior="allow", updated_input=msgspec.Raw(b"[1]")),
    PermissionResponse(request_id="m1", behavior="deny", message="no", new_rules=("a", "b")),
    PermissionWithdrawn(request_id="m1"),
    Result(status="success", output_artifact_path="/o", summary="done\n\u2028"),
    Log(level="error", message="line\r\n\x00"),
    Terminate(reason="enough"),
    Alive(),
    Complaint(code="invalid", message="what?", message_id="m2"),
)


class Still:
    def now(self) -> float:
        return 1_700_000_000.25

    def monotonic(self) -> float:
        return 0.0


def writer() -> Writer:
    numbers = count(1)
    return Writer(Still(), lambda: f"m{next(numbers)}")


def line(**changed: object) -> bytes:
    head: dict[str, object] = {
        "protocolVersion": VERSION,
        "messageId": "m1",
        "type": "alive",
        "payload": {},
    }
    return msgspec.json.encode({**head, **changed}) + b"\n"


def plain(payload: Payload | None) -> object:
    return msgspec.json.encode(payload)


@pytest.mark.proves("O09")
def test_the_base_message_is_that_of_the_design() -> None:
    _, said = writer().write(Result(status="failure", summary="it died"))
    assert msgspec.json.decode(said) == {
        "protocolVersion": "1.0",
        "messageId": "m1",
        "timestamp": "2023-11-14T22:13:20.250000+00:00",
        "type": "task:result",
        "payload": {"status": "failure", "outputArtifactPath": "", "summary": "it died"},
    }
    assert said.endswith(b"}\n")
    assert said.count(b"\n") == 1


@pytest.mark.proves("O08", "O14")
@given(st.lists(st.sampled_from(EVERY), min_size=1, max_size=6), st.data())
def test_every_kind_comes_through_however_it_is_cut(
    said: list[Payload], data: st.DataObject
) -> None:
    out = writer()
    whole = b"".join(out.write(payload)[1] for payload in said)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    reader, found = Reader(), list[Message | Complaint]()
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += reader.feed(whole[start:end])
    assert not reader.is_broken_off
    read = [each.payload for each in found if isinstance(each, Message)]
    assert list(map(plain, read)) == list(map(plain, said))


@pytest.mark.proves("O08", "O14")
@every(
    ("bad", "code"),
    [
        (b"nonsense\n", "invalid"),
        (b"[]\n", "invalid"),
        (b"{}\n", "invalid"),
        (b'{"protocolVersion": "1.0"}\n', "invalid"),
        (b'\xff\xfe{"a": 1}\n', "invalid"),
        (b"[" * 100_000 + b"\n", "invalid"),
        (line(payload=[1]), "invalid"),
        (line(type="log", payload={"message": 3}), "invalid"),
        (line(type="task:result", payload={"status": "maybe"}), "invalid"),
        (b"x" * 2_000_000 + b"\n", "too_long"),
    ],
)
def test_an_odd_line_is_complained_about_and_the_next_is_read(bad: bytes, code: str) -> None:
    reader = Reader(limit=1_000_000)
    (complaint, message) = reader.feed(bad + line())
    assert isinstance(complaint, Complaint)
    assert complaint.code == code
    assert isinstance(message, Message)
    assert message.payload == Alive()


@pytest.mark.proves("O08", "O14")
def test_a_message_of_ten_megabytes_comes_through_in_pieces() -> None:
    words = "w" * 10_000_000
    _, said = writer().write(Log(message=words))
    reader = Reader()
    found = [
        each for at in range(0, len(said), 65_536) for each in reader.feed(said[at : at + 65_536])
    ]
    assert [each.payload for each in found if isinstance(each, Message)] == [Log(message=words)]


@pytest.mark.proves("O08", "O14")
def test_of_a_line_without_end_nothing_is_kept() -> None:
    lines = Lines(limit=1_000)
    for _ in range(50):
        assert lines.feed(b"x" * 900) == []
        assert lines.held <= 1_000
    assert lines.is_broken_off
    assert lines.feed(b"x\nnext\n") == [TooLong(1_000), b"next"]
    assert not lines.is_broken_off


@pytest.mark.proves("O09", "divergences-messages-of-agents")
def test_a_kind_of_a_later_minor_version_is_passed_over() -> None:
    (message,) = Reader().feed(line(protocolVersion="1.7", type="task:paused", payload={"a": 1}))
    assert isinstance(message, Message)
    assert message.type == "task:paused"
    assert message.payload is None


def test_a_field_of_a_later_minor_version_is_passed_over() -> None:
    (message,) = Reader().feed(line(type="task:terminate", payload={"reason": "r", "grace": 3}))
    assert isinstance(message, Message)
    assert message.payload == Terminate(reason="r")


@pytest.mark.proves("O08", "O14")
@every("version", ["2.0", "0.9", "", "one", "11.0"])
def test_another_major_version_is_refused(version: str) -> None:
    with pytest.raises(WrongVersion, match=r"this is 1\.0"):
        Reader().feed(line(protocolVersion=version))


@pytest.mark.proves("O08", "O14")
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(noise: bytes) -> None:
    found = Reader().feed(noise + b"\n" + line())
    assert isinstance(found[-1], Message)


HALVES = {
    r'"\ud83d"': "\ufffd",
    r'"a\uDBFFb"': "a\ufffdb",
    r'"\udc00"': "\ufffd",
    r'"\ud83d\ud83d\ude00"': "\ufffd\U0001f600",
    r'"\ud83d\ude00\ude00"': "\U0001f600\ufffd",
    r'"\ud83d\n"': "\ufffd\n",
    r'"\ud83d\\ude00"': "\ufffd\\ude00",
    r'"\\ud83d \ud83d"': "\\ud83d \ufffd",
    r'"\ud83d\"\ude00"': '\ufffd"\ufffd',
    r'"\ud83dude00"': "\ufffdude00",
    r'{"\udfff":[1]}': {"\ufffd": [1]},
    r'["\ud800","\uDFFF\u0041"]': ["\ufffd", "\ufffdA"],
}


@pytest.mark.proves("spine-bad-input")
@every(("text", "meant"), list(HALVES.items()))
def test_half_a_sign_does_not_make_a_text_unreadable(text: str, meant: object) -> None:
    decoder = msgspec.json.Decoder(object)
    assert decoded(decoder, text) == decoded(decoder, text.encode()) == meant


@given(st.text(st.characters(codec=None, categories=None), max_size=20))
def test_what_python_writes_is_read(text: str) -> None:
    read = decoded(msgspec.json.Decoder(str), json.dumps(text))
    assert read == re.sub(
        "[\ud800-\udfff]",
        "\ufffd",
        text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"),
    )
    with pytest.raises(msgspec.DecodeError):
        decoded(msgspec.json.Decoder(str), json.dumps(text)[:-1])


def spent_on_line(pieces: int) -> float:
    """Processor seconds for one line that comes in so many small pieces."""
    cut = Lines(64 << 20)
    begun = time.thread_time()
    for _ in range(pieces):
        cut.feed(b"a line of which little comes..")
    spent = time.thread_time() - begun
    (whole,) = cut.feed(b"\n")
    assert not isinstance(whole, TooLong)
    assert len(whole) == 30 * pieces
    return spent


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-peers")
def test_a_line_of_very_many_pieces_costs_what_its_length_costs() -> None:
    few = min(spent_on_line(30_000) for _ in range(3))
    many = min(spent_on_line(120_000) for _ in range(3))
    # Four times the pieces: four times as much, or 16 times where each piece looks at all before it.
    assert many < 10 * few
