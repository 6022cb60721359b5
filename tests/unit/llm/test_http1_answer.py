"""Answers in HTTP/1.1: the same ones however the bytes are cut, and what is none is refused."""

import random

import h11
import pytest

from ouroboros.llm.transport.answer import HEAD_BYTES, LINE_BYTES, Answer, Malformed
from tests.cases import every

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WORDS = b"data: one\n\ndata: two\n\n"

ANSWERS = {
    "counted": HEAD + b"Content-Length: 22\r\n\r\n" + WORDS,
    "nothing to count": HEAD + b"Content-Length: 0\r\n\r\n",
    "chunks": CHUNKED + b"b\r\ndata: one\n\n\r\nB\r\ndata: two\n\n\r\n0\r\n\r\n",
    "a chunk of line ends": CHUNKED + b"4\r\n\r\n\r\n\r\n0\r\n\r\n",
    "extensions and trailers": CHUNKED
    + b'00b;name="a";b=c \r\ndata: one\n\n\r\nb \r\ndata: two\n\n\r\n'
    + b"000\r\nchecksum: 12\r\nfe: 00\r\n\r\n",
    "until the end": HEAD + b"x: y\r\n\r\n" + WORDS,
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "not modified": b"HTTP/1.1 304 Not Modified\r\ncontent-length: 22\r\n\r\n",
    "wait a moment": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\na: b\r\n\r\n"
    + HEAD
    + b"content-length: 2\r\n\r\nok",
    "no reason": b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok",
    "bare line ends": b"HTTP/1.1 200 OK\ncontent-length: 2\nA: b\n\nok",
    "a folded header": HEAD + b"a: b\r\n  c\r\nContent-Length:2 \r\n\r\nok",
    "the same length twice": HEAD + b"content-length: 2\r\ncontent-length: 2\r\n\r\nok",
    "to be closed": HEAD + b"connection: Close\r\ncontent-length: 2\r\n\r\nok",
    "the old version": b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "a header of every letter": HEAD + b"a: \xe4\xf6\xfc\r\ncontent-length: 2\r\n\r\nok",
}

type Heard = tuple[int, dict[str, str], bytes, bool, bool]


def heard(pieces: list[bytes], *, has_end: bool = True) -> Heard:
    """What is understood; the end of the bytes is said where the answer has not ended by itself."""
    answer, body = Answer(), b""
    for piece in pieces:
        if answer.head is None:
            if answer.begin(piece) is not None:
                body += answer.take()
        else:
            body += answer.take(piece)
    if has_end and not answer.is_complete:
        body += answer.take(b"") if answer.head else b""
    assert answer.head is not None
    head = answer.head
    return head.status, head.headers, body, answer.is_complete, answer.is_reusable


def by_h11(content: bytes) -> tuple[tuple[object, ...], bool]:
    """What another reader understands."""
    state = h11.Connection(h11.CLIENT)
    state.send(h11.Request(method="POST", target="/", headers=[("host", "a")]))
    state.send(h11.EndOfMessage())
    state.receive_data(content)
    body, head = b"", None
    while not isinstance(event := state.next_event(), h11.EndOfMessage):
        if event is h11.NEED_DATA:
            state.receive_data(b"")
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.Response):
            head = event
    assert head is not None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    is_reusable = state.their_state is h11.DONE  # where the end of the bytes is an end, too
    return (head.status_code, headers, body, True), is_reusable


@pytest.mark.proves("H09", "divergences-http-on-the-usual-way")
@every("content", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_the_same_however_it_is_cut(content: bytes) -> None:
    whole = heard([content])
    understood, is_reusable = by_h11(content)
    assert (whole[:4], whole[4] or b"x: y" in content) == (understood, is_reusable)
    for place in range(1, len(content)):
        assert heard([content[:place], content[place:]]) == whole
    assert heard([content[place : place + 1] for place in range(len(content))]) == whole


MALFORMED = {
    "no http": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "a newer version": b"HTTP/2 200 OK\r\n\r\n",
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "a long status": b"HTTP/1.1 2000 OK\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n",
    "no colon": HEAD + b"content-length 2\r\n\r\n",
    "a space in a name": HEAD + b"content-length : 2\r\n\r\n",
    "no name": HEAD + b": 2\r\n\r\n",
    "a length below zero": HEAD + b"content-length: -2\r\n\r\n",
    "two lengths": HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "an unknown coding": HEAD + b"transfer-encoding: gzip, chunked\r\n\r\n",
    "no size": CHUNKED + b"\r\nab\r\n0\r\n\r\n",
    "a signed size": CHUNKED + b"+2\r\nab\r\n0\r\n\r\n",
    "a size below zero": CHUNKED + b"-2\r\nab\r\n0\r\n\r\n",
    "a size with a mark": CHUNKED + b"0x2\r\nab\r\n0\r\n\r\n",
    "a size with a line": CHUNKED + b"1_0\r\n" + b"a" * 16 + b"\r\n0\r\n\r\n",
    "an endless size": CHUNKED + b"f" * 17 + b"\r\n",
    "a chunk that is longer": CHUNKED + b"2\r\nabc\r\n0\r\n\r\n",
    "endless headers": HEAD + b"a: " + b"b" * HEAD_BYTES,
    "an endless extension": CHUNKED + b"2;" + b"a" * LINE_BYTES,
    "an endless trailer": CHUNKED + b"0\r\n" + b"a" * LINE_BYTES,
    "cut in the head": HEAD + b"content-",
    "cut in a chunk": CHUNKED + b"5\r\nab",
    "cut behind a chunk": CHUNKED + b"2\r\nab",
    "cut before the last chunk": CHUNKED + b"2\r\nab\r\n",
    "cut in the trailer": CHUNKED + b"2\r\nab\r\n0\r\n",
    "cut before its length": HEAD + b"content-length: 3\r\n\r\nab",
}


@pytest.mark.deep
@pytest.mark.proves("providers-faults", "H09")
@every("content", MALFORMED.values(), ids=MALFORMED)
@every("size", [1, 5, 1_000_000])
def test_what_is_no_whole_answer_is_refused(content: bytes, size: int) -> None:
    pieces = [content[place : place + size] for place in range(0, len(content), size)]
    with pytest.raises(Malformed):
        heard([*pieces, b""])


@pytest.mark.proves("H09")
@every("name", ["counted", "chunks", "no content"])
def test_bytes_behind_an_answer_belong_to_nobody(name: str) -> None:
    status, _, body, is_complete, is_reusable = heard([ANSWERS[name] + b"HTTP/1.1"])
    assert (status, body, is_complete) == (*heard([ANSWERS[name]])[0:3:2], True)
    assert not is_reusable
    assert heard([ANSWERS[name]])[4]


@pytest.mark.proves("providers-protocols")
@pytest.mark.parametrize(
    "times", [2_000, pytest.param(100_000, marks=pytest.mark.deep)], ids=["some", "many"]
)
def test_mutated_answers_are_understood_or_refused(times: int) -> None:
    chance = random.Random(7)
    contents = list(ANSWERS.values())
    for _ in range(times):
        content = bytearray(chance.choice(contents))
        for _ in range(chance.randrange(1, 4)):
            place = chance.randrange(len(content))
            content[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        cut = chance.randrange(len(content) + 1)
        try:
            heard([bytes(content[:cut]), bytes(content[cut:]), b""])
        except Malformed:
            continue
